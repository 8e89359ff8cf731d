package dev.headrace.cluster.message;

/**
 * Tells other nodes how much direct memory a node uses, and how much it retains for readers of
 * changes, so that each can report it.
 *
 * @param streamBudgetBytes the most bytes that its streams may hold together
 * @param streamBytes the bytes that they hold or were granted
 * @param streams streams that have begun and not ended
 * @param waitingStreams streams that wait for memory
 * @param bufferBytes the bytes of its connections' buffers, those of its streams included
 * @param changeBytes the bytes of the changes that it retains, on the heap
 */
public record UsageNotice(
    long streamBudgetBytes,
    long streamBytes,
    int streams,
    int waitingStreams,
    long bufferBytes,
    long changeBytes)
    implements NodeMessage {

  /** Checks the numbers. */
  public UsageNotice {
    if (streamBudgetBytes < 0
        || streamBytes < 0
        || streams < 0
        || waitingStreams < 0
        || bufferBytes < 0
        || changeBytes < 0) {
      throw new IllegalArgumentException("a use of memory cannot be negative");
    }
  }
}
