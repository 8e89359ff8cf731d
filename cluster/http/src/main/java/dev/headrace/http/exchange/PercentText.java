package dev.headrace.http.exchange;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Text of a URL in UTF-8, whose bytes may be written as a percent sign and two hexadecimal digits.
 */
final class PercentText {
  private PercentText() {}

  /**
   * Reads a text.
   *
   * @param text as it was sent: each character stands for a byte
   * @param plusIsSpace whether it is part of a query, where a plus sign is a space
   * @throws ProblemException 400 if an escape is incomplete or the bytes are not UTF-8
   */
  static String decode(String text, boolean plusIsSpace) {
    if (text.indexOf('%') < 0 && (!plusIsSpace || text.indexOf('+') < 0) && isAscii(text)) {
      return text;
    }
    byte[] raw = text.getBytes(StandardCharsets.ISO_8859_1);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(raw.length);
    for (int i = 0; i < raw.length; i++) {
      if (raw[i] == '%') {
        int high = i + 2 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
        int low = i + 2 < raw.length ? Character.digit(raw[i + 2], 16) : -1;
        if (high < 0 || low < 0) {
          throw new ProblemException(
              400, "The URL has a % that two hexadecimal digits do not follow; write % as %25");
        }
        bytes.write(high << 4 | low);
        i += 2;
      } else {
        bytes.write(plusIsSpace && raw[i] == '+' ? ' ' : raw[i]);
      }
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes.toByteArray()))
          .toString();
    } catch (CharacterCodingException e) {
      throw new ProblemException(
          400, "The bytes of the URL are not UTF-8; escape them in UTF-8", e);
    }
  }

  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > 0x7F) {
        return false;
      }
    }
    return true;
  }
}
