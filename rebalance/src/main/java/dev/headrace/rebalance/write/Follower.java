package dev.headrace.rebalance.write;

import dev.headrace.stream.NodeId;

/**
 * A backup as its primary sees it: the outbox to it is the history between what it has confirmed
 * and the end. Guarded by the lane.
 */
final class Follower {
  private final NodeId node;
  private boolean heard;
  private long confirmedSequence;
  private long sentSequence;
  private long progressNanos;

  Follower(NodeId node, long nowNanos) {
    this.node = node;
    this.progressNanos = nowNanos;
  }

  NodeId node() {
    return node;
  }

  /** Whether it has said, under the present owners, how far its history goes. */
  boolean heard() {
    return heard;
  }

  /** The last mutation that it is known to have. */
  long confirmedSequence() {
    return confirmedSequence;
  }

  /** The last mutation that was sent to it and may be on its way. */
  long sentSequence() {
    return sentSequence;
  }

  /** How long nothing has come from it or gone to it. */
  long idleNanos(long nowNanos) {
    return nowNanos - progressNanos;
  }

  /** It says how far its history goes. */
  void confirm(long sequence, long nowNanos) {
    if (!heard) {
      heard = true;
      progressNanos = nowNanos;
      sentSequence = sequence;
      confirmedSequence = sequence;
    } else if (sequence > confirmedSequence) {
      progressNanos = nowNanos;
      confirmedSequence = sequence;
      sentSequence = Math.max(sentSequence, sequence);
    }
  }

  void sent(long sequence, long nowNanos) {
    if (sentSequence == confirmedSequence) {
      progressNanos = nowNanos;
    }
    sentSequence = sequence;
  }

  /** Whatever was on its way to it is lost, or was asked for again. */
  void sendAgain(long nowNanos) {
    sentSequence = confirmedSequence;
    progressNanos = nowNanos;
  }
}
