package dev.headrace.cluster.cache;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.api.codec.Codec;

/**
 * A number for the formats of a cache's keys and values, by which nodes notice that they differ.
 */
public final class Formats {
  private Formats() {}

  /** The number of a pair of codecs; never 0, which stands for any format. */
  public static int hash(Codec<?> keyCodec, Codec<?> valueCodec) {
    int hash = Hashing.murmur3_32().hashCharsToInt(keyCodec.format() + "\n" + valueCodec.format());
    return hash == 0 ? 1 : hash;
  }
}
