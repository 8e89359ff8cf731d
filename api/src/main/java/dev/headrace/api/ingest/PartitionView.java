package dev.headrace.api.ingest;

/**
 * What a {@link Partitioner} goes by: the segments, and how the nodes that own them keep up. Valid
 * during a call of the partitioner only.
 */
public interface PartitionView {

  /** The number of segments; they are numbered from 0. */
  int segments();

  /** After how many bytes a batch is full. */
  int batchBytes();

  /** Bytes in the segment's open batch; 0 if it has none. */
  long openBytes(int segment);

  /**
   * Whether the segment's open batch waits for more: its {@code linger} is not over, and it is not
   * full.
   */
  boolean lingers(int segment);

  /**
   * Bytes that wait for the segment's node or are in flight to it, of all its segments: its queue.
   */
  long queuedBytes(int segment);

  /**
   * How long another batch would take until the segment's node has acknowledged it, by the time
   * that batches took before and by how many are there; 0 as long as that is not known.
   *
   * @return nanoseconds
   */
  long expectedNanos(int segment);

  /**
   * How long a batch has waited that the segment's node had no room for; 0 if none waits so.
   *
   * @return nanoseconds
   */
  long stalledNanos(int segment);

  /** Whether the segment has an owner. */
  boolean available(int segment);
}
