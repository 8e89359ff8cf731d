package dev.headrace.replication.lane;

import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.store.Replica;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Looks up many keys under one table, without a lane, as {@link Reads} does for one. Whatever is
 * not plain is left to a GET for that key alone. One object per message, used by one thread.
 */
final class BulkReads {
  private static final byte[] NO_BYTES = {};

  private final LocalReplicas now;
  private final @Nullable CacheSegments cache;
  private final BulkRead read;
  private final int[] lengths;
  private final int[] segments;
  private int answered;
  private byte[] values = NO_BYTES;
  private int valueBytes;
  private boolean outdated;
  private boolean unknown;

  /**
   * @param cache null if nothing of the cache was ever here
   */
  BulkReads(LocalReplicas now, @Nullable CacheSegments cache, BulkRead read) {
    this.now = now;
    this.cache = cache;
    this.read = read;
    this.lengths = new int[read.keys().count()];
    this.segments = new int[lengths.length];
  }

  /** Reads as much as one answer takes; whether it counts, {@code LeaseCheck} says afterwards. */
  BulkReadReply answer() {
    long epoch = now.table().epoch();
    if (cache != null && !cache.cache().admits(read.format())) {
      return BulkReadReply.none(read, epoch);
    }
    while (answered < lengths.length && answerKey(answered)) {
      answered++;
    }
    return new BulkReadReply(
        read.number(),
        epoch,
        answered == lengths.length ? lengths : Arrays.copyOf(lengths, answered),
        valueBytes == values.length ? values : Arrays.copyOf(values, valueBytes));
  }

  /** The segments of the keys that were answered. */
  int[] segments() {
    return answered == segments.length ? segments : Arrays.copyOf(segments, answered);
  }

  /** Whether the caller knows an older table of some of the segments. */
  boolean outdated() {
    return outdated;
  }

  /** Whether the cache is not known here although this node owns some of it. */
  boolean unknown() {
    return unknown;
  }

  /** Answers for a key; false if its value does not fit in behind the others. */
  private boolean answerKey(int index) {
    EncodedKeys keys = read.keys();
    HashSpace space = now.space();
    long hash = space.hash(keys.bytes(), keys.offset(index), keys.length(index));
    int segment = space.segment(hash);
    segments[index] = segment;
    lengths[index] = BulkReadReply.ALONE;
    if (!mayTell(segment)) {
      return true;
    }
    if (cache == null) {
      unknown |= !now.holds(segment);
      lengths[index] = now.holds(segment) ? BulkReadReply.ABSENT : BulkReadReply.ALONE;
      return true;
    }
    Replica replica = cache.store().replica(segment);
    if (replica == null) {
      return true;
    }
    byte[] value =
        replica.value(space.position(hash), keys.bytes(), keys.offset(index), keys.length(index));
    // Asked after the read: one that ran into a drop does not count.
    if (!replica.state().readable()) {
      return true;
    }
    return value == null ? absent(index) : append(index, value);
  }

  private boolean mayTell(int segment) {
    EpochCheck check = EpochCheck.of(now.table(), segment, read.epoch(), read.segmentEpoch());
    outdated |= check == EpochCheck.SENDER_BEHIND;
    return check == EpochCheck.SAME_OWNERS && now.owns(segment);
  }

  private boolean absent(int index) {
    lengths[index] = BulkReadReply.ABSENT;
    return true;
  }

  private boolean append(int index, byte[] value) {
    int limit = BulkReadReply.MAX_VALUE_BYTES;
    if (value.length > limit) {
      return true;
    }
    int size = valueBytes + value.length;
    if (size > limit) {
      return false;
    }
    if (size > values.length) {
      // Room for all keys, if the others are like those so far, and for some more.
      long expected = (long) size * lengths.length / (index + 1);
      values = Arrays.copyOf(values, (int) Math.min(limit, expected + expected / 8));
    }
    System.arraycopy(value, 0, values, valueBytes, value.length);
    valueBytes = size;
    lengths[index] = value.length;
    return true;
  }
}
