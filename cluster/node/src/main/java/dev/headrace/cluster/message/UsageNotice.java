package dev.headrace.cluster.message;

import java.util.BitSet;
import java.util.List;

/**
 * Tells other nodes how much direct memory a node uses, how much it retains for readers of changes,
 * and which of its replicas are not in sync, so that each can report it.
 *
 * @param streamBudgetBytes the most bytes that its streams may hold together
 * @param streamBytes the bytes that they hold or were granted
 * @param streams streams that have begun and not ended
 * @param waitingStreams streams that wait for memory
 * @param bufferBytes the bytes of its connections' buffers, those of its streams included
 * @param changeBytes the bytes of the changes that it retains, on the heap
 * @param outOfSyncReplicas how many segments it owns and is not in sync for
 * @param outOfSyncSegments the first of these, in ascending order, at most {@value #MAX_NAMED}
 */
public record UsageNotice(
    long streamBudgetBytes,
    long streamBytes,
    int streams,
    int waitingStreams,
    long bufferBytes,
    long changeBytes,
    int outOfSyncReplicas,
    List<Integer> outOfSyncSegments)
    implements NodeMessage {
  /** The most segments that are named. */
  public static final int MAX_NAMED = 256;

  /** Checks the numbers. */
  public UsageNotice {
    outOfSyncSegments = List.copyOf(outOfSyncSegments);
    if (streamBudgetBytes < 0
        || streamBytes < 0
        || streams < 0
        || waitingStreams < 0
        || bufferBytes < 0
        || changeBytes < 0) {
      throw new IllegalArgumentException("a use of memory cannot be negative");
    }
    int named = outOfSyncSegments.size();
    boolean segments = outOfSyncSegments.stream().allMatch(segment -> segment >= 0);
    if (named > MAX_NAMED || named > outOfSyncReplicas || !segments) {
      throw new IllegalArgumentException(
          "%s cannot be named of %d replicas that are not in sync"
              .formatted(outOfSyncSegments, outOfSyncReplicas));
    }
  }

  /** A node that is in sync for all that it owns. */
  public UsageNotice(
      long streamBudgetBytes,
      long streamBytes,
      int streams,
      int waitingStreams,
      long bufferBytes,
      long changeBytes) {
    this(
        streamBudgetBytes,
        streamBytes,
        streams,
        waitingStreams,
        bufferBytes,
        changeBytes,
        0,
        List.of());
  }

  /** Adds the segments that the node is not in sync for. */
  public UsageNotice outOfSync(BitSet segments) {
    return new UsageNotice(
        streamBudgetBytes,
        streamBytes,
        streams,
        waitingStreams,
        bufferBytes,
        changeBytes,
        segments.cardinality(),
        segments.stream().limit(MAX_NAMED).boxed().toList());
  }
}
