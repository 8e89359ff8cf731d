package dev.headrace.cli.demo;

import dev.headrace.cli.progress.Figures;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/** Lays the demonstration out on 80 columns. */
final class Screen {
  private static final int WIDTH = 80;
  private static final int INDENT = 5;

  /** The longest text of a {@link #line}. */
  static final int LINE = WIDTH - INDENT;

  private static final int BAR_WIDTH = 40;
  private static final int BARS = 8;

  private final PrintStream out;
  private int steps;

  Screen(PrintStream out) {
    this.out = out;
  }

  /** The headline of a step, with how long it took to the right. */
  void step(String headline, long nanos) {
    steps++;
    String left = String.format("%3d  %s", steps, headline);
    String right = Figures.duration(nanos);
    out.println();
    out.println(left + " ".repeat(Math.max(2, WIDTH - left.length() - right.length())) + right);
  }

  /** A line below a headline. */
  void line(String text) {
    out.println(" ".repeat(INDENT) + text);
  }

  /** A check and whether it holds. */
  void check(String what, boolean holds) {
    line((holds ? "[ok] " : "[FAILED] ") + what);
  }

  /** The largest of some counts as bars, the others summed up. */
  void bars(Map<String, Integer> counts) {
    List<Map.Entry<String, Integer>> sorted =
        counts.entrySet().stream()
            .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
            .toList();
    int largest = sorted.isEmpty() ? 1 : sorted.get(0).getValue();
    for (Map.Entry<String, Integer> count : sorted.subList(0, Math.min(BARS, sorted.size()))) {
      bar(count.getKey(), count.getValue(), largest);
    }
    if (sorted.size() > BARS) {
      int rest = sorted.subList(BARS, sorted.size()).stream().mapToInt(Map.Entry::getValue).sum();
      bar((sorted.size() - BARS) + " others", rest, largest);
    }
  }

  private void bar(String name, int count, int largest) {
    int length = Math.max(1, (int) Math.round((double) count / largest * BAR_WIDTH));
    line(String.format("%-16s %,9d  %s", name, count, "#".repeat(length)));
  }

  /** Numbers in rows no wider than the screen, the last ones left out if there are many. */
  void numbers(String label, List<Integer> numbers) {
    StringBuilder row = new StringBuilder(label);
    for (int number : numbers) {
      if (row.length() + 9 > WIDTH - INDENT) {
        line(row + " ...");
        return;
      }
      row.append(' ').append(number);
    }
    line(row.toString());
  }
}
