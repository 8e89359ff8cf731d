package dev.headrace.cluster.ingest;

import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.SinkSubscriber;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.reactivestreams.Subscription;

/**
 * How long values take from when they are sent to a simulated sink until they are written. The
 * source sends a burst after each interval, whatever it was asked for: open loop.
 */
final class Latencies {
  final IngestReport report;
  private final long[] sorted;

  Latencies(
      SimulatedSink world,
      CacheSink<String, String> sink,
      int valueBytes,
      int perSecond,
      long burstNanos,
      int bursts) {
    SinkSubscriber<String> appender = sink.appender();
    int perBurst = (int) (perSecond * burstNanos / 1_000_000_000L);
    long[] sentNanos = new long[perBurst * bursts];
    appender.onSubscribe(
        new Subscription() {
          @Override
          public void request(long n) {}

          @Override
          public void cancel() {}
        });
    String padding = "x".repeat(valueBytes - 8);
    for (int burst = 0; burst < bursts; burst++) {
      int first = burst * perBurst;
      world.at(
          burst * burstNanos,
          () -> {
            for (int i = first; i < first + perBurst; i++) {
              sentNanos[i] = world.nowNanos();
              appender.onNext("%08d".formatted(i) + padding);
            }
          });
    }
    world.at(bursts * burstNanos + 1, appender::onComplete);
    Map<Integer, Long> writtenNanos = new HashMap<>();
    world.onWritten =
        value -> writtenNanos.put(Integer.parseInt(value.substring(0, 8)), world.nowNanos());
    world.run();
    report = appender.report().join();
    sorted = new long[sentNanos.length];
    for (int i = 0; i < sorted.length; i++) {
      sorted[i] = writtenNanos.get(i) - sentNanos[i];
    }
    Arrays.sort(sorted);
  }

  double meanMillis() {
    return Arrays.stream(sorted).average().orElse(0) / SimulatedSink.MILLI;
  }

  double millis(double quantile) {
    int index = (int) Math.ceil(quantile * sorted.length) - 1;
    return (double) sorted[Math.max(0, index)] / SimulatedSink.MILLI;
  }

  @Override
  public String toString() {
    return "mean %.1f, p99 %.1f, p99.9 %.1f ms, %d batches"
        .formatted(
            meanMillis(),
            millis(0.99),
            millis(0.999),
            report.total().nodes().stream().mapToLong(node -> node.batches()).sum());
  }
}
