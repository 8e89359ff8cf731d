package dev.headrace.api.stream;

/**
 * What a stream tells, as values: its elements, and what becomes of the segments. In order: a
 * segment is completed behind its last element.
 *
 * @param <T> entries, keys or values
 */
public sealed interface StreamSignal<T> {

  /**
   * An element of the stream.
   *
   * @param element an entry, key or value
   */
  record Element<T>(T element) implements StreamSignal<T> {}

  /**
   * The last element of a segment has been handed over. Each segment that is read is completed or
   * lost exactly once, also one without elements.
   *
   * @param segment 0 to the cluster's number of segments, exclusive
   */
  record SegmentCompleted<T>(int segment) implements StreamSignal<T> {}

  /**
   * A segment could not be read to its end, and what remained of it is left out ({@link
   * Delivery#AT_MOST_ONCE} only; otherwise the stream ends with an error that names the segment).
   *
   * @param segment 0 to the cluster's number of segments, exclusive
   */
  record SegmentLost<T>(int segment) implements StreamSignal<T> {}
}
