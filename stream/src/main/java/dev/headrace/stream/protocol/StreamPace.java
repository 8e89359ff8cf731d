package dev.headrace.stream.protocol;

/**
 * How a stream's credit is divided, and how long it may take.
 *
 * @param adaptive whether the shares of nodes follow how quickly they answer, and slow owners are
 *     hedged; otherwise all nodes have equal shares and are waited for
 * @param requestBytes the most bytes that a node is asked for at a time; a larger entry travels
 *     alone
 * @param deadlineNanos how long the stream may take, 0 for ever
 */
public record StreamPace(boolean adaptive, int requestBytes, long deadlineNanos) {

  /** Equal shares, requests of any size, and no deadline. */
  public static final StreamPace FIXED = new StreamPace(false, Integer.MAX_VALUE, 0);

  /** The same, where the shares of nodes follow how quickly they answer. */
  public StreamPace asAdaptive() {
    return new StreamPace(true, requestBytes, deadlineNanos);
  }

  /** The same with smaller or larger requests. */
  public StreamPace withRequestBytes(int most) {
    return new StreamPace(adaptive, most, deadlineNanos);
  }

  /** The same with a deadline. */
  public StreamPace withDeadline(long nanos) {
    return new StreamPace(adaptive, requestBytes, nanos);
  }
}
