package dev.headrace.cli.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * How far a load has come. As text: a line with the version, one with the target, one with the four
 * numbers, and one with the checksum of these.
 *
 * @param target what decides what is loaded and where; a load goes on with the same
 * @param records records of the text that have been read and acknowledged, or were rejected
 * @param digest a digest of the entries among them, in order
 * @param failed those that were malformed or could not be written
 * @param rejectedBytes how long the file with these was
 */
public record LoadProgress(
    String target, long records, long digest, long failed, long rejectedBytes) {
  private static final String VERSION = "headrace load 1";
  private static final int LINES = 4;
  private static final int NUMBERS = 4;

  /** Nothing is loaded. */
  public static LoadProgress none(String target) {
    return new LoadProgress(target, 0, 0, 0, 0);
  }

  /** As it lies in its file. */
  byte[] encode() {
    String text =
        "%s\n%s\n%d %d %d %d\n".formatted(VERSION, target, records, digest, failed, rejectedBytes);
    return (text + checksum(text) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads what was encoded.
   *
   * @throws IOException if it is damaged, or of another version
   */
  static LoadProgress decode(byte[] content) throws IOException {
    String text = new String(content, StandardCharsets.UTF_8);
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.get(0).equals(VERSION)) {
      throw new IOException(
          "this is no progress of a load of this version; name another file, or delete it to begin"
              + " anew");
    }
    int end = text.lastIndexOf('\n', text.length() - 2) + 1;
    String[] numbers = lines.size() == LINES ? lines.get(2).split(" ") : new String[0];
    if (numbers.length != NUMBERS
        || !lines.get(LINES - 1).equals(checksum(text.substring(0, end)))) {
      throw new IOException("this progress of a load is damaged; delete it to begin anew");
    }
    return new LoadProgress(
        lines.get(1),
        Long.parseLong(numbers[0]),
        Long.parseLong(numbers[1]),
        Long.parseLong(numbers[2]),
        Long.parseLong(numbers[3]));
  }

  private static String checksum(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return String.format(Locale.ROOT, "%08x", crc.getValue());
  }
}
