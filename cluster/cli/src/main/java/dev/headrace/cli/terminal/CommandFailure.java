package dev.headrace.cli.terminal;

import org.jspecify.annotations.Nullable;

/** Ends a command with one line on standard error: what failed, why, and what to do. */
public final class CommandFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /** The exit code of everything that went wrong but has no code of its own. */
  public static final int FAILED = 1;

  /** The exit code of a command that was given what it cannot take. */
  public static final int USAGE = 2;

  /** The exit code of a key or cache that is not there. */
  public static final int NOT_FOUND = 3;

  /** The exit code of a command whose output nobody reads any more, as of SIGPIPE. */
  public static final int NOBODY_READS = 141;

  /** The exit code of a command that ctrl-C stopped. */
  public static final int INTERRUPTED = 130;

  private final int exitCode;
  private final @Nullable String lastLine;

  /** A failure without a code of its own. */
  public CommandFailure(String message) {
    this(FAILED, message, null);
  }

  /** A failure without a code of its own. */
  public CommandFailure(String message, Throwable cause) {
    this(FAILED, message, cause);
  }

  /** A failure with an exit code. */
  public CommandFailure(int exitCode, String message, @Nullable Throwable cause) {
    this(exitCode, message, cause, null);
  }

  private CommandFailure(
      int exitCode, String message, @Nullable Throwable cause, @Nullable String lastLine) {
    super(message, cause);
    this.exitCode = exitCode;
    this.lastLine = lastLine;
  }

  /** The end of a command whose output nobody reads any more, of which nothing is said. */
  public static CommandFailure nobodyReads(Throwable cause) {
    return new CommandFailure(NOBODY_READS, "", cause);
  }

  /** The same failure with a further line, which comes last on standard error. */
  public CommandFailure withLastLine(String line) {
    return new CommandFailure(exitCode, String.valueOf(getMessage()), getCause(), line);
  }

  /** The process's exit code. */
  public int exitCode() {
    return exitCode;
  }

  /** What is printed after everything else, or null. */
  public @Nullable String lastLine() {
    return lastLine;
  }
}
