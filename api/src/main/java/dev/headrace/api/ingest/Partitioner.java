package dev.headrace.api.ingest;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Chooses the segment of each value without a key. Values that follow each other in one segment
 * leave in one batch, so the choice decides how full batches are, and how long values wait for them
 * to fill.
 *
 * <p>Used by one thread at a time; must not block. What it throws makes the record fail.
 */
public interface Partitioner {

  /**
   * The segment of the next value.
   *
   * @param view the segments and how their nodes keep up
   * @param bytes the size of the encoded value
   * @return from 0, below {@link PartitionView#segments}
   */
  int segment(PartitionView view, int bytes);

  /**
   * A new batch is about to be opened, since the segment that was chosen has none with enough room.
   * {@link #segment} is asked again afterwards. Kafka's {@code onNewBatch}, of KIP-480.
   *
   * @param previous the segment that was chosen
   */
  default void onNewBatch(PartitionView view, int previous) {}

  /**
   * A value was put into a segment's batch.
   *
   * @param bytes the encoded key and value
   */
  default void onAppended(PartitionView view, int segment, int bytes) {}

  /** One segment after the other. */
  static Partitioner roundRobin() {
    return new RoundRobin();
  }

  /**
   * Stays with a segment until a new batch is opened, as KIP-480 was published. A slow node's
   * batches stay open longer, and so draw ever more values; the others are for use.
   */
  static Partitioner sticky() {
    return new Sticky(RandomGenerator.getDefault());
  }

  /**
   * Stays with a segment for the bytes of a batch, so that all segments get the same, as KIP-794's
   * uniform partitioner.
   */
  static Partitioner uniformSticky() {
    return new UniformSticky(RandomGenerator.getDefault());
  }

  /** {@link #adaptiveSticky(Duration)} with 100 ms. */
  static Partitioner adaptiveSticky() {
    return adaptiveSticky(Duration.ofMillis(100));
  }

  /**
   * Stays with a segment until a new batch is opened, and then chooses one the more likely the
   * fewer bytes its node has in its queue, as KIP-794's adaptive partitioner, and the sooner it
   * answers.
   *
   * @param availabilityTimeout a node that has not taken a batch for so long is left out; zero to
   *     leave none out
   */
  static Partitioner adaptiveSticky(Duration availabilityTimeout) {
    return new AdaptiveSticky(availabilityTimeout.toNanos(), RandomGenerator.getDefault());
  }
}
