package dev.headrace.rebalance.placement.hash;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hashing;

/**
 * The first 64 bits of MurmurHash3's 128-bit variant for 64-bit machines, with seed 0.
 *
 * <p>The library's returns all 128 in a new object, which a look-up must not do.
 *
 * <p>Source: Appleby, {@code MurmurHash3_x64_128} in <a
 * href="https://github.com/aappleby/smhasher">SMHasher</a>.
 */
public final class Murmur3Hasher extends Utf8Hasher {
  private static final int BLOCK_BYTES = 16;
  private static final long FACTOR_1 = 0x87c3_7b91_1142_53d5L;
  private static final long FACTOR_2 = 0x4cf5_ad43_2745_937fL;

  /** All 128 bits of the hash of a text's UTF-8 bytes, the lowest byte first. */
  public static byte[] digest(String text) {
    return Hashing.murmur3_128().hashBytesTo128Bits(text.getBytes(UTF_8)).toByteArray();
  }

  @Override
  long hashBytes(byte[] bytes, int offset, int length) {
    long h1 = 0;
    long h2 = 0;
    int at = offset;
    int rest = length;
    for (; rest >= BLOCK_BYTES; at += BLOCK_BYTES, rest -= BLOCK_BYTES) {
      h1 ^= first(Words.int64(bytes, at));
      h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52dc_e729;
      h2 ^= second(Words.int64(bytes, at + Long.BYTES));
      h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x3849_5ab5;
    }
    h1 ^= first(Words.upTo64(bytes, at, Math.min(rest, Long.BYTES)));
    h2 ^= second(Words.upTo64(bytes, at + Long.BYTES, rest - Long.BYTES));
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    return mixed(h1) + mixed(h2);
  }

  private static long first(long word) {
    return Long.rotateLeft(word * FACTOR_1, 31) * FACTOR_2;
  }

  private static long second(long word) {
    return Long.rotateLeft(word * FACTOR_2, 33) * FACTOR_1;
  }

  private static long mixed(long value) {
    long mixed = (value ^ (value >>> 33)) * 0xff51_afd7_ed55_8ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ce_b9fe_1a85_ec53L;
    return mixed ^ (mixed >>> 33);
  }
}
