package dev.headrace.stream.protocol;

/**
 * How a stream's credit is divided, and how long it may take.
 *
 * @param adaptive whether the shares of nodes follow how quickly they answer, and slow owners are
 *     hedged; otherwise all nodes have equal shares and are waited for
 * @param deadlineNanos how long the stream may take, 0 for ever
 */
public record StreamPace(boolean adaptive, long deadlineNanos) {

  /** Equal shares, and no deadline. */
  public static final StreamPace FIXED = new StreamPace(false, 0);
}
