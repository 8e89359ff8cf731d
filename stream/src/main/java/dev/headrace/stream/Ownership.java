package dev.headrace.stream;

import java.util.List;

/**
 * Who owns which segment, as this node knows it. A port, implemented by the cluster over its
 * segment table; all methods may be called from any thread and none blocks.
 */
public interface Ownership {

  /** Bits of an epoch below its ballot. */
  int EPOCH_NUMBER_BITS = 40;

  /** The lowest of these bits, which count a coordinator's tables; people are told only them. */
  int EPOCH_COUNT_BITS = EPOCH_NUMBER_BITS / 2;

  /** This node. */
  NodeId self();

  /**
   * The newest image that this node has.
   *
   * @throws dev.headrace.api.error.NodeClosedException after the node was closed
   */
  View view();

  /**
   * Runs a task once, as soon as the view's epoch is greater than the given one: at once, on the
   * calling thread, if it already is. The task must be short and must not block. When the node is
   * closed it is run too, and then finds {@link #view} failing.
   *
   * @return to be cancelled by whoever does not wait any more
   */
  Timer.Cancellable awaitNewerThan(long epoch, Runnable task);

  /** An immutable image of the ownership of all segments, replaced as a whole. */
  interface View {

    /**
     * The image's version, which only grows: the coordinator's ballot in the upper bits, its number
     * in the lower {@link #EPOCH_NUMBER_BITS}.
     */
    long epoch();

    /** Number of segments of the cluster, at least 1. */
    int segments();

    /** How many nodes own the segment; 0 if it has lost them all, or none can be reached. */
    int ownerCount(int segment);

    /** What is to be said of a segment that nobody owns, after its number. */
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

    /** How often the segment has lost all its owners. */
    int incarnation(int segment);

    /** Whether anything was ever written to the cluster. */
    boolean written();
  }
}
