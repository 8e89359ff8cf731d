package dev.headrace.api.stream;

/**
 * A publisher of a cache's content, in several forms: plain, with a token at every element, or with
 * what becomes of the segments. Each form is cold, and each subscription to one of them is a stream
 * of its own.
 *
 * @param <T> entries, keys or values
 */
public interface ContentPublisher<T> extends StreamPublisher<T> {

  /**
   * The same elements, each with the place behind it. Costs one hash of the key and two small
   * objects per element, and keys travel also for {@link CacheStream#values}.
   */
  ContentPublisher<TokenedElement<T>> withTokens();

  /** The same elements, and between them which segments are completed or lost. */
  StreamPublisher<StreamSignal<T>> signals();
}
