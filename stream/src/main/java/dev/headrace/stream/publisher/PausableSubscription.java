package dev.headrace.stream.publisher;

import org.reactivestreams.Subscription;

/** A subscription whose subscriber may say that it will request nothing for a while. */
public interface PausableSubscription extends Subscription {

  /**
   * Releases what the stream has received and not handed over, if nobody has requested for {@link
   * dev.headrace.stream.protocol.StreamMemory#PAUSED_NANOS}; it is read again after the next
   * request. What one node has sent at once and of which some was handed over stays. For any
   * thread; never blocks.
   */
  void giveBackUnread();
}
