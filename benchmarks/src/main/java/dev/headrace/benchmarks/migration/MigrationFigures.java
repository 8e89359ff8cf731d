package dev.headrace.benchmarks.migration;

import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Measurement;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Keeps what the forks found, and draws the figures of the last line. Used by the comparison. */
final class MigrationFigures {

  private static final double MICROS_PER_MILLI = 1000;

  /** What the sizes are compared with: their members share the processor as one another's do. */
  private static final int FLAT_MEMBERS = 10;

  private record Grown(MigrationSystem system, JoinCase shape) {}

  private final Results results;
  private final Map<Grown, List<Double>> means = new LinkedHashMap<>();
  private final List<Double> streamShares = new ArrayList<>();
  private final List<Double> repairs = new ArrayList<>();
  private final Table joins =
      new Table(
          1,
          "system",
          "members",
          "segments",
          "owners",
          "held",
          "done",
          "migrations",
          "seconds",
          "mean µs",
          "gap p99",
          "time p50",
          "time p99",
          "bytes/migr.",
          "lag p99 ms");
  private final Map<JoinCase, List<Double>> flatMeans = new LinkedHashMap<>();
  private final Table others = new Table(2, "what", "of", "p50", "p99", "max", "count");

  MigrationFigures(Results results) {
    this.results = results;
  }

  /** A cluster has grown, or its time was over. */
  void grown(MigrationSystem system, JoinCase asked, HarnessMessage grown) {
    JoinCase shape = asked.limited(0); // a limit does not make another case
    boolean complete = Boolean.parseBoolean(grown.text("complete"));
    if (complete || system == MigrationSystem.FULL_TABLE) {
      means
          .computeIfAbsent(new Grown(system, shape), key -> new ArrayList<>())
          .add(grown.number("mean"));
    }
    System.out.printf(
        "%s, %s: %s migrations, %s µs each%n",
        system.label(), shape, grown.text("migrations"), grown.text("mean"));
    Map<String, String> parameters = shape.parameters();
    parameters.put("complete", Boolean.toString(complete));
    for (String field : grown.fields().keySet()) {
      if (!field.equals("complete") && !field.equals("disturbed")) {
        note(field, system.label(), parameters, unit(field), grown.number(field));
      }
    }
    boolean ours = grown.fields().containsKey("bytesPerMigration");
    joins.row(
        system.label(),
        shape.members(),
        shape.segments(),
        shape.owners(),
        shape.held(),
        complete ? "all" : "cut",
        grown.whole("migrations"),
        text(grown.number("seconds")),
        text(grown.number("mean")),
        text(grown.number("gapP99")),
        text(grown.number("timeP50")),
        text(grown.number("timeP99")),
        ours ? text(grown.number("bytesPerMigration")) : "",
        ours ? text(grown.number("lagP99")) : "");
    if (system == MigrationSystem.HEADRACE) {
      bars(shape, complete, grown);
    }
  }

  /**
   * A cluster has grown with the usual collector, whose throughput does not depend on how much of
   * the heap is taken.
   */
  void flat(JoinCase shape, HarnessMessage grown) {
    if (!Boolean.parseBoolean(grown.text("complete"))) {
      throw new IllegalStateException("Not finished in time: " + shape + ": " + grown);
    }
    flatMeans.computeIfAbsent(shape, key -> new ArrayList<>()).add(grown.number("mean"));
    System.out.printf("flat, %s: %s µs each%n", shape, grown.text("mean"));
    note("mean", "headrace-g1", shape.parameters(), "µs", grown.number("mean"));
    others.row(
        "mean per migration, µs",
        shape.members() + " members, " + shape.segments() + " segments",
        text(median(flatMeans.getOrDefault(shape, List.of()))),
        "",
        "",
        grown.whole("migrations"));
  }

  private void bars(JoinCase shape, boolean complete, HarnessMessage grown) {
    if (!complete) {
      System.out.println("Not finished in time: " + shape + ": " + grown);
      return;
    }
    if (shape.held()) {
      results.raise("moves_over_bound", grown.number("migrations") / shape.leastMoves());
    }
    results.raise("bytes_per_migration", grown.number("bytesPerMigration"));
    results.raise("image_bytes_per_replica", grown.number("imageBytes"));
    results.raise("publish_lag_p99_ms", grown.number("lagP99"));
    if (grown.fields().containsKey("crashLost")) {
      results.raise(
          "crash_moves_over_bound", grown.number("crashCopies") / grown.number("crashLost"));
    }
  }

