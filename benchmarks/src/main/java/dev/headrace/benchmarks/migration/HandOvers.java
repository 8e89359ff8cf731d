package dev.headrace.benchmarks.migration;

import dev.headrace.api.Cache;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.migration.ClientLoad.Timing;
import dev.headrace.benchmarks.migration.TableWatch.HandOver;
import dev.headrace.benchmarks.peer.Waiting;
import dev.headrace.cluster.node.NodeTuning;
import dev.headrace.stream.entry.HashSpace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * How long writes wait when the owners of their segment change, and what reads and writes take
 * meanwhile.
 *
 * <p>Three nodes hold segments of a given size; a fourth joins and leaves in order, again and
 * again, under a load of single reads and writes. The pause of a hand-over is the longest of the
 * writes to its segment that were under way between the moment at which the first node knew the new
 * owners and {@value #AFTER_MILLIS} ms after the last one did; a hand-over that met no write counts
 * for nothing.
 */
final class HandOvers {

  private static final int NODES = 3;
  private static final int OWNERS = 2;
  private static final int CLIENTS = 6;
  private static final int AFTER_MILLIS = 5;
  private static final int LIMIT_SECONDS = 60;
  private static final int DIGITS = 3;

  private final int segments;
  private final Entries entries;
  private final int cycles;
  private final int warmupCycles;
  private final int quietMillis;
  private final List<long[]> busy = new ArrayList<>();
  private final List<HandOver> handOvers = new ArrayList<>();

  private HandOvers(int segments, Entries entries, int cycles, int warmupCycles, int quietMillis) {
    this.segments = segments;
    this.entries = entries;
    this.cycles = cycles;
    this.warmupCycles = warmupCycles;
    this.quietMillis = quietMillis;
  }

  /**
   * Measures.
   *
   * @param message {@code segments}, {@code segmentBytes}, {@code bytes} of a value, {@code
   *     cycles}, {@code warmup} cycles before these, {@code quiet} milliseconds without a change
   */
  static HarnessMessage measure(HarnessMessage message) throws InterruptedException {
    int segments = message.whole("segments");
    int valueBytes = message.whole("bytes");
    long count = (long) segments * message.whole("segmentBytes") / valueBytes;
    Entries entries = new Entries(Math.toIntExact(count), valueBytes);
    return new HandOvers(
            segments,
            entries,
            message.whole("cycles"),
            message.whole("warmup"),
            message.whole("quiet"))
        .run();
  }

  private HarnessMessage run() throws InterruptedException {
    try (HeadraceNodes nodes =
        new HeadraceNodes(segments, OWNERS, NodeTuning.defaults().withHoldNanos(0))) {
      nodes.start(NODES);
      nodes.load(entries);
      require(nodes.awaitLevel(LIMIT_SECONDS), "three nodes");
      HashSpace space = new HashSpace(segments, nodes.watch().table().hashSeed());
      List<Cache<String, byte[]>> caches = new ArrayList<>();
      for (int i = 0; i < NODES; i++) {
        caches.add(nodes.cache(i));
      }
      load(nodes, caches, space, warmupCycles); // counts for nothing
      return report(load(nodes, caches, space, cycles));
    }
  }

  private List<Timing> load(
      HeadraceNodes nodes, List<Cache<String, byte[]>> caches, HashSpace space, int times)
      throws InterruptedException {
    busy.clear();
    handOvers.clear();
    ClientLoad load = new ClientLoad(caches, entries, space, CLIENTS);
    try (load) {
      Waiting.pass(quietMillis);
      for (int i = 0; i < times; i++) {
        cycle(nodes);
      }
    }
    return load.timings();
  }

  private void cycle(HeadraceNodes nodes) {
    busy(nodes, () -> nodes.start(1));
    busy(nodes, nodes::leave);
  }

  private void busy(HeadraceNodes nodes, Runnable change) {
    nodes.watch().reset();
    change.run();
    require(nodes.awaitLevel(LIMIT_SECONDS), nodes.size() + " nodes");
    handOvers.addAll(nodes.watch().handOvers());
    busy.add(new long[] {nodes.watch().log().firstNanos(), nodes.watch().log().lastDoneNanos()});
  }

  private static void require(boolean level, String what) {
    if (!level) {
      throw new IllegalStateException(
          "The segments were not level on " + what + " within " + LIMIT_SECONDS + " s");
    }
  }

  private HarnessMessage report(List<Timing> timings) {
    Histogram pauses = pauses(timings);
    HarnessMessage report =
        MigrationLog.add(HarnessMessage.of("measured"), "pause", pauses)
            .with("handOvers", handOvers.size())
            .with("busyMillis", busy.stream().mapToLong(b -> (b[1] - b[0]) / 1_000_000).sum())
            .with("met", pauses.getTotalCount());
    for (boolean write : new boolean[] {false, true}) {
      String name = write ? "put" : "get";
      report = MigrationLog.add(report, name + "Busy", latencies(timings, write, true));
      report = MigrationLog.add(report, name + "Quiet", latencies(timings, write, false));
    }
    return report;
  }

  private Histogram pauses(List<Timing> timings) {
    Map<Integer, List<Timing>> writes = new HashMap<>();
    for (Timing timing : timings) {
      if (timing.write()) {
        writes.computeIfAbsent(timing.segment(), segment -> new ArrayList<>()).add(timing);
      }
    }
    Histogram pauses = new Histogram(DIGITS);
    for (HandOver handOver : handOvers) {
      long until = handOver.lastNanos() + TimeUnit.MILLISECONDS.toNanos(AFTER_MILLIS);
      writes.getOrDefault(handOver.segment(), List.of()).stream()
          .filter(write -> write.endNanos() - handOver.firstNanos() >= 0)
          .filter(write -> write.beginNanos() - until <= 0)
          .mapToLong(Timing::nanos)
          .max()
          .ifPresent(pauses::recordValue);
    }
    return pauses;
  }

  private Histogram latencies(List<Timing> timings, boolean writes, boolean moving) {
    Histogram latencies = new Histogram(DIGITS);
    for (Timing timing : timings) {
      if (timing.write() == writes && isBusy(timing) == moving) {
        latencies.recordValue(timing.nanos());
      }
    }
    return latencies;
  }

  private boolean isBusy(Timing timing) {
    return busy.stream()
        .anyMatch(span -> timing.endNanos() >= span[0] && timing.beginNanos() <= span[1]);
  }
}
