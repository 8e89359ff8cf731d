package dev.headrace.benchmarks.migration;

import dev.headrace.api.Cache;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.peer.Waiting;
import dev.headrace.cluster.node.NodeTuning;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What exactly-once walks over the whole cache deliver while segments move, and what they deliver
 * before and after.
 *
 * <p>Four threads walk without a pause, from a node that stays; a node joins and leaves in order,
 * again and again. Counted is what was delivered between the start of the first and the end of the
 * last migration of each change; the quiet rate is taken right before each change. A walk that does
 * not deliver every entry exactly once fails the measurement.
 */
final class StreamRates {

  private static final int NODES = 4;
  private static final int OWNERS = 2;
  private static final int THREADS = 4;
  private static final int LIMIT_SECONDS = 60;
  private static final int WARMUP_MILLIS = 3000;
  private static final long LOOK_NANOS = 2_000_000;

  private final Entries entries;
  private final LongAdder delivered = new LongAdder();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean stopped;
  private double quietSeconds;
  private double quietEntries;
  private double movingSeconds;
  private double movingEntries;

  private StreamRates(Entries entries) {
    this.entries = entries;
  }

  /**
   * Measures.
   *
   * @param message {@code segments}, {@code entries}, {@code bytes} of a value, {@code cycles},
   *     {@code quiet} milliseconds before each change
   */
  static HarnessMessage measure(HarnessMessage message) throws InterruptedException {
    Entries entries = new Entries(message.whole("entries"), message.whole("bytes"));
    return new StreamRates(entries)
        .run(message.whole("segments"), message.whole("cycles"), message.whole("quiet"));
  }

  private HarnessMessage run(int segments, int cycles, int quietMillis)
      throws InterruptedException {
    try (HeadraceNodes nodes =
        new HeadraceNodes(segments, OWNERS, NodeTuning.defaults().withHoldNanos(0))) {
      nodes.start(NODES);
      nodes.load(entries);
      Thread[] walkers = new Thread[THREADS];
      for (int i = 0; i < THREADS; i++) {
        walkers[i] = new Thread(() -> walk(nodes.cache(0)), "walker-" + i);
        walkers[i].start();
      }
      try {
        Waiting.pass(WARMUP_MILLIS);
        for (int i = 0; i < cycles; i++) {
          change(nodes, quietMillis, () -> nodes.start(1));
          change(nodes, quietMillis, nodes::leave);
        }
      } finally {
        stopped = true;
        for (Thread walker : walkers) {
          walker.join();
        }
      }
    }
    rethrow();
    double quiet = quietEntries / quietSeconds;
    double moving = movingEntries / movingSeconds;
    return HarnessMessage.of("measured")
        .with("quiet", quiet)
        .with("moving", moving)
        .with("movingSeconds", movingSeconds)
        .with("share", moving / quiet);
  }

  private void change(HeadraceNodes nodes, int quietMillis, Runnable change)
      throws InterruptedException {
    long before = delivered.sum();
    long quietFrom = System.nanoTime();
    Waiting.pass(quietMillis);
    quietEntries += delivered.sum() - before;
    quietSeconds += (System.nanoTime() - quietFrom) / 1e9;
    nodes.watch().reset();
    Sampler sampler = new Sampler(nodes.watch());
    sampler.start();
    change.run();
    boolean level = nodes.awaitLevel(LIMIT_SECONDS);
    sampler.finish();
    if (!level) {
      throw new IllegalStateException("The segments were not level within a minute");
    }
    rethrow();
  }

  private void walk(Cache<String, byte[]> cache) {
    try {
      while (!stopped) {
        int count = 0;
        try (CloseableIterator<Map.Entry<String, byte[]>> walk =
            cache.stream().entries().iterator()) {
          while (walk.hasNext() && !stopped) {
            walk.next();
            delivered.increment();
            count++;
          }
        }
        if (!stopped && count != entries.count()) {
          throw new IllegalStateException(
              "A walk delivered " + count + " of " + entries.count() + " entries");
        }
      }
    } catch (RuntimeException | Error e) { // the measuring thread throws it
      failure.compareAndSet(null, e);
    }
  }

  private void rethrow() {
    Throwable cause = failure.get();
    if (cause != null) {
      throw new IllegalStateException("A walk failed while segments moved", cause);
    }
  }

  /** Looks at the counter when the first migration has started and whenever one was over. */
  private final class Sampler extends Thread {
    private final TableWatch watch;
    private volatile boolean finished;

    Sampler(TableWatch watch) {
      super("sampler");
      this.watch = watch;
    }

    void finish() throws InterruptedException {
      finished = true;
      join();
    }

    @Override
    public void run() {
      long firstNanos = 0;
      long firstCount = 0;
      long lastNanos = 0;
      long lastCount = 0;
      while (!finished) {
        long nowNanos = System.nanoTime();
        long count = delivered.sum();
        if (firstNanos == 0 && watch.log().hasBegun()) {
          firstNanos = nowNanos;
          firstCount = count;
        }
        if (lastNanos == 0 || nowNanos - watch.log().lastDoneNanos() < 2 * LOOK_NANOS) {
          lastNanos = nowNanos;
          lastCount = count;
        }
        LockSupport.parkNanos(LOOK_NANOS);
      }
      if (firstNanos != 0) {
        movingSeconds += (lastNanos - firstNanos) / 1e9;
        movingEntries += lastCount - firstCount;
      }
    }
  }
}
