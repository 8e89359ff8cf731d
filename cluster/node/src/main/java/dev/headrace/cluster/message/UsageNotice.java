package dev.headrace.cluster.message;

/**
 * A node tells the others how much direct memory it uses, for people who look at any of them.
 *
 * @param streamBudgetBytes what its streams may hold together
 * @param streamBytes what they hold or have been promised
 * @param streams streams that have begun and not ended
 * @param waitingStreams streams that wait for memory
 * @param bufferBytes what the buffers of its connections take, those of its streams included
 */
public record UsageNotice(
    long streamBudgetBytes, long streamBytes, int streams, int waitingStreams, long bufferBytes)
    implements NodeMessage {

  /** Checks the numbers. */
  public UsageNotice {
    if (streamBudgetBytes < 0
        || streamBytes < 0
        || streams < 0
        || waitingStreams < 0
        || bufferBytes < 0) {
      throw new IllegalArgumentException("a use of memory cannot be negative");
    }
  }
}
