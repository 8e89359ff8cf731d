package dev.headrace.api.stream;

import java.util.function.Supplier;

/**
 * Watches one stream's progress. Calls are serial, in order with the stream's signals and on the
 * same threads; an exception that a method throws ends the stream with that error.
 */
public interface StreamListener {

  /**
   * A batch of a node has arrived. Its entries have not been handed over yet.
   *
   * @param node the node's name
   * @param entries how many entries it has
   * @param bytes how many bytes these take
   */
  default void batchReceived(String node, int entries, long bytes) {}

  /** The last entry of a segment has been handed over. */
  default void segmentCompleted(int segment) {}

  /** A segment could not be read and is left out ({@link Delivery#AT_MOST_ONCE} only). */
  default void segmentSkipped(int segment) {}

  /**
   * A batch has been handed over to its last entry: the stream could be resumed from here. Called
   * when {@code onNext} has returned for that entry, or an iterator is asked for what follows it.
   * What arrives later arrives again in a stream that is resumed with the token, so store it
   * together with what was done with the entries.
   *
   * @param token makes the resume token; call it before this method returns
   */
  default void batchConsumed(Supplier<String> token) {}
}
