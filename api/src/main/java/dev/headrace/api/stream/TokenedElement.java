package dev.headrace.api.stream;

/**
 * An element of a stream, and the place behind it. For engines that checkpoint between any two
 * elements. Immutable; the token may be made at any time, on any thread, also when the stream has
 * gone on or ended.
 *
 * @param <T> entries, keys or values
 */
public interface TokenedElement<T> {

  /** The element. */
  T element();

  /**
   * Makes the resume token of the place behind this element: what was handed over up to here, this
   * element included, does not come again, and everything else does. Entries that are buffered
   * behind this one count as not handed over.
   *
   * <p>The string is made with each call. It is below 1 KB with 256 segments and below 16 KB with
   * 10,000, unless entries expired in the stream's buffer, whose keys it then contains.
   *
   * @throws dev.headrace.api.error.HeadraceException if those keys are too large for a token: set
   *     smaller batches
   */
  String token();
}
