package dev.headrace.stream.change;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.protocol.KeySelection;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How the bytes of a cache become keys and values, and which of them count. Immutable.
 *
 * @param cache the cache's name
 * @param format the hash of the formats of keys and values, which questions carry; 0 for any
 * @param only only these keys; null for all
 */
record ChangeSource<K, V>(
    String cache,
    int format,
    Codec<K> keys,
    Codec<V> values,
    HashSpace space,
    @Nullable KeySelection only) {

  K key(byte[] bytes) {
    return keys.decode(ByteInput.of(bytes));
  }

  @Nullable V value(byte @Nullable [] bytes) {
    return bytes == null ? null : values.decode(ByteInput.of(bytes));
  }

  boolean chosen(byte[] key) {
    return only == null || only.contains(key);
  }

  long position(byte[] key) {
    return space.position(space.hash(key));
  }

  /**
   * Whether keys lie in a range.
   *
   * @param upTo where it ends; null for the end of the segment
   */
  Predicate<K> range(int segment, @Nullable Cursor upTo) {
    return key -> {
      ByteOutput out = new ByteOutput();
      keys.encode(key, out);
      byte[] bytes = out.toByteArray();
      return space.segment(space.hash(bytes)) == segment
          && (upTo == null || upTo.covers(position(bytes), bytes));
    };
  }
}
