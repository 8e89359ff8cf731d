package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.MemoryFullException;
import dev.headrace.api.error.OutcomeUnknownException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes with a small heap that are written to until they are full. */
@Timeout(300)
final class FullMemoryTest {
  private static final int NODES = 3;
  private static final int WRITERS = 4;
  private static final int VALUE_BYTES = 10_000;
  private static final int REFUSALS_EACH = 200;

  private final List<Process> processes = new ArrayList<>();
  private final String cluster = "full-" + UUID.randomUUID();
  private Path folder;

  @BeforeEach
  void start() throws IOException {
    Path target = Files.createDirectories(Path.of("target", "clusters"));
    folder = Files.createTempDirectory(target.toAbsolutePath(), "full");
    for (int i = 0; i < NODES; i++) {
      processes.add(NodeProcess.start(folder, cluster, "n" + i));
    }
  }

  @AfterEach
  void stop() throws InterruptedException {
    for (Process process : processes) {
      process.destroyForcibly();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void whatWasAcknowledgedStaysAndNobodyDies() throws InterruptedException {
    NodeSettings settings =
        NodeSettings.builder()
            .clusterName(cluster)
            .discovery(new Discovery.Local(folder.toString()))
            .capacity(0)
            .joinTimeout(Duration.ofMinutes(2))
            .build();
    try (Headrace client = Headrace.start(settings)) {
      await(() -> client.status().members().stream().filter(m -> m.capacity() > 0).count() == 3);
      Cache<String, byte[]> cache = client.cache("blocks", String.class, byte[].class);
      Set<String> acknowledged = ConcurrentHashMap.newKeySet();
      Set<String> unknown = ConcurrentHashMap.newKeySet();
      AtomicInteger refused = new AtomicInteger();
      writeUntilRefused(cache, acknowledged, unknown, refused);
      assertThat(refused).hasValueGreaterThanOrEqualTo(WRITERS * REFUSALS_EACH);
      assertThat(acknowledged.size() * 2L * VALUE_BYTES)
          .as("more than half of the three budgets of 64 MB is used")
          .isGreaterThan(96_000_000);
      for (String key : acknowledged) {
        assertThat(cache.get(key)).as(key).isEqualTo(value(key));
      }
      int streamed = 0;
      for (Map.Entry<String, byte[]> entry : cache) {
        assertThat(entry.getValue()).isEqualTo(value(entry.getKey()));
        streamed++;
      }
      assertThat(streamed).isBetween(acknowledged.size(), acknowledged.size() + unknown.size());
      assertThat(processes).allMatch(Process::isAlive);
    }
  }

  private static void writeUntilRefused(
      Cache<String, byte[]> cache,
      Set<String> acknowledged,
      Set<String> unknown,
      AtomicInteger refused)
      throws InterruptedException {
    List<Throwable> failures = new ArrayList<>();
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      String prefix = i + "-";
      Thread writer =
          new Thread(
              () -> {
                int refusals = 0;
                for (int number = 0; refusals < REFUSALS_EACH; number++) {
                  String key = prefix + number;
                  try {
                    cache.put(key, value(key));
                    acknowledged.add(key);
                  } catch (MemoryFullException full) {
                    refusals++;
                    refused.incrementAndGet();
                  } catch (OutcomeUnknownException unheard) {
                    unknown.add(key);
                  }
                }
              });
      writer.setUncaughtExceptionHandler(
          (thread, failure) -> {
            synchronized (failures) {
              failures.add(failure);
            }
          });
      writers.add(writer);
      writer.start();
    }
    for (Thread writer : writers) {
      writer.join();
    }
    synchronized (failures) {
      assertThat(failures).isEmpty();
    }
  }

  private static byte[] value(String key) {
    byte[] value = new byte[VALUE_BYTES];
    for (int i = 0; i < key.length(); i++) {
      value[i * 97] = (byte) key.charAt(i);
    }
    return value;
  }

  private static void await(BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + Duration.ofMinutes(2).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadlineNanos).as("in time").isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }
}
