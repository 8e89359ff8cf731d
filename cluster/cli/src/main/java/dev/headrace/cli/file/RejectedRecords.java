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
 * A file of the records that were not loaded, one JSON object a line, with their lines and the
 * reason. Used by one thread at a time.
 */
public final class RejectedRecords implements Closeable {
  private final FileChannel file;
  private final Writer out;
  private final JsonGenerator json;

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

  /** Notes a malformed record. */
  public void addMalformed(MalformedTextException cause, String record) throws IOException {
    json.writeStartObject();
    json.writeNumberField("line", cause.line());
    json.writeNumberField("column", cause.column());
    endLine(String.valueOf(cause.getMessage()), record);
  }

  /**
   * Notes a record that could not be written.
   *
   * @param line where it begins
   * @param key its key; null if that is not known
   */
  public void addFailed(long line, @Nullable Object key, String reason, String record)
      throws IOException {
    json.writeStartObject();
    json.writeNumberField("line", line);
    json.writeStringField("key", key == null ? null : key.toString());
    endLine(reason, record);
  }

  private void endLine(String reason, String record) throws IOException {
    json.writeStringField("reason", reason);
    json.writeStringField("record", record);
    json.writeEndObject();
    json.flush();
    out.write('\n');
  }

  @Override
  public void close() throws IOException {
    json.close();
  }
}
