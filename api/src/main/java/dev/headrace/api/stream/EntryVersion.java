package dev.headrace.api.stream;

/**
 * Which write an entry comes from: every write of a key gives it another version, also one that
 * sets the same value, and one that follows a removal. Two versions are equal if they come from the
 * same write. A version means nothing for another key or cache.
 *
 * @param term the epoch of the segment table at which the segment's primary began to serve; never
 *     negative
 * @param counter the number of the write in its segment; 1 or more
 */
public record EntryVersion(long term, long counter) {

  /** Checks the numbers. */
  public EntryVersion {
    if (term < 0 || counter < 1) {
      throw new IllegalArgumentException(
          "A version has a term of at least 0 and a counter of at least 1, but these are "
              + term
              + " and "
              + counter);
    }
  }

  /**
   * Reads a version from its text, as {@link #toString} makes it.
   *
   * @throws IllegalArgumentException if the text is not a version
   */
  public static EntryVersion parse(String text) {
    int dash = text.indexOf('-');
    try {
      return new EntryVersion(
          Long.parseLong(text, 0, Math.max(0, dash), Character.MAX_RADIX),
          Long.parseLong(text, dash + 1, text.length(), Character.MAX_RADIX));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("\"" + text + "\" is not the version of an entry", e);
    }
  }

  /** A short text of digits, letters and one dash, for instance for an HTTP entity tag. */
  @Override
  public String toString() {
    return Long.toString(term, Character.MAX_RADIX)
        + "-"
        + Long.toString(counter, Character.MAX_RADIX);
  }
}
