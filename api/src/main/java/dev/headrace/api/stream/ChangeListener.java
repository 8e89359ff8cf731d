package dev.headrace.api.stream;

import java.util.function.Supplier;

/**
 * Watches one stream of changes. Calls are serial, in order with the stream's signals and on the
 * same threads; an exception that a method throws ends the stream with that error.
 */
public interface ChangeListener {

  /**
   * The stream knows of each segment from where on it tells changes: none that is made from now on
   * is missed. Called once; not by a stream that goes on from a token.
   */
  default void started() {}

  /** The content of a segment has been handed over to its last entry; its changes follow. */
  default void segmentCompleted(int segment) {}

  /**
   * The stream has fallen behind the changes of a segment that the nodes retain, and goes on with a
   * summary: a {@link Change.Kind#REPLACED} element and the segment's content follow.
   */
  default void rangeReplaced(int segment) {}

  /**
   * An element has been handed over, and a stream could go on behind it. Called when {@code onNext}
   * has returned, or when an iterator is asked for what follows.
   *
   * @param token makes the resume token, in time proportional to the number of segments; call it
   *     before this method returns
   */
  default void consumed(Supplier<String> token) {}
}
