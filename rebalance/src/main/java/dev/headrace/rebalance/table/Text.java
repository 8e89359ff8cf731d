package dev.headrace.rebalance.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.api.error.WireException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;

/** The binary form of short texts: two bytes of length, then UTF-8. */
public final class Text {
  /** The longest text, in bytes of UTF-8. */
  public static final int MAX_BYTES = 16_384;

  private Text() {}

  public static int encodedBytes(String text) {
    return 2 + text.getBytes(UTF_8).length;
  }

  /**
   * Appends the binary form.
   *
   * @throws IllegalArgumentException if the text is longer than {@link #MAX_BYTES}
   */
  public static void encode(String text, ByteBuffer out) {
    byte[] bytes = text.getBytes(UTF_8);
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "A text of " + bytes.length + " bytes is too long: at most " + MAX_BYTES + " are sent");
    }
    out.putShort((short) bytes.length).put(bytes);
  }

  public static String decode(ByteBuffer in) {
    int length = in.remaining() < 2 ? -1 : Short.toUnsignedInt(in.getShort());
    if (length < 0 || length > MAX_BYTES || length > in.remaining()) {
      throw new WireException("A text of " + length + " bytes is cut off or too long");
    }
    ByteBuffer bytes = in.slice(in.position(), length);
    in.position(in.position() + length);
    try {
      return UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      throw new WireException("A text is not UTF-8", e);
    }
  }

  /** Checks that a text fits into the binary form with room to spare. */
  static void check(String what, String text) {
    if (text.length() > 255) {
      throw new IllegalArgumentException(
          "A node's " + what + " may have 255 characters, but this has " + text.length());
    }
  }
}
