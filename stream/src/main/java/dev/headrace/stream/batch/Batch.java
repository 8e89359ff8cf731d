package dev.headrace.stream.batch;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A node's answer to one request: entries as bytes, and how each segment continues.
 *
 * <p>A batch has one owner at a time, which may read the buffer until it releases the batch. The
 * batch provides no happens-before edge: whoever passes it to another thread must.
 */
public final class Batch {

  /** Instead of a mutation's number, where nobody copies. */
  public static final long NO_SEQUENCE = -1;

  private final long epoch;
  private final ByteBuffer entries;
  private final List<SegmentPart> parts;
  private final long entryBytes;
  private final long sequence;
  private final Runnable releaser;
  private boolean released; // guarded by ownership

  /** A batch of a stream. */
  public Batch(
      long epoch, ByteBuffer entries, List<SegmentPart> parts, long entryBytes, Runnable releaser) {
    this(epoch, entries, parts, entryBytes, NO_SEQUENCE, releaser);
  }

  /**
   * @param epoch the epoch of the segment table with which the node answered
   * @param entries entries without gaps, from the buffer's position to its limit
   * @param parts in the order of the request's segments
   * @param entryBytes the next entry's size in bytes if the last part is {@code TOO_LARGE}, else 0
   * @param sequence see {@link #sequence}
   * @param releaser returns the buffer; run once, by the thread that releases the batch
   */
  public Batch(
      long epoch,
      ByteBuffer entries,
      List<SegmentPart> parts,
      long entryBytes,
      long sequence,
      Runnable releaser) {
    this.epoch = epoch;
    this.entries = entries;
    this.parts = parts;
    this.entryBytes = entryBytes;
    this.sequence = sequence;
    this.releaser = releaser;
  }

  /** The epoch of the segment table with which the node answered. */
  public long epoch() {
    return epoch;
  }

  /** The entries, from the buffer's position to its limit. Valid until the batch is released. */
  public ByteBuffer entries() {
    return entries;
  }

  /** How each segment continues, in the order of the request's segments. */
  public List<SegmentPart> parts() {
    return parts;
  }

  /** The number of entries. */
  public int entryCount() {
    int count = 0;
    for (int i = 0; i < parts.size(); i++) {
      count += parts.get(i).entries();
    }
    return count;
  }

  /** The size in bytes of the next entry if it was too large, else 0. */
  public long entryBytes() {
    return entryBytes;
  }

  /**
   * The last mutation of the segment's history that the entries may contain, if they were asked for
   * as {@link dev.headrace.stream.entry.Projection#REPLICA} and the node is the segment's primary;
   * else {@link #NO_SEQUENCE}.
   */
  public long sequence() {
    return sequence;
  }

  /**
   * Returns the buffer.
   *
   * @throws IllegalStateException if the batch was released before
   */
  public void release() {
    if (released) {
      throw new IllegalStateException("a batch was released twice: it had two owners");
    }
    released = true;
    releaser.run();
  }
}
