package dev.headrace.replication.client;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.EncodedEntries;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.stream.entry.HashSpace;
import java.util.Arrays;
import java.util.Comparator;

/**
 * Writes of single entries, as few operations as they can be: those of one segment are one, within
 * the bounds of {@link EncodedEntries}. Groups for one node follow each other. Immutable.
 *
 * <p>One sort does it, by hash: hashes grow with segments, and within a segment with positions. A
 * key that comes twice is written by two operations, of which the later one leaves later.
 */
public final class WriteGroups {
  private final EncodedWrites writes;
  private final long[] hashes;

  /** The indexes of the writes by their hashes. */
  private final int[] order;

  private final Group[] groups;

  /**
   * Writes of one operation.
   *
   * @param from its first place in the order
   * @param to the place behind its last
   * @param node the ordinal of the segment's primary, negative if there is none
   */
  private record Group(int segment, int from, int to, int node) {}

  private WriteGroups(EncodedWrites writes, HashSpace space, SegmentTable table) {
    this.writes = writes;
    this.hashes = new long[writes.count()];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = space.hash(writes.array(), writes.start(i), writes.keyLength(i));
    }
    this.order = sorted();
    this.groups = divide(space, table);
  }

  private WriteGroups(EncodedWrites writes) {
    this.writes = writes;
    this.hashes = new long[0];
    this.order = new int[writes.count()];
    this.groups = new Group[writes.count()];
    for (int i = 0; i < order.length; i++) {
      order[i] = i;
      groups[i] = new Group(0, i, i + 1, 0);
    }
  }

  /**
   * Groups writes.
   *
   * @param writes not changed from now on
   */
  static WriteGroups of(EncodedWrites writes, HashSpace space, SegmentTable table) {
    return new WriteGroups(writes, space, table);
  }

  /** Makes an operation of each write, where nobody knows where they belong. */
  public static WriteGroups alone(EncodedWrites writes) {
    return new WriteGroups(writes);
  }

  // ---- Order

  private int[] sorted() {
    int count = hashes.length;
    int indexBits = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, count - 1));
    long indexMask = (1L << indexBits) - 1;
    long[] packed = new long[count];
    for (int i = 0; i < count; i++) {
      // Unsigned order, by all bits but the lowest, in whose place the index stands.
      packed[i] = ((hashes[i] ^ Long.MIN_VALUE) & ~indexMask) | i;
    }
    Arrays.sort(packed);
    int[] sorted = new int[count];
    for (int place = 0; place < count; place++) {
      int index = (int) (packed[place] & indexMask);
      int at = place;
      // Nearly never more than a look: only what has the other bits in common may be out of order.
      while (at > 0 && compare(sorted[at - 1], index) > 0) {
        sorted[at] = sorted[at - 1];
        at--;
      }
      sorted[at] = index;
    }
    return sorted;
  }

  private int compare(int one, int other) {
    int byHash = Long.compareUnsigned(hashes[one], hashes[other]);
    if (byHash != 0) {
      return byHash;
    }
    int byKey = writes.compareKeys(one, other);
    return byKey != 0 ? byKey : Integer.compare(one, other);
  }

  private boolean sameKey(int one, int other) {
    return hashes[one] == hashes[other] && writes.compareKeys(one, other) == 0;
  }

  // ---- Groups

  private Group[] divide(HashSpace space, SegmentTable table) {
    Group[] found = new Group[order.length];
    int count = 0;
    int from = 0;
    long bytes = 0;
    for (int place = 0; place < order.length; place++) {
      int more = writes.bytes(order[place]);
      if (place > from && !joins(place, from, bytes + more, space)) {
        found[count++] = group(from, place, space, table);
        from = place;
        bytes = 0;
      }
      bytes += more;
    }
    if (from < order.length) {
      found[count++] = group(from, order.length, space, table);
    }
    Group[] all = Arrays.copyOf(found, count);
    Arrays.sort(all, Comparator.comparingInt(Group::node)); // stable, so in the order of the hashes
    return all;
  }

  /** Whether a write may be in one group with those before it. */
  private boolean joins(int place, int from, long bytes, HashSpace space) {
    int index = order[place];
    int before = order[place - 1];
    return place - from < EncodedEntries.MAX_ENTRIES
        && bytes <= EncodedEntries.MAX_BYTES
        && writes.bytes(index) <= EncodedEntries.MAX_ENTRY_BYTES
        && writes.bytes(before) <= EncodedEntries.MAX_ENTRY_BYTES
        && space.segment(hashes[before]) == space.segment(hashes[index])
        && !sameKey(before, index);
  }

  private Group group(int from, int to, HashSpace space, SegmentTable table) {
    int segment = space.segment(hashes[order[from]]);
    return new Group(segment, from, to, table.primaryOrdinal(segment));
  }

  // ---- What comes of it

  /** The number of operations. */
  public int count() {
    return groups.length;
  }

  /** How many writes an operation carries out. */
  public int size(int group) {
    return groups[group].to - groups[group].from;
  }

  /** The index of a write of an operation among those that were grouped. */
  public int index(int group, int entry) {
    return order[groups[group].from + entry];
  }

  /**
   * The operation.
   *
   * @param ifAbsent whether only absent keys are written
   */
  public Request request(int group, String cache, int format, boolean ifAbsent) {
    Group one = groups[group];
    if (one.to - one.from == 1) {
      return single(order[one.from], cache, format, ifAbsent);
    }
    int bytes = 0;
    for (int place = one.from; place < one.to; place++) {
      int index = order[place];
      bytes +=
          EncodedEntries.bytesOf(
              writes.keyLength(index), writes.valueLength(index), writes.expiryMillis(index));
    }
    EncodedEntries.Writer writer = new EncodedEntries.Writer(one.to - one.from, bytes);
    for (int place = one.from; place < one.to; place++) {
      int index = order[place];
      writer.add(
          writes.array(),
          writes.start(index),
          writes.keyLength(index),
          writes.valueLength(index),
          writes.expiryMillis(index));
    }
    return Request.putAll(ifAbsent, cache, format, one.segment, writer.bytes());
  }

  private Request single(int index, String cache, int format, boolean ifAbsent) {
    return Request.set(
        ifAbsent ? Kind.PUT_IF_ABSENT : Kind.PUT,
        cache,
        format,
        writes.key(index),
        writes.value(index),
        writes.expiryMillis(index),
        false);
  }
}
