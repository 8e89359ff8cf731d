package dev.headrace.replication.role;

import dev.headrace.replication.message.Standing;
import dev.headrace.stream.NodeId;

/**
 * Another owner, or a former one, as a primary sees it; of a backup the outbox is the history
 * between what it has confirmed and the end. Guarded by the lane.
 */
final class ReplicaProgress {
  private final NodeId node;
  private boolean heard;
  private boolean inSync;
  private Standing standing = Standing.NONE;
  private boolean copying;
  private long copyNumber;
  private long askedBehind = -1;
  private long lacksBehind = -1;
  private long term;
  private long confirmedSequence;
  private long sentSequence;
  private long progressNanos;

  ReplicaProgress(NodeId node, long nowNanos) {
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

  /** Whether it has everything that was acknowledged, and may be read. */
  boolean inSync() {
    return inSync;
  }

  void becomeInSync() {
    inSync = true;
  }

  /** The term of the last mutation that it had when it was first heard. */
  long term() {
    return term;
  }

  /** Behind which mutation it was asked for its history after all had been heard; -1 for none. */
  long askedBehind() {
    return askedBehind;
  }

  void askBehind(long sequence) {
    askedBehind = sequence;
  }

  /** Behind which mutation it has none left, although it has later ones; -1 if it has not said. */
  long lacksBehind() {
    return lacksBehind;
  }

  void lackBehind(long sequence) {
    lacksBehind = sequence;
  }

  /** Whether it has no copy of the segment, so that nothing can be acknowledged. */
  boolean copying() {
    return copying;
  }

  /** The number of its last copy in this term, 0 if there was none. */
  long copyNumber() {
    return copyNumber;
  }

  /** It is given a new copy. */
  void beginCopy() {
    copying = true;
    inSync = false;
  }

  /** It has a copy again, up to a mutation. */
  void endCopy(long number, long sequence, long nowNanos) {
    copying = false;
    copyNumber = number;
    confirmedSequence = sequence;
    sentSequence = sequence;
    progressNanos = nowNanos;
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

  /**
   * It says, perhaps for the first time, what it has.
   *
   * @param segmentEpoch the epoch of the present owners
   */
  void hear(long sequence, long lastTerm, Standing says, long segmentEpoch, long nowNanos) {
    if (!heard || sequence > confirmedSequence) {
      term = lastTerm;
    }
    if (!copying) {
      standing = says;
      inSync |= says.inSyncUnder() == segmentEpoch;
      confirm(sequence, nowNanos);
    }
  }

  /** What it has said of its copy. */
  Standing standing() {
    return standing;
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
