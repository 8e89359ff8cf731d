package dev.headrace.cluster.ingest.batch;

import java.util.ArrayList;
import java.util.List;

/**
 * Writes that leave together, for one node; of values without a key, for one segment.
 *
 * <pre>
 * state    event                                       next
 * -------  ------------------------------------------  -------
 * OPEN     a write is added                            OPEN
 * OPEN     it is full                                  SEALED
 * OPEN     its linger is over, or the source has ended DUE
 * DUE      a write is added                            DUE, or SEALED when it is full
 * SEALED,  the node has room                           SENT
 * DUE
 * SENT     the last of its writes has ended            (ended)
 * </pre>
 */
public final class WriteBatch {
  /** Of a batch for whatever segments of a node. */
  public static final int ANY_SEGMENT = -1;

  private final NodeLoad node;
  private final int segment;
  private final long openedNanos;
  private final List<PendingWrite> writes = new ArrayList<>();
  private long bytes;
  private boolean sealed;
  private boolean due;
  private long dueNanos;
  private long sentNanos;
  private int left;

  public WriteBatch(NodeLoad node, int segment, long openedNanos) {
    this.node = node;
    this.segment = segment;
    this.openedNanos = openedNanos;
  }

  public NodeLoad node() {
    return node;
  }

  public int segment() {
    return segment;
  }

  public long openedNanos() {
    return openedNanos;
  }

  public void add(PendingWrite write) {
    writes.add(write);
    bytes += write.bytes();
    write.batch(this);
  }

  /** A write has another value. */
  public void grow(long addedBytes) {
    bytes += addedBytes;
  }

  public List<PendingWrite> writes() {
    return writes;
  }

  public long bytes() {
    return bytes;
  }

  /** Whether it takes no more writes. */
  public boolean sealed() {
    return sealed;
  }

  public void seal() {
    sealed = true;
  }

  /** Whether it waits for nothing but room at the node. */
  public boolean due() {
    return due;
  }

  public void becomeDue(long nowNanos) {
    due = true;
    dueNanos = nowNanos;
  }

  public long dueNanos() {
    return dueNanos;
  }

  public void leave(long nowNanos) {
    sealed = true;
    sentNanos = nowNanos;
    left = writes.size();
    writes.forEach(write -> write.leave(nowNanos));
  }

  public long sentNanos() {
    return sentNanos;
  }

  /** One of its writes has ended; returns whether it was the last. */
  public boolean ended() {
    return --left == 0;
  }
}
