package dev.headrace.http.export;

import dev.headrace.api.codec.ByteOutput;

/**
 * Elements as lines of columns, RFC 4180, behind a line with their names; a record is JSON in its
 * column. A token is a line that begins with {@code #resume,}, a failure one with {@code #error,};
 * a column that begins with a number sign is in quotes.
 */
final class CsvWriter<T> implements ElementWriter<T> {
  private final ElementText<T> text;
  private final StringBuilder line = new StringBuilder();

  CsvWriter(ElementText<T> text) {
    this.text = text;
  }

  @Override
  public void begin(ByteOutput out) {
    line.setLength(0);
    for (String name : text.columns()) {
      column(name);
    }
    put(out);
  }

  @Override
  public void element(T element, ByteOutput out) {
    line.setLength(0);
    for (int i = 0; i < text.columns().size(); i++) {
      if (i > 0) {
        line.append(',');
      }
      quoted(text.column(element, i));
    }
    put(out);
  }

  private void column(String name) {
    if (line.length() > 0) {
      line.append(',');
    }
    quoted(name);
  }

  private void quoted(String column) {
    boolean quoted = column.isEmpty() || column.charAt(0) == '#';
    for (int i = 0; i < column.length() && !quoted; i++) {
      char next = column.charAt(i);
      quoted = next == ',' || next == '"' || next == '\r' || next == '\n';
    }
    if (quoted) {
      line.append('"').append(column.replace("\"", "\"\"")).append('"');
    } else {
      line.append(column);
    }
  }

  @Override
  public void token(String token, ByteOutput out) {
    line.setLength(0);
    line.append("#resume,").append(token);
    put(out);
  }

  @Override
  public void failure(String problem, String token, ByteOutput out) {
    line.setLength(0);
    line.append("#error,\"").append(problem.replace("\"", "\"\"")).append('"');
    put(out);
    if (!token.isEmpty()) {
      token(token, out);
    }
  }

  private void put(ByteOutput out) {
    line.append("\r\n");
    out.writeUtf8(line.toString());
  }
}
