package dev.headrace.cli.file;

import dev.headrace.cli.file.MalformedTextException.Place;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * UTF-8 as characters, which knows the line and column of every character since a mark. A byte
 * order mark at the start is left out.
 *
 * <p>Offsets count characters from the start of the text. Memory grows with the distance from the
 * mark to what was read, which is bounded. Not thread-safe.
 */
final class Utf8Text extends Reader {
  /** No record may be longer; a missing quote would otherwise read a whole file into memory. */
  static final int MAX_RECORD_CHARS = 64 << 20;

  private static final int DISCARD_CHARS = 64 << 10;
  private static final int READ_ON_CHARS = 1 << 10;

  private final InputStream in;
  private final String adviceForTooLong;
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private final ByteBuffer bytes = ByteBuffer.allocate(64 << 10).limit(0);
  private long bytesRead;
  private boolean ended;
  private boolean started;

  /** The characters from {@link #recentOffset} on. */
  private final StringBuilder recent = new StringBuilder();

  private long recentOffset;

  /** Of the character that is given out next, which is a recent one after going back. */
  private long position;

  private long mark;
  private long markLine = 1;
  private long markColumn = 1;

  /**
   * A text.
   *
   * @param adviceForTooLong what to do, or to look for, if a record is too long
   */
  Utf8Text(InputStream in, String adviceForTooLong) {
    this.in = in;
    this.adviceForTooLong = adviceForTooLong;
  }

  long bytesRead() {
    return bytesRead;
  }

  /** Says that nothing before an offset will be asked for any more. */
  void mark(long offset) {
    Place place = place(offset);
    mark = offset;
    markLine = place.line();
    markColumn = place.column();
    if (mark - recentOffset >= DISCARD_CHARS) {
      recent.delete(0, (int) (mark - recentOffset));
      recentOffset = mark;
    }
  }

  /** The offset of the character that is read next. */
  long position() {
    return position;
  }

  /** Where the mark is. */
  long mark() {
    return mark;
  }

  /**
   * Reads to the end of a line, and goes on, or back, to what follows its line break.
   *
   * @param start where the result begins, counted from the mark
   * @param at a place in the line, counted from the mark, that was read
   * @return the text from the start to the line break
   */
  String line(int start, int at) throws IOException {
    int base = (int) (mark - recentOffset);
    position = recentOffset + recent.length();
    char[] more = new char[READ_ON_CHARS];
    int end = base + at;
    while (end < recent.length() || read(more, 0, more.length) > 0) {
      if (DelimitedText.isLineBreak(recent.charAt(end))) {
        break;
      }
      end++;
    }
    position = recentOffset + Math.min(end + 1, recent.length());
    return recent.substring(base + start, end);
  }

  /** The characters read since the mark. */
  CharSequence sinceMark() {
    return recent.subSequence((int) (mark - recentOffset), recent.length());
  }

  /** The line of the first character since the mark that is no line break. */
  long line() {
    int at = (int) (mark - recentOffset);
    while (at < recent.length() && DelimitedText.isLineBreak(recent.charAt(at))) {
      at++;
    }
    return place(recentOffset + at).line();
  }

  /** The line and column of a character that was read since the mark, or of the next one. */
  Place place(long offset) {
    long line = markLine;
    long column = markColumn;
    int end = (int) Math.min(offset - recentOffset, recent.length());
    for (int i = (int) (mark - recentOffset); i < end; i++) {
      char c = recent.charAt(i);
      boolean half = c == '\r' && i + 1 < recent.length() && recent.charAt(i + 1) == '\n';
      if (c == '\n' || (c == '\r' && !half)) {
        line++;
        column = 1;
      } else if (!Character.isLowSurrogate(c)) {
        column++;
      }
    }
    return new Place(line, column);
  }

  @Override
  public int read(char[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (position < recentOffset + recent.length()) {
      return giveAgain(target, offset, length);
    }
    // A code point may need two characters; half of one cannot be given out.
    CharBuffer chars = CharBuffer.allocate(Math.max(2, Math.min(length, 16 << 10)));
    while (chars.position() == 0) {
      CoderResult result = decoder.decode(bytes, chars, ended);
      if (!started && chars.position() > 0) {
        started = true;
        if (chars.get(0) == '\uFEFF') {
          chars.flip().position(1);
          chars.compact();
        }
      }
      if (chars.position() > 0) {
        break;
      }
      if (result.isError()) {
        throw new MalformedTextException(
            place(Long.MAX_VALUE),
            "the text is not UTF-8: convert the file, or fix this character");
      }
      if (ended) {
        return -1;
      }
      fill();
    }
    chars.flip();
    return give(chars, target, offset, length);
  }

  private int give(CharBuffer chars, char[] target, int offset, int length) throws IOException {
    if (chars.remaining() > length) {
      throw new IllegalArgumentException("A reader of UTF-8 needs room for two characters");
    }
    int count = chars.remaining();
    if (recent.length() - (mark - recentOffset) + count > MAX_RECORD_CHARS) {
      throw new MalformedTextException(
          place(mark),
          "the record that starts here has more than "
              + MAX_RECORD_CHARS
              + " characters: "
              + adviceForTooLong);
    }
    recent.append(chars);
    position += count;
    chars.get(target, offset, count);
    return count;
  }

  private int giveAgain(char[] target, int offset, int length) {
    int from = (int) (position - recentOffset);
    int count = Math.min(length, recent.length() - from);
    recent.getChars(from, from + count, target, offset);
    position += count;
    return count;
  }

  private void fill() throws IOException {
    bytes.compact();
    int count = in.read(bytes.array(), bytes.position(), bytes.remaining());
    if (count < 0) {
      ended = true;
    } else {
      bytesRead += count;
      bytes.position(bytes.position() + count);
    }
    bytes.flip();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