  private static String unit(String field) {
    if (field.startsWith("gap") || field.startsWith("time") || field.equals("mean")) {
      return "µs";
    }
    if (field.startsWith("lag")) {
      return "ms";
    }
    if (field.endsWith("econds")) {
      return "s";
    }
    return field.contains("ytes") ? "bytes" : "count";
  }

  /** What more members than run here would move, and what that would publish. */
  void virtual(JoinCase shape, HarnessMessage measured) {
    Map<String, String> parameters = shape.parameters();
    measured
        .fields()
        .keySet()
        .forEach(
            field -> note("virtual " + field, "headrace", parameters, "", measured.number(field)));
    String of = shape.members() + " members, " + shape.segments() + " segments";
    others.row(
        "moves on joins / bound",
        of,
        ratio(measured, "migrations", shape.leastMoves()),
        "",
        "",
        "");
    others.row(
        "moves on leave / bound",
        of,
        ratio(measured, "leaveCopies", measured.number("leaveOwned")),
        "",
        "",
        "");
    others.row(
        "moves on crash / lost",
        of,
        ratio(measured, "crashCopies", measured.number("crashLost")),
        "",
        "",
        "");
    others.row("bytes/migration", of, text(measured.number("bytesPerMigration")), "", "", "");
    share("messagesPerMove", "agreement_messages_per_move", of, measured);
    share("agreementBytesPerMove", "agreement_bytes_per_move", of, measured);
    results.raise("moves_over_bound", measured.number("migrations") / shape.leastMoves());
    results.raise(
        "moves_over_bound", measured.number("leaveCopies") / measured.number("leaveOwned"));
    results.raise(
        "crash_moves_over_bound", measured.number("crashCopies") / measured.number("crashLost"));
    results.raise("bytes_per_migration", measured.number("bytesPerMigration"));
    results.raise("image_bytes_per_replica", measured.number("imageBytes"));
  }

  /** What one member has to do for the agreement on one move; the worst case counts. */
  private void share(String field, String key, String of, HarnessMessage measured) {
    double count = measured.number(field);
    others.row(field + " and member", of, String.format(Locale.ROOT, "%.3f", count), "", "", "");
    results.raise(key, count);
  }

  private static String ratio(HarnessMessage measured, String field, double bound) {
    return text(measured.number(field)) + " / " + text(bound);
  }

  /** What a table of a size costs. */
  void table(int segments, HarnessMessage measured) {
    Map<String, String> parameters = Map.of("segments", Integer.toString(segments));
    double stamp = Samples.median(measured.numbers("stamp"));
    note("stamp", "headrace", parameters, "ns", measured.numbers("stamp"));
    note("apply", "headrace", parameters, "ns", measured.numbers("apply"));
    note("deltaBytes", "headrace", parameters, "bytes", measured.number("deltaBytes"));
    note("imageBytes", "headrace", parameters, "bytes", measured.number("imageBytes"));
    results.raise("stamp_ns", stamp);
    results.raise("image_bytes_per_replica", measured.number("imageBytes"));
    String size = segments + " segments";
    others.row("stamp of a change, ns", size, text(stamp), "", "", "");
    double apply = Samples.median(measured.numbers("apply"));
    others.row("whole change, ns", size, text(apply), "", "", "");
    others.row("delta, bytes/row", size, text(measured.number("deltaBytes")), "", "", "");
    others.row("image, bytes/replica", size, text(measured.number("imageBytes")), "", "", "");
  }

  /** What it took to repair one row. */
  void repair(HarnessMessage measured) {
    repairs.add(measured.number("bytes"));
    note("repair", "headrace", Map.of("segments", "10000"), "bytes", measured.number("bytes"));
    others.row(
        "repair of a row, bytes", "10000 segments", text(measured.number("bytes")), "", "", "");
  }

