package dev.headrace.benchmarks.harness;

/**
 * A system delivered something else than what was put into it: entries too few or too many, or
 * another value. A run in which that happens fails, and the cell is not tried again.
 */
public final class WrongContentException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** Says what came instead of what. */
  public WrongContentException(String message) {
    super(message);
  }
}
