package dev.headrace.benchmarks.harness;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table of text with aligned columns: the first ones to the left, numbers to the right. */
public final class Table {

  private final int textColumns;
  private final List<String[]> rows = new ArrayList<>();

  /**
   * Starts a table.
   *
   * @param textColumns how many columns, from the left, are aligned to the left
   * @param header the names of all columns
   */
  public Table(int textColumns, String... header) {
    this.textColumns = textColumns;
    rows.add(header.clone());
  }

  /** Adds a row. */
  public void row(Object... cells) {
    rows.add(Arrays.stream(cells).map(String::valueOf).toArray(String[]::new));
  }

  /** The table as lines of text. */
  @Override
  public String toString() {
    int[] widths = new int[rows.get(0).length];
    for (String[] row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String padding = " ".repeat(widths[i] - row[i].length());
        line.append(i < textColumns ? row[i] + padding : padding + row[i]).append("  ");
      }
      text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }
}
