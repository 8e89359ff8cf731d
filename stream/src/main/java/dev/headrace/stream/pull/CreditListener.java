package dev.headrace.stream.pull;

import dev.headrace.api.stream.StreamListener;

/** A {@link StreamListener} that is also told how much a stream holds: for measurements. */
public interface CreditListener extends StreamListener {

  /**
   * How much is buffered or in flight for the stream, after a request was sent.
   *
   * @param entries never more than the stream's batch size
   * @param bytes never more than the stream's byte budget, but for an entry that travels alone
   */
  void credited(int entries, long bytes);
}
