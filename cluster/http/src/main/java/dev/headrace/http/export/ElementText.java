package dev.headrace.http.export;

import java.util.List;

/**
 * An element as text. Immutable.
 *
 * @param <T> entries, or rows of some of their parts
 */
interface ElementText<T> {

  /** The names of the columns. */
  List<String> columns();

  /**
   * Appends the element as a JSON object, without its closing brace.
   *
   * @throws RuntimeException if its bytes are none of the cache's formats
   */
  void appendJson(T element, StringBuilder json);

  /**
   * What a column says, as people read it; empty for null.
   *
   * @throws RuntimeException if its bytes are none of the cache's formats
   */
  String column(T element, int column);
}
