package dev.headrace.cli.file;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Entries of a text, one after the other: the key is the text of one field, the value the whole
 * record as a JSON object. Not thread-safe.
 */
public interface EntrySource {

  /**
   * The next entry, or null after the last one.
   *
   * @throws MalformedTextException if the text is malformed; the source is then used up, unless the
   *     exception has the {@linkplain MalformedTextException#record record}
   */
  Map.@Nullable Entry<String, String> next() throws IOException;

  /** The line, counted from 1, in which the last entry begins. */
  long line();

  /**
   * The record that a value was made of, as it can be loaded again. Any thread may call it.
   *
   * @param value of an entry of this source
   */
  String record(String value);

  /** Number of bytes read from the file so far; some of them may not have become entries yet. */
  long bytesRead();

  /**
   * Reads a text, which must be UTF-8.
   *
   * @param separator what separates fields of CSV; null for a comma
   * @param keyField the name of the field whose text becomes the key
   * @throws MalformedTextException if the text starts with no such field
   */
  static EntrySource open(
      InputStream in, FileFormat format, @Nullable Character separator, String keyField)
      throws IOException {
    if (format == FileFormat.NDJSON) {
      return new JsonLinesSource(new Utf8Text(in, "split the line"), keyField);
    }
    Utf8Text text = new Utf8Text(in, "perhaps a closing quote is missing");
    return DelimitedSource.open(text, separator == null ? format.delimiter() : separator, keyField);
  }
}
