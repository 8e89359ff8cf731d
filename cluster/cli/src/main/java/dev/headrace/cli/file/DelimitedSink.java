package dev.headrace.cli.file;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * Entries as CSV or TSV: the key's column comes first. Values that are JSON objects have a column
 * for each field, any other has the column {@code value}; the first value decides unless columns
 * are given.
 */
final class DelimitedSink implements EntrySink {
  private static final String VALUE = "value";

  private final CSVFormat format;
  private final String keyField;
  private final boolean given;
  private List<String> columns;
  private final Set<String> unused;
  private boolean started;
  private boolean headerWritten;

  DelimitedSink(char delimiter, String keyField, List<String> columns, boolean continued) {
    format = CSVFormat.DEFAULT.builder().setDelimiter(delimiter).setRecordSeparator("\n").get();
    this.keyField = keyField;
    this.columns = columns.stream().filter(name -> !name.equals(keyField)).toList();
    given = !columns.isEmpty();
    unused = new LinkedHashSet<>(this.columns);
    headerWritten = continued;
  }

  /**
   * Goes on below what another one wrote, with the columns of its header.
   *
   * @param header the first line of what was written
   */
  void goOn(Reader header) throws IOException {
    try (CSVParser parser = CSVParser.parse(header, format)) {
      Iterator<CSVRecord> lines = parser.iterator();
      if (!given && lines.hasNext()) {
        columns = lines.next().stream().skip(1).toList(); // without the key's
        started = true;
      }
    }
  }

  @Override
  public void append(String key, @Nullable String value, StringBuilder out) {
    Map<String, String> fields = fields(value);
    if (!started) {
      start(fields, out);
    }
    List<String> row = new ArrayList<>(columns.size() + 1);
    row.add(key);
    for (String column : columns) {
      row.add(fields.getOrDefault(column, ""));
    }
    if (!given) {
      requireColumns(key, fields);
    } else if (!unused.isEmpty()) {
      unused.removeAll(fields.keySet());
    }
    print(row, out);
  }

  @Override
  public List<String> unusedColumns() {
    return List.copyOf(unused);
  }

  private static Map<String, String> fields(@Nullable String value) {
    if (value == null) {
      return Map.of();
    }
    Map<String, String> fields = JsonFields.of(value);
    return fields == null ? Map.of(VALUE, value) : fields;
  }

  private void start(Map<String, String> first, StringBuilder out) {
    started = true;
    if (!given) {
      columns = first.keySet().stream().filter(name -> !name.equals(keyField)).toList();
    }
    if (!headerWritten) {
      headerWritten = true;
      List<String> header = new ArrayList<>();
      header.add(keyField);
      header.addAll(columns);
      print(header, out);
    }
  }

  private void requireColumns(String key, Map<String, String> fields) {
    for (Map.Entry<String, String> field : fields.entrySet()) {
      String name = field.getKey();
      boolean isKey = name.equals(keyField) && field.getValue().equals(key);
      if (!isKey && !columns.contains(name)) {
        throw new IllegalArgumentException(
            name.equals(keyField)
                ? "the value of key \""
                    + key
                    + "\" has a field \""
                    + keyField
                    + "\" of its own: start again with another column for the key, --key-field"
                : "the value of key \""
                    + key
                    + "\" has the field \""
                    + name
                    + "\", for which the first value gave no column: start again with"
                    + " --columns, or write NDJSON");
      }
    }
  }

  private void print(List<String> row, StringBuilder out) {
    try {
      format.printRecord(out, row.toArray());
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot happen: a StringBuilder takes everything", e);
    }
  }
}
