package dev.headrace.rebalance.placement.hash;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * A hasher of bytes that hashes texts by way of their UTF-8 bytes.
 *
 * <p>ASCII goes through a buffer that each thread keeps; what is longer or not ASCII is encoded
 * into a new array.
 */
abstract class Utf8Hasher implements KeyHasher {
  static final int BUFFER_BYTES = 1024; // the longest text that goes through a buffer

  private final ThreadLocal<byte[]> buffers =
      ThreadLocal.withInitial(() -> new byte[BUFFER_BYTES + Md5.PADDING_BYTES]);

  /** The hash of bytes that are known to be there. */
  abstract long hashBytes(byte[] bytes, int offset, int length);

  /** The hash of a buffer's first bytes; what is behind them may be overwritten. */
  long hashBuffer(byte[] buffer, int length) {
    return hashBytes(buffer, 0, length);
  }

  /** This thread's buffer: with room for padding behind the longest text. */
  final byte[] buffer() {
    return buffers.get();
  }

  @Override
  public final long hash(byte[] key, int offset, int length) {
    Keys.check(key, offset, length);
    return hashBytes(key, offset, length);
  }

  @Override
  public long hash(CharSequence key) {
    Keys.check(key);
    return hashText(key);
  }

  final long hashText(CharSequence key) {
    int length = key.length();
    if (length <= BUFFER_BYTES) {
      byte[] buffer = buffer();
      int seen = 0;
      for (int i = 0; i < length; i++) {
        char c = key.charAt(i);
        seen |= c;
        buffer[i] = (byte) c;
      }
      if (seen < 0x80) {
        return hashBuffer(buffer, length);
      }
    }
    byte[] encoded = key.toString().getBytes(UTF_8);
    return hashBytes(encoded, 0, encoded.length);
  }
}
