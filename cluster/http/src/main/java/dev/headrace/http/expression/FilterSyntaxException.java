package dev.headrace.http.expression;

/** A condition that cannot be read, or does not fit the cache. */
public final class FilterSyntaxException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final int position;

  FilterSyntaxException(int position, String message) {
    super(message + ", at character " + (position + 1));
    this.position = position;
  }

  /** Where it went wrong: the index of a character of the text, from 0; its length for the end. */
  public int position() {
    return position;
  }
}
