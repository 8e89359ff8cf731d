package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The measured rates as a readable table: one line per cell, its median over the rounds. */
final class IterationTable {

  private record Line(EntrySet entries, int threads, List<String> cells) {}

  private static final Comparator<Line> ORDER =
      Comparator.comparingInt((Line line) -> line.entries().count())
          .thenComparingInt(line -> line.entries().valueBytes())
          .thenComparingInt(Line::threads)
          .thenComparing(line -> String.join(" ", line.cells()));

  private final List<Line> lines = new ArrayList<>();

  void add(IterationCell cell, JmhRounds rounds) {
    double median = rounds.median(cell.jmh());
    if (Double.isNaN(median)) {
      return; // every fork failed
    }
    String way = cell.settings().way() + (cell.settings().sequential() ? ", sequential" : "");
    int batch = cell.settings().batchEntries();
    List<String> cells =
        List.of(
            cell.vantage().label(),
            cell.system().label() + " " + way,
            cell.guarantee(),
            batch == 0 ? "default" : Integer.toString(batch),
            thousands(median * cell.entries().count()));
    lines.add(new Line(cell.entries(), cell.threads(), cells));
  }

  void addWire(JmhCell cell, double... rates) {
    if (rates.length == 0) {
      return;
    }
    int bytes = Integer.parseInt(cell.parameters().getOrDefault("valueBytes", "0"));
    List<String> cells =
        List.of("bare loop", "wire", "none", "-", thousands(Samples.median(rates)));
    lines.add(new Line(new EntrySet(RatioCells.HUNDRED.count(), bytes), cell.threads(), cells));
  }

  private static String thousands(double rate) {
    return String.format(Locale.ROOT, "%.0f", rate / 1000);
  }

  @Override
  public String toString() {
    Table table =
        new Table(
            3,
            "reader",
            "system and way",
            "guarantee",
            "batch",
            "entries",
            "bytes",
            "threads",
            "thousand/s");
    lines.sort(ORDER);
    for (Line line : lines) {
      List<String> cells = line.cells();
      table.row(
          cells.get(0),
          cells.get(1),
          cells.get(2),
          cells.get(3),
          line.entries().count(),
          line.entries().valueBytes(),
          line.threads(),
          cells.get(4));
    }
    return table.toString();
  }
}
