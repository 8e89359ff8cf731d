package dev.headrace.cluster.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.ingest.Partitioner;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The partitioners against a simulated cluster, in the conditions of KIP-480 and KIP-794. */
class PartitionersTest {
  private static final long BURST_NANOS = 100 * SimulatedSink.MILLI;
  private static final int BATCH_BYTES = 16 << 10;
  private static final int RECORD_BYTES = 512;

  private static Latencies seed(
      Supplier<Partitioner> partitioner, int destinations, int lingerMillis, int perSecond) {
    SimulatedSink world = new SimulatedSink(3, destinations, 3);
    for (int node = 0; node < 3; node++) {
      world.serviceNanos[node] = SimulatedSink.MILLI / 2;
    }
    return world.append(
        sink ->
            sink.batchBytes(BATCH_BYTES)
                .linger(Duration.ofMillis(lingerMillis))
                .partitioner(partitioner),
        RECORD_BYTES,
        perSecond,
        BURST_NANOS,
        100);
  }

  @Test
  void stickingToASegmentFillsBatchesBeforeTheyHaveLingered() {
    Latencies roundRobin = seed(Partitioner::roundRobin, 64, 1_000, 1_000);
    Latencies sticky = seed(Partitioner::sticky, 64, 1_000, 1_000);
    Latencies uniform = seed(Partitioner::uniformSticky, 64, 1_000, 1_000);
    Latencies adaptive = seed(Partitioner::adaptiveSticky, 64, 1_000, 1_000);

    assertThat(roundRobin.millis(0.99)).isGreaterThan(900);
    assertThat(sticky.millis(0.99)).isLessThan(0.25 * roundRobin.millis(0.99));
    assertThat(uniform.millis(0.99)).isLessThan(0.25 * roundRobin.millis(0.99));
    assertThat(adaptive.millis(0.99)).isLessThan(0.25 * roundRobin.millis(0.99));
  }

  @Test
  void stickyBatchesAreFewerAlsoWithoutLingering() {
    Latencies roundRobin = seed(Partitioner::roundRobin, 64, 0, 1_000);
    Latencies adaptive = seed(Partitioner::adaptiveSticky, 64, 0, 1_000);

    assertThat(adaptive.report.written()).isEqualTo(roundRobin.report.written());
    assertThat(adaptive.millis(0.99)).isLessThan(0.5 * roundRobin.millis(0.99));
  }

  private static Latencies slowNode(Supplier<Partitioner> partitioner) {
    SimulatedSink world = new SimulatedSink(3, 3, 3);
    world.serviceNanos[0] = 20 * SimulatedSink.MILLI;
    world.serviceNanos[1] = SimulatedSink.MILLI / 2;
    world.serviceNanos[2] = SimulatedSink.MILLI / 2;
    return world.append(
        sink -> sink.batchBytes(BATCH_BYTES).partitioner(partitioner),
        RECORD_BYTES,
        2_048,
        SimulatedSink.MILLI * 125 / 64,
        10_000);
  }

  /** Partitioners draw; single runs of the adaptive one are 50 to 1,800 times as quick. */
  @Test
  void aSlowNodeDrawsEverMoreOfWhatSticksUntilANewBatch() {
    Latencies sticky = slowNode(Partitioner::sticky);
    double[] adaptive = new double[3];
    for (int run = 0; run < adaptive.length; run++) {
      Latencies one = slowNode(() -> Partitioner.adaptiveSticky(Duration.ofMillis(5)));
      assertThat(one.report.written()).isEqualTo(sticky.report.written());
      adaptive[run] = one.millis(0.99);
    }
    Arrays.sort(adaptive);
    assertThat(adaptive[1]).isLessThan(sticky.millis(0.99) / 30);
  }

  @Test
  void everySegmentGetsAsMuchFromTheUniformOne() {
    Latencies uniform = seed(Partitioner::uniformSticky, 4, 10, 10_000);

    assertThat(uniform.report.total().nodes()).hasSize(3);
  }
}
