package dev.headrace.stream.pull;

import dev.headrace.api.stream.StreamListener;

/**
 * A {@link StreamListener} that is also told how much credit a stream has drawn. For measurements.
 */
public interface CreditListener extends StreamListener {

  /**
   * A request was sent; this much is buffered or in flight now.
   *
   * @param entries never more than the stream's batch size
   * @param bytes never more than the stream's byte budget, unless a large entry travels alone
   */
  void credited(int entries, long bytes);
}
