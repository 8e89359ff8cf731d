package dev.headrace.cluster.ingest.batch;

/**
 * What an {@link IngestMachine} goes by.
 *
 * @param batchBytes after how many bytes a batch is full
 * @param lingerNanos how long a batch that is not full waits for more
 * @param retryNanos how long a write that was not carried out is tried again
 * @param conflates whether one of several waiting writes of a key is enough
 * @param keepsFirst whether that is the first, rather than the last
 */
public record IngestLimits(
    int batchBytes, long lingerNanos, long retryNanos, boolean conflates, boolean keepsFirst) {

  /** The most batches in flight to a node, as Kafka's. */
  public static final int MAX_IN_FLIGHT = 5;

  /** So many batches are in flight to a node before one waits to be full, and becomes larger. */
  public static final int USUAL_IN_FLIGHT = 2;

  /**
   * A node that has so much to do gets batches that are larger by this factor: the more writes of a
   * segment are in one, the fewer operations they are.
   */
  public static final int SLOW_FACTOR = 16;

  /** How long a write waits that is tried again. */
  public static final long BACKOFF_NANOS = 50_000_000L;
}
