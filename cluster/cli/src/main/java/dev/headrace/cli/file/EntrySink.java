package dev.headrace.cli.file;

import java.io.IOException;
import java.io.Reader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes entries as text. Not thread-safe. */
public interface EntrySink {

  /**
   * Appends an entry with the end of its line, and before the first one what the format asks for.
   *
   * @param value null where only keys are written
   * @throws IllegalArgumentException if the entry does not fit the format; the message says with
   *     which options to start again
   */
  void append(String key, @Nullable String value, StringBuilder out);

  /** The columns that were asked for and that no value had. */
  default List<String> unusedColumns() {
    return List.of();
  }

  /**
   * A sink that goes on below what another one wrote with the same options.
   *
   * @param written what was written, from its beginning
   */
  static EntrySink goingOn(FileFormat format, String keyField, List<String> columns, Reader written)
      throws IOException {
    if (format == FileFormat.NDJSON) {
      return new JsonLinesSink(keyField);
    }
    DelimitedSink sink = new DelimitedSink(format.delimiter(), keyField, columns, true);
    sink.goOn(written);
    return sink;
  }

  /**
   * A sink.
   *
   * @param keyField the name of the field for the key
   * @param columns the fields of values to write as columns; empty for those of the first value.
   *     NDJSON does not use them
   * @param continued whether it goes on where another one stopped, so that nothing comes before the
   *     first entry
   */
  static EntrySink of(FileFormat format, String keyField, List<String> columns, boolean continued) {
    return format == FileFormat.NDJSON
        ? new JsonLinesSink(keyField)
        : new DelimitedSink(format.delimiter(), keyField, columns, continued);
  }
}
