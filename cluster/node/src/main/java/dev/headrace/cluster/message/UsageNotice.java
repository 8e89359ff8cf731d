package dev.headrace.cluster.message;

import java.util.BitSet;
import java.util.List;

/**
 * Tells other nodes how much direct memory a node uses, how much it retains for readers of changes,
 * and which of its replicas are not complete, so that each can report it.
 *
 * @param streamBudgetBytes the most bytes that its streams may hold together
 * @param streamBytes the bytes that they hold or were granted
 * @param streams streams that have begun and not ended
 * @param waitingStreams streams that wait for memory
 * @param bufferBytes the bytes of its connections' buffers, those of its streams included
 * @param changeBytes the bytes of the changes that it retains, on the heap
 * @param incompleteReplicas the segments that it owns and cannot answer for yet
 * @param incompleteSegments the first of these, in ascending order, at most {@value
 *     #MAX_INCOMPLETE}
 */
public record UsageNotice(
    long streamBudgetBytes,
    long streamBytes,
    int streams,
    int waitingStreams,
    long bufferBytes,
    long changeBytes,
    int incompleteReplicas,
    List<Integer> incompleteSegments)
    implements NodeMessage {
  /** The most segments that are named. */
  public static final int MAX_INCOMPLETE = 256;

  /** Checks the numbers. */
  public UsageNotice {
    incompleteSegments = List.copyOf(incompleteSegments);
    if (streamBudgetBytes < 0
        || streamBytes < 0
        || streams < 0
        || waitingStreams < 0
        || bufferBytes < 0
        || changeBytes < 0) {
      throw new IllegalArgumentException("a use of memory cannot be negative");
    }
    int named = incompleteSegments.size();
    if (named > MAX_INCOMPLETE || named > incompleteReplicas) {
      throw new IllegalArgumentException(
          "%d segments are named of %d that are incomplete".formatted(named, incompleteReplicas));
    }
  }

  /** Adds the segments whose replicas are not complete. */
  public UsageNotice incomplete(BitSet segments) {
    return new UsageNotice(
        streamBudgetBytes,
        streamBytes,
        streams,
        waitingStreams,
        bufferBytes,
        changeBytes,
        segments.cardinality(),
        segments.stream().limit(MAX_INCOMPLETE).boxed().toList());
  }

  /** A node all of whose replicas are complete. */
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
}
