package dev.headrace.benchmarks.http.client;

/**
 * When each request of a run is due, and on which connection: in turns, at fixed intervals, as
 * {@code wrk2} does it. Times are nanoseconds from the beginning of the run.
 *
 * @param perSecond requests per second over all connections; 0 for all at once, so that each
 *     connection sends its next request when the last was answered
 * @param connections how many take turns
 * @param requests how many there are
 */
public record RequestSchedule(int perSecond, int connections, long requests) {
  private static final long NANOS = 1_000_000_000L;

  /** Checks the numbers. */
  public RequestSchedule {
    if (perSecond < 0 || connections < 1 || requests < 1) {
      throw new IllegalArgumentException(
          "a run has at least one connection and one request and no negative rate, not %d, %d, %d"
              .formatted(connections, requests, perSecond));
    }
  }

  /** A schedule that lasts for so long. */
  public static RequestSchedule lasting(int perSecond, int connections, int millis) {
    return new RequestSchedule(
        perSecond, connections, Math.max(1, (long) perSecond * millis / 1000));
  }

  /** When a request is due. */
  long dueNanos(long number) {
    return perSecond == 0 ? 0 : number * NANOS / perSecond;
  }

  /** How many requests are due at a time: those of the numbers below. */
  long dueBy(long nanos) {
    if (nanos < 0) {
      return 0;
    }
    return perSecond == 0
        ? requests
        : Math.min(requests, ((nanos + 1) * perSecond - 1) / NANOS + 1);
  }

  /** Which connection a request belongs to. */
  int connection(long number) {
    return (int) (number % connections);
  }
}
