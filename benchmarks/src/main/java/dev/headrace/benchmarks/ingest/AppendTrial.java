package dev.headrace.benchmarks.ingest;

import com.sun.management.OperatingSystemMXBean;
import dev.headrace.api.Cache;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.NodeIngest;
import dev.headrace.api.ingest.Partitioner;
import dev.headrace.api.ingest.SinkSubscriber;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.reactivestreams.Subscription;

/**
 * Sends records without keys at a rate, in bursts, whatever the sink asks for, and measures how
 * long each takes from when it is sent until it is acknowledged.
 *
 * @param batchBytes a batch
 * @param lingerMillis how long a batch waits
 * @param perSecond records
 * @param burstMillis time between two bursts
 * @param seconds how long records are sent
 */
record AppendTrial(int batchBytes, int lingerMillis, int perSecond, int burstMillis, int seconds) {
  private static final int RECORD_BYTES = 512;
  private static final int IDLE_WINDOWS = 13;
  private static final long IDLE_WINDOW_NANOS = 250_000_000L;
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  /**
   * What a trial has shown.
   *
   * @param sortedMillis the latencies
   * @param cpuMicros CPU time of this JVM for each record, beyond that of an idle cluster
   * @param throughput the rate of acknowledgements over that of sending
   * @param batches batches that were sent
   * @param fill their mean fill
   */
  @SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
  record Outcome(
      double[] sortedMillis, double cpuMicros, double throughput, long batches, double fill) {
    double millis(double quantile) {
      int index = (int) Math.ceil(quantile * sortedMillis.length) - 1;
      return sortedMillis[Math.max(0, index)];
    }

    double meanMillis() {
      return Arrays.stream(sortedMillis).average().orElse(Double.NaN);
    }
  }

  static Supplier<Partitioner> partitioner(String name) {
    return switch (name) {
      case "round-robin" -> Partitioner::roundRobin;
      case "sticky" -> Partitioner::sticky;
      case "uniform-sticky" -> Partitioner::uniformSticky;
      case "adaptive-sticky" -> Partitioner::adaptiveSticky;
      case "adaptive-sticky-5ms" -> () -> Partitioner.adaptiveSticky(Duration.ofMillis(5));
      default -> throw new IllegalArgumentException("there is no partitioner " + name);
    };
  }

  /**
   * What was sent, and what became of it.
   *
   * @param report what the sink tells at the end
   * @param sentNanos when each record was sent
   * @param endedNanos when it was acknowledged
   */
  @SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
  private record Sent(IngestReport report, long[] sentNanos, long[] endedNanos) {}

  /** Appends as a trial does, and measures nothing. */
  void warmUp(Cache<String, byte[]> cache, String partitioner) {
    send(cache, partitioner);
  }

  Outcome run(Cache<String, byte[]> cache, String partitioner) {
    double idleShare = idleShare();
    long cpuNanos = SYSTEM.getProcessCpuTime();
    long begin = System.nanoTime();
    Sent sent = send(cache, partitioner);
    long tookNanos = System.nanoTime() - begin;
    double busyNanos = (double) SYSTEM.getProcessCpuTime() - cpuNanos - idleShare * tookNanos;
    return outcome(sent.report, sent.sentNanos, sent.endedNanos, busyNanos);
  }

  private Sent send(Cache<String, byte[]> cache, String partitioner) {
    int perBurst = Math.max(1, perSecond * burstMillis / 1000);
    int bursts = seconds * 1000 / burstMillis;
    long[] sentNanos = new long[perBurst * bursts];
    long[] endedNanos = new long[sentNanos.length];
    SinkSubscriber<byte[]> appender =
        cache
            .sink()
            .batchBytes(batchBytes)
            .linger(Duration.ofMillis(lingerMillis))
            .partitioner(partitioner(partitioner))
            .recordEnded(number -> endedNanos[(int) number] = System.nanoTime())
            .appender();
    appender.onSubscribe(new OpenLoop());
    long begin = System.nanoTime();
    for (int burst = 0; burst < bursts; burst++) {
      await(begin + (long) burst * burstMillis * 1_000_000L);
      for (int i = burst * perBurst; i < (burst + 1) * perBurst; i++) {
        sentNanos[i] = System.nanoTime();
        appender.onNext(new byte[RECORD_BYTES]);
      }
    }
    appender.onComplete();
    return new Sent(appender.report().join(), sentNanos, endedNanos);
  }

  private Outcome outcome(
      IngestReport report, long[] sentNanos, long[] endedNanos, double busyNanos) {
    if (report.failed() > 0) {
      throw new IllegalStateException(report.failed() + " records could not be appended");
    }
    int count = sentNanos.length;
    double[] millis = new double[count];
    for (int i = 0; i < count; i++) {
      millis[i] = (endedNanos[i] - sentNanos[i]) / 1e6;
    }
    Arrays.sort(millis);
    double lastNanos = (double) Arrays.stream(endedNanos).max().orElse(0) - sentNanos[0];
    double offeredNanos = seconds * 1e9;
    long batches = report.total().nodes().stream().mapToLong(NodeIngest::batches).sum();
    double filled =
        report.total().nodes().stream().mapToDouble(node -> node.fill() * node.batches()).sum();
    return new Outcome(
        millis,
        Math.max(0, busyNanos) / 1e3 / count,
        Math.min(1, offeredNanos / lastNanos),
        batches,
        filled / batches);
  }

  /**
   * CPU time over time while nothing is sent: the median of several windows, so that what is still
   * being compiled after the trial before does not count as what an idle cluster takes.
   */
  private static double idleShare() {
    double[] shares = new double[IDLE_WINDOWS];
    for (int window = 0; window < IDLE_WINDOWS; window++) {
      long cpuNanos = SYSTEM.getProcessCpuTime();
      long begin = System.nanoTime();
      await(begin + IDLE_WINDOW_NANOS);
      shares[window] =
          (double) (SYSTEM.getProcessCpuTime() - cpuNanos) / (System.nanoTime() - begin);
    }
    Arrays.sort(shares);
    return shares[IDLE_WINDOWS / 2];
  }

  private static void await(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Records are sent at their times, whatever the sink asks for. */
  private static final class OpenLoop implements Subscription {
    @Override
    public void request(long records) {
      // The rate is given.
    }

    @Override
    public void cancel() {
      throw new IllegalStateException("the sink has cancelled the source");
    }
  }
}
