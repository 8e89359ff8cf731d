package dev.headrace.http.load;

import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.text.TextForm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lines of CSV, RFC 4180, as an export writes them: the columns {@code key} and {@code value}, in
 * any order, which the first line names; a record is JSON in its column. A line that begins with
 * {@code #resume,} is passed over, one with {@code #error,} is refused.
 */
final class CsvRecords implements RecordReader {
  private final TextForm keys;
  private final TextForm values;
  private int keyColumn = -1;

  CsvRecords(OpenCache cache) {
    this.keys = cache.keys();
    this.values = cache.values();
  }

  @Override
  public Map.@Nullable Entry<byte[], byte[]> read(byte[] text) {
    if (keyColumn < 0) {
      readNames(text);
      return null;
    }
    String line = JsonRecords.utf8(text);
    if (line.startsWith("#resume,")) {
      return null;
    } else if (line.startsWith("#error,")) {
      throw new IllegalArgumentException("The export has broken off here");
    }
    List<String> columns = columns(line);
    if (columns.size() != 2) {
      throw new IllegalArgumentException(
          "The line has " + columns.size() + " columns instead of 2");
    }
    return Map.entry(
        keys.parseText(columns.get(keyColumn)), values.parseText(columns.get(1 - keyColumn)));
  }

  private void readNames(byte[] text) {
    try {
      List<String> names = columns(JsonRecords.utf8(text));
      if (names.equals(List.of("key", "value"))) {
        keyColumn = 0;
        return;
      } else if (names.equals(List.of("value", "key"))) {
        keyColumn = 1;
        return;
      }
      throw new IllegalArgumentException("The columns are " + names);
    } catch (IllegalArgumentException e) {
      throw new ProblemException(
              400, "The first line of CSV names the columns: key,value. Nothing was loaded", e)
          .member("line", 1);
    }
  }

  private static List<String> columns(String line) {
    List<String> columns = new ArrayList<>();
    StringBuilder column = new StringBuilder();
    int at = 0;
    while (true) {
      column.setLength(0);
      if (at < line.length() && line.charAt(at) == '"') {
        at = quoted(line, at, column);
      } else {
        int comma = line.indexOf(',', at);
        int end = comma < 0 ? line.length() : comma;
        column.append(line, at, end);
        at = end;
      }
      columns.add(column.toString());
      if (at == line.length()) {
        return columns;
      } else if (line.charAt(at) != ',' || columns.size() > 2) {
        throw new IllegalArgumentException(
            columns.size() > 2
                ? "The line has more than 2 columns"
                : "Something follows a quoted column; double the quotes within it");
      }
      at++;
    }
  }

  private static int quoted(String line, int start, StringBuilder column) {
    int at = start + 1;
    while (at < line.length()) {
      char next = line.charAt(at++);
      if (next != '"') {
        column.append(next);
      } else if (at < line.length() && line.charAt(at) == '"') {
        column.append('"');
        at++;
      } else {
        return at;
      }
    }
    throw new IllegalArgumentException("A quoted column is never closed");
  }
}
