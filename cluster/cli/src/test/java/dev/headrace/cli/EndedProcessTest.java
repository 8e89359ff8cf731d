package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.LostSegments;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.UnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process with a node that is killed, and nobody waits for what it had. */
@Timeout(240)
final class EndedProcessTest {
  private static final int ENTRIES = 500;

  private final String cluster = "ended-" + UUID.randomUUID();

  @Test
  void segmentsOfAKilledProcessBeginAnewWhereTheSettingsSaySo() throws Exception {
    Path target = Files.createDirectories(Path.of("target", "clusters"));
    Path folder = Files.createTempDirectory(target.toAbsolutePath(), "ended");
    try (Headrace first = Headrace.start(settings(folder, "first"));
        Headrace second = Headrace.start(settings(folder, "second"))) {
      Process process =
          NodeProcess.start(folder, cluster, "killed", "--owners", "1", "--lost-segments", "ended");
      try {
        await(() -> held(first) == 3);
        Cache<Integer, String> cache = first.cache("numbers", Integer.class, String.class);
        for (int key = 0; key < ENTRIES; key++) {
          cache.put(key, "value");
        }
        process.destroyForcibly(); // SIGKILL
        await(() -> first.status().members().size() == 2);
        await(() -> first.status().lostSegments().isEmpty());
        assertThat(first.status().absent()).isEmpty();
        Cache<Integer, String> other = second.cache("numbers", Integer.class, String.class);
        await(() -> isWhole(other));
        assertThat(other.size()).isPositive().isLessThan(ENTRIES);
      } finally {
        process.destroyForcibly();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  /** Whether all segments have owners, as the cache's node sees it. */
  private static boolean isWhole(Cache<Integer, String> cache) {
    try {
      return cache.size() > 0;
    } catch (UnavailableException notYet) {
      return false;
    }
  }

  /** How many nodes own segments, once they have their shares. */
  private static long held(Headrace node) {
    return node.status().members().stream().filter(one -> one.primarySegments() > 60).count();
  }

  private NodeSettings settings(Path folder, String name) {
    return NodeSettings.builder()
        .clusterName(cluster)
        .nodeName(name)
        .discovery(new Discovery.Local(folder.toString()))
        .owners(1)
        .lostSegments(LostSegments.recreateWhenEnded())
        .joinTimeout(Duration.ofMinutes(2))
        .build();
  }

  private static void await(BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + Duration.ofMinutes(2).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("the condition is met in time").isLessThan(deadlineNanos);
      LockSupport.parkNanos(20_000_000);
    }
  }
}
