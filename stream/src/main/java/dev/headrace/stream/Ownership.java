package dev.headrace.stream;

import java.util.List;

/**
 * Who owns which segment, as far as this node knows. A port, which the cluster implements with its
 * segment table. All methods may be called from any thread, and none blocks.
 */
public interface Ownership {

  /** How many bits of an epoch are below its ballot. */
  int EPOCH_NUMBER_BITS = 40;

  /**
   * How many of these, the lowest, count a coordinator's tables. Messages for people show only
   * these.
   */
  int EPOCH_COUNT_BITS = EPOCH_NUMBER_BITS / 2;

  /** This node. */
  NodeId self();

  /**
   * The newest image that this node has of the ownership.
   *
   * @throws dev.headrace.api.error.NodeClosedException after the node was closed
   */
  View view();

  /**
   * Runs a task once, as soon as the view's epoch is greater than the given one. If it already is,
   * the task runs at once, on the calling thread. The task must be short and must not block. It
   * also runs when the node is closed; {@link #view} throws then.
   *
   * @return cancels the wait
   */
  Timer.Cancellable awaitNewerThan(long epoch, Runnable task);

  /** The ownership of all segments at one epoch. Immutable; a newer one replaces it as a whole. */
  interface View {

    /**
     * The image's version, which only grows: the coordinator's ballot in the upper bits, the
     * table's number in the lower {@link #EPOCH_NUMBER_BITS}.
     */
    long epoch();

    /** The number of segments of the cluster, at least 1. */
    int segments();

    /** How many nodes own the segment; 0 if all are lost or none can be reached. */
    int ownerCount(int segment);

    /**
     * Why nobody owns a segment, as the end of a sentence that begins with the segment's number.
     */
    default String whyUnowned(int segment) {
      return "has no living owner";
    }

    /** The names of the nodes for which a segment waits that nobody owns; empty if for none. */
    default List<String> missingNodes(int segment) {
      return List.of();
    }

    /**
     * An owner of the segment.
     *
     * @param index 0 for the primary, below {@link #ownerCount}
     */
    NodeId owner(int segment, int index);

    /** How often the segment has lost its content with all its owners. */
    int incarnation(int segment);

    /** The version of the protocol that all nodes know; that of this release unless told. */
    default int protocol() {
      return Integer.MAX_VALUE;
    }

    /** Whether anything was ever written to the cluster. */
    boolean written();
  }
}
