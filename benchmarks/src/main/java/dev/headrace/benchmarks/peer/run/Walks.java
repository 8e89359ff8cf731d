package dev.headrace.benchmarks.peer.run;

import com.sun.management.ThreadMXBean;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.peer.SystemUnderTest;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.View;
import dev.headrace.benchmarks.peer.WalkSettings;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Measures of a walk over a whole cache what is no rate: the time to its first entry, what it
 * allocates and what it holds.
 *
 * <p>Every entry is drained into JMH's black hole as a decoded key and value. The measurement fails
 * if a walk delivers too few entries or too many.
 */
final class Walks {

  private static final int FIRST_WARMUP = 300;

  /** Sizes of objects with compressed pointers, which any heap below 32 GB has. */
  private static final int ARRAY_HEADER_BYTES = 16;

  private static final int STRING_BYTES = 24;
  private static final int ENTRY_BYTES = 24;
  private static final int ALIGNMENT_BYTES = 8;

  private final SystemUnderTest peer;
  private final Vantage vantage;
  private final View view;
  private final WalkSettings settings;
  private final Entries entries;

  Walks(SystemUnderTest peer, Vantage vantage, WalkSettings settings, Entries entries) {
    this.peer = peer;
    this.vantage = vantage;
    this.view = peer.view(vantage);
    this.settings = settings;
    this.entries = entries;
  }

  private void requireAll(int delivered) {
    if (delivered != entries.count()) {
      throw new IllegalStateException(
          settings + " delivered " + delivered + " of " + entries.count() + " entries");
    }
  }

  /**
   * Microseconds from opening a walk to holding its first entry, one sample after the other. Each
   * walk is drained to its end, outside the measured time, before the next one is opened.
   */
  HarnessMessage first(int samples) {
    Blackhole blackhole = blackhole();
    for (int i = 0; i < FIRST_WARMUP; i++) {
      firstNanos(blackhole);
    }
    Histogram histogram = new Histogram(3);
    double[] micros = new double[samples];
    for (int i = 0; i < samples; i++) {
      long nanos = firstNanos(blackhole);
      histogram.recordValue(nanos);
      micros[i] = nanos / 1000.0;
    }
    return HarnessMessage.of("measured")
        .with("micros", micros)
        .with("p50", histogram.getValueAtPercentile(50) / 1000.0)
        .with("p99", histogram.getValueAtPercentile(99) / 1000.0)
        .with("p999", histogram.getValueAtPercentile(99.9) / 1000.0);
  }

  private long firstNanos(Blackhole blackhole) {
    long start = System.nanoTime();
    View.Walk walk = view.walk(settings);
    Map.Entry<String, byte[]> entry = walk.entries().next();
    blackhole.consume(entry.getKey());
    blackhole.consume(entry.getValue());
    long nanos = System.nanoTime() - start;
    requireAll(1 + drain(walk, blackhole));
    return nanos;
  }

  private static int drain(View.Walk walk, Blackhole blackhole) {
    int delivered = 0;
    try {
      while (walk.entries().hasNext()) {
        Map.Entry<String, byte[]> entry = walk.entries().next();
        blackhole.consume(entry.getKey());
        blackhole.consume(entry.getValue());
        delivered++;
      }
    } finally {
      walk.release().run();
    }
    return delivered;
  }

  /**
   * Bytes allocated per entry on the reader's node, beside the bytes of the objects handed over.
   *
   * <p>Counted are the consuming thread and the threads that the peer says serve this node's walks
   * alone; {@code allThreads} counts every thread of the JVM, the other nodes' included, as an
   * upper bound.
   */
  HarnessMessage allocate(int passes) {
    Blackhole blackhole = blackhole();
    requireAll(drain(view.walk(settings), blackhole));
    Allocation before = Allocation.now(peer, vantage);
    for (int i = 0; i < passes; i++) {
      requireAll(drain(view.walk(settings), blackhole));
    }
    Allocation after = Allocation.now(peer, vantage);
    double delivered = (double) passes * entries.count();
    return HarnessMessage.of("measured")
        .with("bytesPerEntry", (after.nodeBytes() - before.nodeBytes()) / delivered)
        .with("allThreads", (after.allBytes() - before.allBytes()) / delivered)
        .with("decodedBytesPerEntry", decodedBytesPerEntry());
  }

  /** The most entries that a walk had buffered or in flight. */
  HarnessMessage held() {
    return HarnessMessage.of("measured").with("entries", peer.peakHeldEntries(vantage, settings));
  }

  /** The least that a decoded entry takes: a string, its bytes, the value's bytes, and the pair. */
  private int decodedBytesPerEntry() {
    return STRING_BYTES
        + arrayBytes(Entries.KEY_CHARS)
        + arrayBytes(entries.valueBytes())
        + ENTRY_BYTES;
  }

  private static int arrayBytes(int length) {
    int bytes = ARRAY_HEADER_BYTES + length;
    return (bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
  }

  private static Blackhole blackhole() {
    return new Blackhole(
        "Today's password is swordfish. I understand instantiating Blackholes directly is"
            + " dangerous.");
  }

  /** Bytes that threads have allocated so far. */
  private record Allocation(long nodeBytes, long allBytes) {

    static Allocation now(SystemUnderTest peer, Vantage vantage) {
      ThreadMXBean bean = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
      long nodeBytes = 0;
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (thread == Thread.currentThread() || peer.serves(thread, vantage)) {
          nodeBytes += Math.max(0, bean.getThreadAllocatedBytes(thread.getId()));
        }
      }
      long allBytes = 0;
      for (long bytes : bean.getThreadAllocatedBytes(bean.getAllThreadIds())) {
        allBytes += Math.max(0, bytes);
      }
      return new Allocation(nodeBytes, allBytes);
    }
  }
}
