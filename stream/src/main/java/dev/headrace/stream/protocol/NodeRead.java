package dev.headrace.stream.protocol;

import dev.headrace.stream.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * One node's part of a stream: the segments assigned to it, and the credit that it holds. Owned by
 * the drain.
 */
public final class NodeRead {

  /** How many batches of one node may wait: one that is being handed over, and one behind it. */
  static final int MAX_BUFFERED_BATCHES = 2;

  final NodeId node;
  final boolean local;
  final Segments queue = new Segments();

  // All guarded by the drain.
  @Nullable PendingRead inFlight;
  boolean active;
  int heldEntries;
  long heldBytes;
  int bufferedBatches;
  long sentAtNanos;
  final AnswerTimes.Rate rate = new AnswerTimes.Rate();

  /** The size of the next entry if it did not fit in a request, else 0. */
  long nextEntryBytes;

  NodeRead(NodeId node, boolean local) {
    this.node = node;
    this.local = local;
  }

  /** The node. */
  public NodeId id() {
    return node;
  }

  /** How many segments at the head of the queue the request in flight names. */
  int segmentsInFlight() {
    return inFlight == null ? 0 : inFlight.request().segments().length;
  }

  boolean hasWork() {
    return inFlight != null || !queue.isEmpty();
  }

  boolean mayAsk() {
    return inFlight == null && !queue.isEmpty() && bufferedBatches < MAX_BUFFERED_BATCHES;
  }

  /** A queue of segment numbers. */
  static final class Segments {
    private int[] ring = new int[16];
    private int head;
    private int size;

    int size() {
      return size;
    }

    boolean isEmpty() {
      return size == 0;
    }

    int get(int index) {
      return ring[(head + index) & (ring.length - 1)];
    }

    void addLast(int segment) {
      if (size == ring.length) {
        int[] larger = new int[2 * size];
        for (int i = 0; i < size; i++) {
          larger[i] = get(i);
        }
        ring = larger;
        head = 0;
      }
      ring[(head + size++) & (ring.length - 1)] = segment;
    }

    int removeFirst() {
      int segment = get(0);
      head = (head + 1) & (ring.length - 1);
      size--;
      return segment;
    }

    /** Removes and returns all segments from an index on. */
    int[] removeFrom(int index) {
      int[] removed = new int[size - index];
      for (int i = 0; i < removed.length; i++) {
        removed[i] = get(index + i);
      }
      size = index;
      return removed;
    }
  }
}
