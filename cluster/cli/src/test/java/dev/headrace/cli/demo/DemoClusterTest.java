package dev.headrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class DemoClusterTest {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  @Test
  void aNodeThatJoinsWhileTheClusterEndsEndsToo() throws IOException {
    try (DemoCluster cluster = DemoCluster.start(1)) {
      cluster.join();
      awaitSecondNode(true);
    }
    awaitSecondNode(false);
  }

  /** Waits until the second node has threads, or has none. */
  private static void awaitSecondNode(boolean running) {
    long startNanos = System.nanoTime();
    while (secondNodeRuns() != running) {
      assertThat(System.nanoTime() - startNanos)
          .as("the second node runs: %b", running)
          .isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private static boolean secondNodeRuns() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("headrace-node-2-"));
  }
}
