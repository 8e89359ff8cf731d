package dev.headrace.cluster.cache;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.api.codec.Codec;

/** A number for what a cache's bytes look like, by which nodes notice that they disagree. */
final class Formats {
  private Formats() {}

  /** Of a pair of codecs; never 0, which stands for any format. */
  static int hash(Codec<?> keyCodec, Codec<?> valueCodec) {
    int hash = Hashing.murmur3_32().hashCharsToInt(keyCodec.format() + "\n" + valueCodec.format());
    return hash == 0 ? 1 : hash;
  }
}
