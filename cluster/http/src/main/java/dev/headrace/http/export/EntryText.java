package dev.headrace.http.export;

import dev.headrace.http.cache.OpenCache;
import java.util.List;
import java.util.Map;

/** Entries as text, {@code {"key":…,"value":…}}. */
record EntryText(OpenCache cache) implements ElementText<Map.Entry<byte[], byte[]>> {
  private static final List<String> COLUMNS = List.of("key", "value");

  @Override
  public List<String> columns() {
    return COLUMNS;
  }

  @Override
  public void appendJson(Map.Entry<byte[], byte[]> entry, StringBuilder json) {
    json.append("{\"key\":");
    cache.keys().appendJson(entry.getKey(), json);
    json.append(",\"value\":");
    cache.values().appendJson(entry.getValue(), json);
  }

  @Override
  public String column(Map.Entry<byte[], byte[]> entry, int column) {
    return column == 0 ? cache.keys().text(entry.getKey()) : cache.values().text(entry.getValue());
  }
}
