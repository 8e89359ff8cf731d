package dev.headrace.cli.file;

import java.io.IOException;

/** A file's text is not what its format asks for. */
public final class MalformedTextException extends IOException {
  private static final long serialVersionUID = 1L;

  private final long line;
  private final long column;

  MalformedTextException(Place place, String problem) {
    super(problem);
    line = place.line();
    column = place.column();
  }

  /** The line, counted from 1. */
  public long line() {
    return line;
  }

  /** The column in code points, counted from 1. */
  public long column() {
    return column;
  }

  /** A place in a text. */
  record Place(long line, long column) {}
}
