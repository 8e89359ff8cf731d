package dev.headrace.cli.file;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A file's text is not what its format asks for. */
public final class MalformedTextException extends IOException {
  private static final long serialVersionUID = 1L;

  private final long line;
  private final long column;

  private final @Nullable String record;

  MalformedTextException(Place place, String problem) {
    this(place, problem, null);
  }

  /** A record that is malformed by itself, so that the next one can be read. */
  MalformedTextException(Place place, String problem, @Nullable String record) {
    super(problem);
    line = place.line();
    column = place.column();
    this.record = record;
  }

  /** The line, counted from 1. */
  public long line() {
    return line;
  }

  /** The column in code points, counted from 1. */
  public long column() {
    return column;
  }

  /** The malformed record, if what follows it can be read; null if nothing more can. */
  public @Nullable String record() {
    return record;
  }

  /** A place in a text. */
  record Place(long line, long column) {}
}
