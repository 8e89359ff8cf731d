package dev.headrace.cli.terminal;

import dev.headrace.api.error.HeadraceException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** What went wrong, in one line. */
public final class FailureText {
  private FailureText() {}

  /** The message of what went wrong, on one line. */
  public static String oneLine(Throwable e) {
    if (e instanceof CommandFailure || e instanceof HeadraceException) {
      return String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", " ");
    }
    return "unexpected error: "
        + String.valueOf(e).replaceAll("\\s*\\R\\s*", " ")
        + "; run it with --verbose to see where, and please report it";
  }

  /** Why a file cannot be read or written. */
  public static CommandFailure file(String name, IOException e) {
    if (String.valueOf(e.getMessage()).contains("Broken pipe")) {
      return CommandFailure.nobodyReads(e);
    }
    String reason;
    if (e instanceof NoSuchFileException) {
      reason = "there is no such file or folder; check the path";
    } else if (e instanceof AccessDeniedException) {
      reason = "access is denied; check the permissions";
    } else {
      reason = String.valueOf(e.getMessage()).replace(name + ": ", "");
    }
    return new CommandFailure(name + ": " + reason, e);
  }
}
