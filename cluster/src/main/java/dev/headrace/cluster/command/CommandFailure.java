package dev.headrace.cluster.command;

import org.jspecify.annotations.Nullable;

/** Ends a command with one line on standard error: what failed, why, and what to do. */
final class CommandFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /** The exit code of everything that went wrong but has no code of its own. */
  static final int FAILED = 1;

  /** The exit code of a key that is not there. */
  static final int NOT_FOUND = 3;

  /** The exit code of a command that ctrl-C stopped. */
  static final int INTERRUPTED = 130;

  private final int exitCode;

  CommandFailure(String message) {
    this(FAILED, message, null);
  }

  CommandFailure(String message, Throwable cause) {
    this(FAILED, message, cause);
  }

  CommandFailure(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  int exitCode() {
    return exitCode;
  }
}
