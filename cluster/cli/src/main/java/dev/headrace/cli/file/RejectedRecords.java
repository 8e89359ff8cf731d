package dev.headrace.cli.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A file of the records that were not loaded, one JSON object a line, with the reason. Used by one
 * thread at a time.
 */
public final class RejectedRecords implements Closeable {
  private final FileChannel file;
  private final Writer out;
  private final JsonGenerator json;
  private long malformed;

  private RejectedRecords(FileChannel file) throws IOException {
    this.file = file;
    out = new BufferedWriter(Channels.newWriter(file, StandardCharsets.UTF_8));
    json = new JsonFactory().setRootValueSeparator(null).createGenerator(out);
  }

  /**
   * Opens the file.
   *
   * @param keptBytes how much of its content stays
   * @throws IOException if it is shorter than that
   */
  public static RejectedRecords open(Path file, long keptBytes) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.size() < keptBytes) {
        throw new IOException(
            "it has %d bytes, but the load that is to go on had written %d: somebody has changed it"
                .formatted(channel.size(), keptBytes));
      }
      channel.truncate(keptBytes).position(keptBytes);
      return new RejectedRecords(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Returns when all records are on the disk, with the length of the file. */
  public long force() throws IOException {
    json.flush();
    out.flush();
    file.force(true);
    return file.position();
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