  /** How long writes waited. */
  void pauses(int mebibytes, HarnessMessage measured) {
    Map<String, String> parameters = Map.of("segmentMiB", Integer.toString(mebibytes));
    measured
        .fields()
        .forEach(
            (field, value) ->
                note(field, "headrace", parameters, "µs or count", measured.number(field)));
    String of = mebibytes + " MiB segments";
    histogram("write pause, ms", of, "pause", measured, measured.text("met"));
    for (String name : List.of("getBusy", "getQuiet", "putBusy", "putQuiet")) {
      histogram(name + ", ms", of, name, measured, "");
    }
    if (measured.number("met") > 0) {
      results.raise("pause_p99_ms", measured.number("pauseP99") / MICROS_PER_MILLI);
      results.raise("pause_max_ms", measured.number("pauseMax") / MICROS_PER_MILLI);
    }
  }

  private void histogram(
      String what, String of, String name, HarnessMessage measured, String count) {
    others.row(
        what,
        of,
        text(measured.number(name + "P50") / MICROS_PER_MILLI),
        text(measured.number(name + "P99") / MICROS_PER_MILLI),
        text(measured.number(name + "Max") / MICROS_PER_MILLI),
        count);
  }

  /** What streams delivered. */
  void streams(HarnessMessage measured) {
    streamShares.add(measured.number("share"));
    for (String field : List.of("quiet", "moving", "share", "movingSeconds")) {
      note("stream " + field, "headrace", Map.of(), "entries/s or share", measured.number(field));
    }
    others.row("stream, entries/s", "quiet", text(measured.number("quiet")), "", "", "");
    others.row("stream, entries/s", "moving", text(measured.number("moving")), "", "", "");
  }

  private void note(
      String question,
      String system,
      Map<String, String> parameters,
      String unit,
      double... samples) {
    List<Double> finite = Arrays.stream(samples).filter(Double::isFinite).boxed().toList();
    if (!finite.isEmpty()) {
      results.add(new Measurement(question, system, parameters, unit, finite));
    }
  }

  /** Draws the ratios between medians. */
  void draw(JoinCase compared) {
    double ours = median(MigrationSystem.HEADRACE, compared);
    results.ratio("vs_hazelcast", median(MigrationSystem.HAZELCAST, compared) / ours);
    results.ratio("vs_full_table", median(MigrationSystem.FULL_TABLE, compared) / ours);
    means.keySet().stream()
        .filter(grown -> grown.system() == MigrationSystem.HEADRACE)
        .forEach(grown -> drawAll(grown.shape()));
    drawFlatness();
    if (!streamShares.isEmpty()) {
      results.ratio("stream_share", median(streamShares));
    }
    if (!repairs.isEmpty()) {
      results.ratio("repair_bytes", median(repairs));
    }
  }

  /** The ratios of one case, under names of their own. */
  private void drawAll(JoinCase shape) {
    for (MigrationSystem other : List.of(MigrationSystem.HAZELCAST, MigrationSystem.FULL_TABLE)) {
      String key =
          "vs_%s_%d_members_%d_segments_%d_owners%s"
              .formatted(
                  other.label().replace('-', '_'),
                  shape.members(),
                  shape.segments(),
                  shape.owners(),
                  shape.held() ? "" : "_as_they_come");
      results.ratio(key, median(other, shape) / median(MigrationSystem.HEADRACE, shape));
    }
  }

  /** Of clusters whose members have equal shares of the processor. */
  private void drawFlatness() {
    double[] medians =
        flatMeans.entrySet().stream()
            .filter(mean -> mean.getKey().members() == FLAT_MEMBERS)
            .mapToDouble(mean -> median(mean.getValue()))
            .toArray();
    if (medians.length > 1) {
      double largest = Arrays.stream(medians).max().orElse(Double.NaN);
      double smallest = Arrays.stream(medians).min().orElse(Double.NaN);
      results.ratio("flatness", largest / smallest);
    }
  }

  private double median(MigrationSystem system, JoinCase shape) {
    return median(means.getOrDefault(new Grown(system, shape.limited(0)), List.of()));
  }

  private static double median(List<Double> samples) {
    return samples.isEmpty()
        ? Double.NaN
        : Samples.median(samples.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private static String text(double number) {
    return String.format(Locale.ROOT, number >= 1000 ? "%.0f" : "%.2f", number);
  }

  @Override
  public String toString() {
    return joins + System.lineSeparator() + others;
  }
}
