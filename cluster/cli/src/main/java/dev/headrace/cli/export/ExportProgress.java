package dev.headrace.cli.export;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * How far an export has come. As text: a line with the version, one with the options, one with the
 * number of bytes, one with the token (empty for none), and one with the checksum of these.
 *
 * @param options the options that decide what is written; an export goes on with the same ones
 * @param bytes how long the file was
 * @param token the resume token of what follows these bytes; null if everything follows
 */
public record ExportProgress(String options, long bytes, @Nullable String token) {
  private static final String VERSION = "headrace export 1";
  private static final int LINES = 5;

  /** As it lies beside the file. */
  public byte[] encode() {
    String text =
        String.join("\n", VERSION, options, Long.toString(bytes), token == null ? "" : token, "");
    return (text + checksum(text) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads what was encoded.
   *
   * @throws IOException if it is damaged, or of another version
   */
  static ExportProgress decode(byte[] content) throws IOException {
    String text = new String(content, StandardCharsets.UTF_8);
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.get(0).equals(VERSION)) {
      throw new IOException(
          "the progress of this export was not written by this version; start again without"
              + " --resume");
    }
    int end = text.lastIndexOf('\n', text.length() - 2) + 1;
    if (lines.size() != LINES || !lines.get(LINES - 1).equals(checksum(text.substring(0, end)))) {
      throw new IOException("the progress of this export is damaged; start again without --resume");
    }
    String token = lines.get(3);
    return new ExportProgress(
        lines.get(1), Long.parseLong(lines.get(2)), token.isEmpty() ? null : token);
  }

  private static String checksum(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return String.format(Locale.ROOT, "%08x", crc.getValue());
  }
}
