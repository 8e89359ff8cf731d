package dev.headrace.rebalance.table;

import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;

/**
 * How a table's content becomes 64 bits.
 *
 * <p>A row's stamp is a sum of one term for each owner, which a mixing function makes of segment,
 * incarnation, place and node, so that the order of the owners counts; a range's stamp is the sum
 * of its rows' stamps modulo 2^64, so that a changed row is taken out and put in again without
 * looking at any other. What is about members is a chain through the same function. The mixing
 * function is the finalizer of SplitMix64 (Steele, Lea, Flood 2014; constants of David Stafford's
 * variant 13). It guards against chance, not against somebody who wants two contents to look alike.
 */
final class Stamp {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private Stamp() {}

  /** Continues a chain by one value. */
  static long chain(long stamp, long value) {
    return mix(stamp + GOLDEN + value);
  }

  /** A node's identity as 64 bits. */
  static long of(NodeId node) {
    return chain(chain(0, node.high()), node.low());
  }

  /** Everything in a member. */
  static long of(Member member) {
    ByteBuffer form = ByteBuffer.allocate((member.encodedBytes() + 7) / 8 * 8);
    member.encode(form);
    return of(form.clear());
  }

  /** Everything in a form of whole words. */
  private static long of(ByteBuffer form) {
    long stamp = form.capacity();
    while (form.hasRemaining()) {
      stamp = chain(stamp, form.getLong());
    }
    return stamp;
  }

  /** Everything in a header but its epoch. */
  static long of(TableHeader header) {
    long stamp = chain(header.clusterId(), header.firstWrite());
    stamp = chain(stamp, header.hashSeed());
    stamp = chain(stamp, ((long) header.segments() << 32) | header.configuredOwners());
    stamp = chain(stamp, ((long) header.protocol() << 32) | header.maxEntryBytes());
    ByteBuffer form = ByteBuffer.allocate((Text.encodedBytes(header.placement()) + 7) / 8 * 8);
    Text.encode(header.placement(), form);
    return chain(stamp, of(form.clear()));
  }

  /**
   * A segment's owners in their order, and its incarnation.
   *
   * @param marks the nodes' identities by ordinal, each as {@link #of(NodeId)} makes it
   */
  static long ofRow(
      int segment, int incarnation, long[] marks, short[] ordinals, int from, int length) {
    long row = mix((((long) segment << 32) | incarnation) + GOLDEN);
    long stamp = row;
    for (int index = 0; index < length; index++) {
      // Terms that do not wait for each other: a processor works on several at a time.
      stamp += mix(row + (index + 1) * GOLDEN + marks[ordinals[from + index]]);
    }
    return stamp;
  }

  private static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }
}
