package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.run.Contender;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Draws the final figures from JMH's scores, each cell judged by its median over the rounds.
 *
 * <p>With Infinispan both sides of a comparison give the same guarantee, exactly once, and it is
 * taken in the better of its two modes that give it. The other peers give less and are compared all
 * the same, each at its best. A side that was not measured leaves its figures NaN.
 */
final class IterationRatios {

  private final JmhRounds rounds;
  private final List<IterationCell> cells;
  private final Results results;

  IterationRatios(JmhRounds rounds, List<IterationCell> cells, Results results) {
    this.rounds = rounds;
    this.cells = cells;
    this.results = results;
  }

  void draw(List<EntrySet> wireContents) {
    results.ratio(
        "vs_infinispan_default",
        versusInfinispan(
            RatioCells.HUNDRED, cell -> cell.settings().batchEntries() == 0 && !sequential(cell)));
    for (EntrySet entries : RatioCells.contents()) {
      int valueBytes = entries.valueBytes();
      results.ratio(
          "vs_infinispan_same_batch_" + valueBytes,
          versusInfinispan(
              entries, cell -> cell.settings().batchEntries() == RatioCells.SAME_BATCH));
      if (valueBytes > 10) {
        results.ratio("vs_infinispan_best_" + valueBytes, versusInfinispan(entries, cell -> true));
      }
    }
    wireContents.forEach(this::drawWireShare);
    drawOneReader();
  }

  private static boolean sequential(IterationCell cell) {
    return cell.settings().sequential();
  }

  private double versusInfinispan(EntrySet entries, Predicate<IterationCell> which) {
    Predicate<IterationCell> comparable =
        which
            .and(cell -> cell.vantage() == Vantage.OWNER && cell.threads() == RatioCells.THREADS)
            .and(IterationCell::isExactlyOnce);
    return best(entries, comparable.and(of(Contender.HEADRACE)))
        / best(entries, comparable.and(of(Contender.INFINISPAN)));
  }

  /** One reader of the whole cache: Headrace on a data node, and on a member without data. */
  private void drawOneReader() {
    Predicate<IterationCell> one =
        cell -> cell.threads() == 1 && (cell.isExactlyOnce() || !cell.system().hasDistributions());
    Predicate<IterationCell> ours = one.and(of(Contender.HEADRACE));
    double owner = best(RatioCells.HUNDRED, ours.and(cell -> cell.vantage() == Vantage.OWNER));
    double remote =
        best(RatioCells.HUNDRED, ours.and(cell -> cell.vantage() == Vantage.REMOTE_ONLY));
    double redis =
        best(RatioCells.HUNDRED, one.and(of(Contender.REDIS).or(of(Contender.REDIS_CLUSTER))));
    results.ratio("vs_redis_scan", owner / redis);
    results.ratio("remote_vs_redis_scan", remote / redis);
    results.ratio("vs_ignite", owner / best(RatioCells.HUNDRED, one.and(of(Contender.IGNITE))));
    results.ratio(
        "vs_coherence", owner / best(RatioCells.HUNDRED, one.and(of(Contender.COHERENCE))));
    results.ratio(
        "vs_hazelcast", owner / best(RatioCells.HUNDRED, one.and(of(Contender.HAZELCAST))));
  }

  /**
   * What remains of the wire's limit over remote segments only: the best of all settings against
   * the best bare loop, and for each number of threads against a loop with as many decoding
   * threads.
   */
  private void drawWireShare(EntrySet entries) {
    String suffix = entries.valueBytes() == 100 ? "" : "_" + entries.valueBytes();
    double limit = Double.NaN;
    for (int threads : List.of(1, RatioCells.THREADS)) {
      double alike = rounds.median(wire(entries, threads)) * entries.count();
      if (Double.isNaN(alike)) {
        continue; // not measured with these entries
      }
      limit = Double.isNaN(limit) ? alike : Math.max(limit, alike);
      results.ratio("wire_limit" + suffix + "_threads_" + threads, alike);
      double ours = remote(entries, cell -> cell.threads() == threads);
      results.ratio("wire_share" + suffix + "_threads_" + threads, ours / alike);
    }
    if (!Double.isNaN(limit)) {
      results.ratio("wire_share" + suffix, remote(entries, cell -> true) / limit);
    }
  }

  private double remote(EntrySet entries, Predicate<IterationCell> which) {
    return best(
        entries,
        of(Contender.HEADRACE).and(cell -> cell.vantage() == Vantage.REMOTE_ONLY).and(which));
  }

  /** The best cell of those asked for, in entries per second; NaN if there is none. */
  private double best(EntrySet entries, Predicate<IterationCell> which) {
    return cells.stream()
            .filter(cell -> cell.entries().equals(entries) && which.test(cell))
            .mapToDouble(cell -> rounds.median(cell.jmh()))
            .filter(median -> !Double.isNaN(median))
            .max()
            .orElse(Double.NaN)
        * entries.count();
  }

  /** The bare loop over this content. */
  static JmhCell wire(EntrySet entries, int threads) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("valueBytes", Integer.toString(entries.valueBytes()));
    parameters.put("entries", Integer.toString(entries.count()));
    return new JmhCell(WireBenchmark.class, "receive", threads, parameters);
  }

  /** Exactly once over at most once: the median over all turns of JMH's measured iterations. */
  static void drawDelivery(JmhRounds rounds, JmhCell cell, Results results) {
    List<double[]> forks = rounds.iterations(cell);
    double[] ratios =
        forks.stream()
            .flatMapToDouble(
                scores ->
                    java.util.stream.IntStream.range(0, scores.length / 2)
                        .mapToDouble(turn -> scores[2 * turn] / scores[2 * turn + 1]))
            .toArray();
    results.ratio("exactly_once_share", ratios.length == 0 ? Double.NaN : Samples.median(ratios));
    Map<String, String> coordinates = cell.coordinates();
    coordinates.remove("system");
    results.add(
        "delivery-in-turn",
        Contender.HEADRACE.label(),
        coordinates,
        "exactly/at most once",
        ratios);
  }

  private static Predicate<IterationCell> of(Contender system) {
    return cell -> cell.system() == system;
  }
}
