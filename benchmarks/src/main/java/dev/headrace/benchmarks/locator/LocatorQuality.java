package dev.headrace.benchmarks.locator;

import dev.headrace.benchmarks.harness.Measurement;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.placement.ring.RingAlgorithm;
import dev.headrace.rebalance.placement.ring.RingLocator;
import dev.headrace.rebalance.placement.ring.RingStructure;
import dev.headrace.rebalance.placement.segment.LocatorKind;
import dev.headrace.rebalance.placement.segment.LocatorPlacement;
import dev.headrace.rebalance.placement.segment.SegmentLocator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/** Counts how well keys are spread and kept, and how often the first proposal was wrong. */
final class LocatorQuality {

  private static final List<Integer> NODES = List.of(10, 120, 1000);
  private static final int SEGMENTS = 10_000;
  private static final int POSITIONS = 1_000_000;
  private static final String DEFAULT = "segment-table, 10,000";
  private static final List<Double> BOUNDS = List.of(1.1, 1.25);

  private final Results results;
  private final Table spread =
      new Table(1, "locator", "nodes", "max/mean", "join", "leave", "removal", "build ms", "bytes");
  private final Table faults =
      new Table(1, "ring", "nodes", "previous node %", "ceiling %", "exact %", "max/mean");

  LocatorQuality(Results results) {
    this.results = results;
  }

  /** Counts everything; in a quick run only what the figures need. */
  void run(boolean quick) {
    kinds(quick)
        .forEach(
            (name, kind) -> {
              for (int nodes : NODES) {
                note(name, nodes, Quality.of(kind, nodes));
              }
            });
    System.out.println(spread);
    for (RingAlgorithm algorithm : RingAlgorithm.values()) {
      for (int nodes : List.of(10, 120)) {
        faults(algorithm, nodes);
      }
    }
    System.out.println(faults);
  }

  private static Map<String, Quality.Kind> kinds(boolean quick) {
    Map<String, Quality.Kind> kinds = new LinkedHashMap<>();
    kinds.put(
        DEFAULT, nodes -> SegmentLocator.placed(new WeightedRendezvous(), SEGMENTS, 1, nodes));
    if (quick) {
      return kinds;
    }
    for (double bound : BOUNDS) {
      LocatorPlacement bounded = new LocatorPlacement(LocatorKind.KETAMA_XXH3::locator, bound);
      kinds.put("ketama-xxh3 table, bound " + bound, new PlacedAnew(bounded, SEGMENTS));
    }
    for (LocatorKind kind : LocatorKind.values()) {
      if (kind != LocatorKind.SEGMENT_TABLE) {
        kinds.put(kind.toString(), kind::locator);
      }
    }
    return kinds;
  }

  private void note(String name, int nodes, Quality quality) {
    spread.row(
        name,
        nodes,
        decimal(quality.balance()),
        decimal(quality.joinMoved()),
        decimal(quality.leaveMoved()),
        decimal(quality.removalMoved()),
        decimal(quality.buildMillis()),
        quality.bytes());
    add(name, nodes, "balance", quality.balance());
    add(name, nodes, "moved on a join", quality.joinMoved());
    add(name, nodes, "moved on a leave", quality.leaveMoved());
    add(name, nodes, "moved on a removal", quality.removalMoved());
    add(name, nodes, "build ms", quality.buildMillis());
    add(name, nodes, "bytes held", (double) quality.bytes());
    if (name.equals(DEFAULT)) {
      results.raise("moved_over_bound", quality.moved());
      results.raise("balance", segmentBalance(nodes));
    }
  }

  /** The fullest node's segments over the mean: without the chance of which keys there are. */
  private static double segmentBalance(int count) {
    SegmentLocator locator =
        SegmentLocator.placed(new WeightedRendezvous(), SEGMENTS, 1, Subject.nodes(count));
    int[] segments = new int[count];
    int most = 0;
    for (int segment = 0; segment < SEGMENTS; segment++) {
      most = Math.max(most, ++segments[locator.primary(segment)]);
    }
    return (double) most * count / SEGMENTS;
  }

  /** How many positions the first proposal's look-up gives to another node than the ring does. */
  private void faults(RingAlgorithm algorithm, int nodes) {
    RingLocator locator = RingLocator.of(algorithm, RingStructure.DIRECT, Subject.nodes(nodes));
    SeedDirect previous = new SeedDirect(locator.ring(), SeedDirect.Choice.PREVIOUS);
    SeedDirect ceiling = new SeedDirect(locator.ring(), SeedDirect.Choice.CEILING);
    RingLocator tree = RingLocator.of(algorithm, RingStructure.TREE, Subject.nodes(nodes));
    int[] wrong = new int[3];
    int[] keys = new int[nodes];
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < POSITIONS; i++) {
      int position = random.nextInt();
      long hash = ((long) position << 32) | (position & 0xffff_ffffL);
      int right = tree.locate(hash);
      wrong[0] += previous.node(position) == right ? 0 : 1;
      wrong[1] += ceiling.node(position) == right ? 0 : 1;
      wrong[2] += locator.locate(hash) == right ? 0 : 1;
      keys[right]++;
    }
    int most = 0;
    for (int count : keys) {
      most = Math.max(most, count);
    }
    double balance = (double) most * nodes / POSITIONS;
    faults.row(
        algorithm,
        nodes,
        percent(wrong[0]),
        percent(wrong[1]),
        percent(wrong[2]),
        decimal(balance));
    add(algorithm + "/direct of the seed", nodes, "wrong", (double) wrong[0] / POSITIONS);
    add(algorithm + "/ceiling", nodes, "wrong", (double) wrong[1] / POSITIONS);
    add(algorithm + "/direct", nodes, "wrong", (double) wrong[2] / POSITIONS);
  }

  private void add(String system, int nodes, String question, double value) {
    results.add(
        new Measurement(
            question, system, Map.of("nodes", Integer.toString(nodes)), "", List.of(value)));
  }

  private static String percent(int count) {
    return String.format(Locale.ROOT, "%.2f", 100.0 * count / POSITIONS);
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }
}
