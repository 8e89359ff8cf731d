package dev.headrace.stream.pull;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.StreamDeadlineException;
import java.time.Duration;

/** The error of a stream whose time is up. */
final class Overdue {

  private Overdue() {}

  static StreamDeadlineException failure(long deadlineNanos, String cache, Place place) {
    return new StreamDeadlineException(
        "The stream of \""
            + cache
            + "\" has not ended within its deadline of "
            + Duration.ofNanos(deadlineNanos)
            + ". What was handed over is correct, and resumeToken() stands for the rest: resume"
            + " from it, or set a later deadline",
        FaultScope.ofCache(cache),
        place.encode());
  }
}
