package dev.headrace.stream.pull;

import dev.headrace.api.stream.StreamListener;

/**
 * A {@link StreamListener} that is also told how much credit a stream has drawn, and may bound what
 * one node is asked for at a time. For measurements, and for consumers that must hold little.
 */
public interface CreditListener extends StreamListener {

  /**
   * A request was sent, or what was unread was given back; this much is buffered or in flight now.
   *
   * @param entries never more than the stream's batch size
   * @param bytes never more than the stream's byte budget, unless a large entry travels alone
   */
  void credited(int entries, long bytes);

  /** The most bytes that a node is asked for at a time; a larger entry travels alone. */
  default int requestBytes() {
    return Integer.MAX_VALUE;
  }
}
