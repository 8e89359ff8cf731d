package dev.headrace.rebalance.placement.hash;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The hash that ketama takes of a key: the first 32 bits of its MD5 digest, the lowest byte first,
 * as an unsigned number. It says nothing about secrets.
 *
 * <p>Source: libketama; {@code DefaultHashAlgorithm.KETAMA_HASH} of spymemcached.
 */
public final class Md5Hasher extends Utf8Hasher {
  /** The whole digest of a text's UTF-8 bytes. */
  public static byte[] digest(String text) {
    return md5().digest(text.getBytes(UTF_8));
  }

  @Override
  long hashBytes(byte[] bytes, int offset, int length) {
    if (length <= BUFFER_BYTES) {
      byte[] buffer = buffer();
      System.arraycopy(bytes, offset, buffer, 0, length);
      return hashBuffer(buffer, length);
    }
    MessageDigest md5 = md5();
    md5.update(bytes, offset, length);
    return unsigned(Words.int32(md5.digest(), 0));
  }

  @Override
  long hashBuffer(byte[] buffer, int length) {
    return unsigned(Md5.first32(buffer, length));
  }

  private static long unsigned(int number) {
    return number & 0xffff_ffffL;
  }

  private static MessageDigest md5() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("This JVM lacks MD5, which every JVM must have", e);
    }
  }
}
