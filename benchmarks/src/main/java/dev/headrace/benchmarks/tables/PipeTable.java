package dev.headrace.benchmarks.tables;

/** A table in Markdown. */
final class PipeTable {

  private final StringBuilder text = new StringBuilder();

  PipeTable(String... header) {
    row(header);
    text.append('|').append("---|".repeat(header.length));
    text.append('\n');
  }

  void row(String... cells) {
    text.append('|');
    for (String cell : cells) {
      text.append(cell.isEmpty() ? "" : " " + cell).append(" |");
    }
    text.append('\n');
  }

  /** The table, without the end of its last line. */
  @Override
  public String toString() {
    return text.toString().stripTrailing();
  }
}
