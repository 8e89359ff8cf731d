package dev.headrace.cluster.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.cluster.node.NodeCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Virtual threads that iterate streams and wait for operations leave their carriers free. */
@Timeout(180)
final class VirtualThreadsTest {
  private static final String PINNED = "jdk.VirtualThreadPinned";
  private static final int THREADS = 50;
  private static final int ENTRIES = 2000;

  @TempDir private Path folder;

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "JDK 21 brings virtual threads")
  void iteratorsAndBlockingCallsDoNotPin() throws Exception {
    try (NodeCluster cluster = NodeCluster.of(2);
        Recording recording = new Recording()) {
      Cache<Integer, Integer> cache =
          cluster.node(0).cache("numbers", Integer.class, Integer.class);
      for (int i = 0; i < ENTRIES; i++) {
        cache.put(i, i);
      }
      loadClasses(cache);
      recording.enable(PINNED).withThreshold(Duration.ZERO).withStackTrace();
      recording.start();
      useInVirtualThreads(cache);
      recording.stop();
      Path file = folder.resolve("pinned.jfr");
      recording.dump(file);
      List<String> pinned = new ArrayList<>();
      for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
        if (event.getEventType().getName().equals(PINNED)) { // others may record ours
          pinned.add(String.valueOf(event));
        }
      }
      assertThat(pinned).filteredOn(event -> event.contains("dev.headrace")).isEmpty();
    }
  }

  /** Uses it for the first time, and recorded for the first time: loading a class does pin. */
  private static void loadClasses(Cache<Integer, Integer> cache) throws Exception {
    try (Recording first = new Recording()) {
      first.enable(PINNED);
      first.start();
      useInVirtualThreads(cache);
    }
  }

  private static void useInVirtualThreads(Cache<Integer, Integer> cache) throws Exception {
    ExecutorService executor =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    List<Future<Integer>> results = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int key = i;
      results.add(executor.submit(() -> use(cache, key)));
    }
    for (Future<Integer> result : results) {
      assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo(ENTRIES);
    }
    executor.shutdown();
  }

  private static int use(Cache<Integer, Integer> cache, int key) {
    cache.put(key, key);
    assertThat(cache.get(key)).isEqualTo(key);
    int count = 0;
    try (var all = cache.stream().batchSize(100).entries().iterator()) {
      while (all.hasNext()) {
        all.next();
        count++;
      }
    }
    return count;
  }
}
