package dev.headrace.cluster.ingest;

import dev.headrace.stream.entry.HashSpace;
import java.util.ArrayDeque;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes keys that fall into a chosen segment, out of growing numbers. A number whose key falls into
 * another segment is kept for that one, so that on average a key costs little more than one hash.
 * Keys of one segment are made of growing numbers. Used by one thread at a time.
 */
final class SegmentKeys {
  /** Numbers kept for a segment. */
  private static final int MAX_KEPT = 64;

  /** After so many keys for each segment in vain, keys cannot be spread over the segments. */
  private static final int MAX_TRIES = 1000;

  private final HashSpace space;
  private final LongFunction<byte[]> keys;
  private final @Nullable ArrayDeque<Long>[] kept;
  private long next;
  private long hash;

  /**
   * @param keys makes an encoded key of a number, another one of each
   */
  SegmentKeys(HashSpace space, LongFunction<byte[]> keys) {
    this.space = space;
    this.keys = keys;
    this.kept = queues(space.segments());
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // There are no arrays of generic types.
  private static @Nullable ArrayDeque<Long>[] queues(int count) {
    return new ArrayDeque[count];
  }

  /**
   * The next key of a segment.
   *
   * @throws IllegalStateException if no key comes to fall into it
   */
  byte[] next(int segment) {
    ArrayDeque<Long> own = kept[segment];
    Long number = own == null ? null : own.poll();
    if (number != null) {
      byte[] key = keys.apply(number);
      hash = space.hash(key);
      return key;
    }
    for (long tries = (long) MAX_TRIES * kept.length; tries > 0; tries--) {
      long candidate = next++;
      byte[] key = keys.apply(candidate);
      hash = space.hash(key);
      int fallsInto = space.segment(hash);
      if (fallsInto == segment) {
        return key;
      }
      keep(fallsInto, candidate);
    }
    throw new IllegalStateException(
        "no key falls into segment %d: appendedKeys must make a different key of each number"
            .formatted(segment));
  }

  /** The hash of the key that was made last. */
  long hash() {
    return hash;
  }

  private void keep(int segment, long number) {
    ArrayDeque<Long> queue = kept[segment];
    if (queue == null) {
      queue = new ArrayDeque<>();
      kept[segment] = queue;
    }
    if (queue.size() < MAX_KEPT) {
      queue.add(number);
    }
  }
}
