package dev.headrace.cli.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file of the records that were not loaded, one JSON object a line, with the reason. Used by one
 * thread at a time.
 */
public final class RejectedRecords implements Closeable {
  private final Writer out;
  private final JsonGenerator json;
  private long malformed;

  private RejectedRecords(Writer out) throws IOException {
    this.out = out;
    json = new JsonFactory().setRootValueSeparator(null).createGenerator(out);
  }

  /** Opens the file, replacing its content. */
  public static RejectedRecords open(Path file) throws IOException {
    return new RejectedRecords(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
  }

  /** How many records were malformed. */
  public long malformed() {
    return malformed;
  }

  /**
   * Notes a record that could not be read.
   *
   * @throws MalformedTextException the same if nothing more can be read
   */
  public void add(MalformedTextException cause) throws IOException {
    String record = cause.record();
    if (record == null) {
      throw cause;
    }
    malformed++;
    json.writeStartObject();
    json.writeNumberField("line", cause.line());
    json.writeNumberField("column", cause.column());
    json.writeStringField("reason", String.valueOf(cause.getMessage()));
    json.writeStringField("record", record);
    endLine();
  }

  /**
   * Notes a record that could not be written.
   *
   * @param key null if it is not known
   */
  public void add(@Nullable Object key, String reason) throws IOException {
    json.writeStartObject();
    json.writeStringField("key", key == null ? null : key.toString());
    json.writeStringField("reason", reason);
    endLine();
  }

  private void endLine() throws IOException {
    json.writeEndObject();
    json.flush();
    out.write('\n');
  }

  @Override
  public void close() throws IOException {
    json.close();
  }
}
