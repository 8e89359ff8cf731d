package dev.headrace.stream.batch;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A node's answer to one request: entries as bytes, and how each segment goes on.
 *
 * <p>It has one owner at a time, who may read its buffer until it releases it. Handing a batch to
 * another thread needs a happens-before edge; the batch itself has none.
 */
public final class Batch {

  private final long epoch;
  private final ByteBuffer entries;
  private final List<SegmentPart> parts;
  private final long entryBytes;
  private final Runnable releaser;
  private boolean released; // guarded by ownership

  /**
   * @param epoch the version of the segment table that the node answered with
   * @param entries entries one behind the other, from position to limit
   * @param parts in the order of the request's segments
   * @param entryBytes the next entry's size if the last part says that it is too large, else 0
   * @param releaser gives the buffer back; run once, by the thread that releases the batch
   */
  public Batch(
      long epoch, ByteBuffer entries, List<SegmentPart> parts, long entryBytes, Runnable releaser) {
    this.epoch = epoch;
    this.entries = entries;
    this.parts = parts;
    this.entryBytes = entryBytes;
    this.releaser = releaser;
  }

  /** The version of the segment table that the node answered with. */
  public long epoch() {
    return epoch;
  }

  /** The entries, from position to limit; valid until the batch is released. */
  public ByteBuffer entries() {
    return entries;
  }

  /** What the batch says about each segment, in the order of the request's segments. */
  public List<SegmentPart> parts() {
    return parts;
  }

  /** How many entries there are. */
  public int entryCount() {
    int count = 0;
    for (int i = 0; i < parts.size(); i++) {
      count += parts.get(i).entries();
    }
    return count;
  }

  /** The size of the next entry if it was too large, else 0. */
  public long entryBytes() {
    return entryBytes;
  }

  /**
   * Gives the buffer back.
   *
   * @throws IllegalStateException if it was given back before
   */
  public void release() {
    if (released) {
      throw new IllegalStateException("a batch was released twice: it had two owners");
    }
    released = true;
    releaser.run();
  }
}
