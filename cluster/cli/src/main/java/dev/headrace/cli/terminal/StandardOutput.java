package dev.headrace.cli.terminal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Standard output as a file that reports errors, and as one for lines, whose errors are kept.
 * Closing either does nothing. Used by several threads.
 */
public final class StandardOutput extends FilterOutputStream {
  private static final String NAME = "standard output";

  private final PrintStream lines = new PrintStream(this, true, StandardCharsets.UTF_8);
  private volatile @Nullable IOException failure; // the first one

  /** An output to these bytes. */
  public StandardOutput(OutputStream bytes) {
    super(bytes);
  }

  /** For lines in UTF-8. */
  PrintStream lines() {
    return lines;
  }

  /**
   * Ends a command whose output was not written.
   *
   * @throws CommandFailure if some of it was not; one of which nothing is said if nobody reads it
   */
  public void check() throws CommandFailure {
    lines.flush();
    IOException first = failure;
    if (first != null) {
      throw FailureText.file(NAME, first);
    }
  }

  @Override
  public void write(int single) throws IOException {
    write(new byte[] {(byte) single}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      keep(e);
      throw e;
    }
  }

  private synchronized void keep(IOException e) {
    if (failure == null) {
      failure = e;
    }
  }

  @Override
  public void close() {
    // Standard output is not the command's to close.
  }
}
