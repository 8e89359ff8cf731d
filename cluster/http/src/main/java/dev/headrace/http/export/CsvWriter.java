package dev.headrace.http.export;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.http.text.TextForm;

/**
 * Entries as lines of two columns, RFC 4180, behind a line with their names; a record is JSON in
 * its column. A token is a line that begins with {@code #resume,}, a failure one with {@code
 * #error,}; a key that begins with a number sign is in quotes.
 */
final class CsvWriter implements EntryWriter {
  private final TextForm keys;
  private final TextForm values;
  private final StringBuilder line = new StringBuilder();

  CsvWriter(TextForm keys, TextForm values) {
    this.keys = keys;
    this.values = values;
  }

  @Override
  public void begin(ByteOutput out) {
    out.writeUtf8("key,value\r\n");
  }

  @Override
  public void entry(byte[] key, byte[] value, ByteOutput out) {
    line.setLength(0);
    column(keys.text(key));
    line.append(',');
    column(values.text(value));
    put(out);
  }

  private void column(String text) {
    boolean quoted = text.isEmpty() || text.charAt(0) == '#';
    for (int i = 0; i < text.length() && !quoted; i++) {
      char next = text.charAt(i);
      quoted = next == ',' || next == '"' || next == '\r' || next == '\n';
    }
    if (quoted) {
      line.append('"').append(text.replace("\"", "\"\"")).append('"');
    } else {
      line.append(text);
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
