package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.Measurement;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The measured rates as a readable table: one line per cell, its median over the rounds. */
final class IterationTable {

  private record Line(
      String entries, String bytes, String where, String threads, String batch, String mode)
      implements Comparable<Line> {

    private static final Comparator<Line> ORDER =
        Comparator.comparingInt((Line line) -> Integer.parseInt(line.entries))
            .thenComparingInt(line -> Integer.parseInt(line.bytes))
            .thenComparing(Line::where)
            .thenComparing(Line::threads)
            .thenComparingInt(line -> line.batch.matches("\\d+") ? Integer.parseInt(line.batch) : 0)
            .thenComparing(Line::mode);

    static Line of(Measurement measurement) {
      Map<String, String> parameters = measurement.parameters();
      return new Line(
          parameters.getOrDefault("entries", "0"),
          parameters.getOrDefault("valueBytes", "0"),
          parameters.getOrDefault("vantage", "bare loop"),
          parameters.getOrDefault("threads", "0"),
          parameters.getOrDefault("batch", "-"),
          measurement.system() + " " + parameters.getOrDefault("mode", ""));
    }

    @Override
    public int compareTo(Line other) {
      return ORDER.compare(this, other);
    }
  }

  private final Map<Line, List<Double>> scores = new TreeMap<>();

  IterationTable(List<Measurement> measurements) {
    for (Measurement measurement : measurements) {
      if (measurement.question().equals("iterate") || measurement.question().equals("wire-limit")) {
        scores
            .computeIfAbsent(Line.of(measurement), line -> new ArrayList<>())
            .add(measurement.score());
      }
    }
  }

  @Override
  public String toString() {
    Table table =
        new Table(
            3, "reader", "system and mode", "batch", "entries", "bytes", "threads", "thousand/s");
    scores.forEach(
        (line, rounds) -> {
          double median = Samples.median(rounds.stream().mapToDouble(x -> x).toArray());
          table.row(
              line.where(),
              line.mode(),
              line.batch(),
              line.entries(),
              line.bytes(),
              line.threads(),
              String.format(Locale.ROOT, "%.0f", median / 1000));
        });
    return table.toString();
  }
}
