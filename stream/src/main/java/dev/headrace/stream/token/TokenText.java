package dev.headrace.stream.token;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.error.WireException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What the strings of all resume tokens have in common: Base64 for URLs, the CRC-32C of what is
 * before it at the end, and numbers as unsigned LEB128. Stateless.
 */
public final class TokenText {

  /** The longest string that is parsed. A token of 2^20 begun segments is half as long. */
  public static final int MAX_CHARS = 32 << 20;

  private static final int CRC_BYTES = 4;

  private TokenText() {}

  /**
   * Makes a token's string.
   *
   * @param content has the token's bytes up to its position
   */
  public static String of(ByteBuffer content) {
    int length = content.position();
    byte[] bytes = new byte[length + CRC_BYTES];
    content.get(0, bytes, 0, length);
    ByteBuffer.wrap(bytes).putInt(length, crc(bytes, length));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /**
   * Reads what {@link #of} has made.
   *
   * @param read makes a token of its bytes, of which none may be left
   * @throws ResumeTokenException if the string is no token or is damaged
   */
  public static <T> T parse(String token, Function<ByteBuffer, T> read) {
    if (token.length() > MAX_CHARS) {
      throw damaged("it has " + token.length() + " characters, more than any token", null);
    }
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(token);
      int length = bytes.length - CRC_BYTES;
      if (length < 1 || ByteBuffer.wrap(bytes).getInt(length) != crc(bytes, length)) {
        throw damaged("its checksum is wrong", null);
      }
      ByteBuffer in = ByteBuffer.wrap(bytes, 0, length);
      T parsed = read.apply(in);
      if (in.hasRemaining()) {
        throw damaged("it continues behind its end", null);
      }
      return parsed;
    } catch (IllegalArgumentException | BufferUnderflowException | WireException e) {
      throw damaged("it cannot be read", e);
    }
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  /** Writes a number, at least 0, in at most 9 bytes; one below 2^31 in at most 5. */
  public static void putNumber(ByteBuffer out, long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }

  /**
   * Reads a number.
   *
   * @throws ResumeTokenException if it is larger than makes sense
   */
  public static int number(ByteBuffer in, int max) {
    return (int) number(in, (long) max);
  }

  /** As {@link #number(ByteBuffer, int)}. */
  public static long number(ByteBuffer in, long max) {
    long value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      byte next = in.get();
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        if (value > max) {
          throw damaged("a number is " + value + " where at most " + max + " makes sense", null);
        }
        return value;
      }
    }
    throw damaged("a number is too long", null);
  }

  /** What to throw for a token that is no token. */
  public static ResumeTokenException damaged(String how, @Nullable Throwable cause) {
    String message =
        "The resume token is damaged: "
            + how
            + ". Pass it exactly as it was, or begin the stream anew";
    return cause == null
        ? new ResumeTokenException(message)
        : new ResumeTokenException(message, cause);
  }
}
