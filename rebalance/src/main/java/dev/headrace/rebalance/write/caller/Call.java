package dev.headrace.rebalance.write.caller;

import dev.headrace.rebalance.message.Operation;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import org.jspecify.annotations.Nullable;

/** One operation under way. Its state is guarded by its monitor, under which nothing is sent. */
final class Call {

  /** After so long without an answer it is sent again; doubled every time. */
  static final long FIRST_ANSWER_NANOS = 500_000_000L;

  /** The longest time between two attempts. */
  static final long MAX_ANSWER_NANOS = 4_000_000_000L;

  /** So long it waits after having come to a node that was not ready; doubled every time. */
  static final long FIRST_BACKOFF_NANOS = 1_000_000L;

  /** The longest such wait. */
  static final long MAX_BACKOFF_NANOS = 64_000_000L;

  private static final long NOT_YET = Long.MIN_VALUE;

  private final Request request;
  private final Completion completion;
  private final int segment;
  private final int strand;
  private final long number;
  private final long timeoutNanos;

  private @Nullable NodeId target;
  private @Nullable SegmentTable table;
  private int sends;

  /** Attempts that came to the present target and were not refused. */
  private int open;

  /** Whether an attempt that came to an earlier target was not refused while it was the target. */
  private boolean doubtful;

  private boolean refused;
  private int moves;
  private long answerNanos = FIRST_ANSWER_NANOS;
  private long backoffNanos = FIRST_BACKOFF_NANOS;
  private long waitNanos;

  /** When the present wait and the whole time began; set by the first tick that sees them. */
  private long waitingSinceNanos = NOT_YET;

  private long deadlineNanos = NOT_YET;

  Call(
      Request request,
      Completion completion,
      int segment,
      int strand,
      long number,
      long timeoutNanos) {
    this.request = request;
    this.completion = completion;
    this.segment = segment;
    this.strand = strand;
    this.number = number;
    this.timeoutNanos = timeoutNanos;
  }

  Request request() {
    return request;
  }

  Completion completion() {
    return completion;
  }

  int segment() {
    return segment;
  }

  int strand() {
    return strand;
  }

  long number() {
    return number;
  }

  /** Begins an attempt under a table that has owners for the segment; returns whom to ask. */
  synchronized NodeId aim(SegmentTable now, NodeId self) {
    int owners = now.ownerCount(segment);
    NodeId chosen = now.owner(segment, 0);
    if (request.kind() == Operation.Kind.GET) {
      boolean near = moves == 0 && now.isOwner(segment, self);
      chosen = near ? self : now.owner(segment, moves % owners);
    }
    if (!chosen.equals(target)) {
      doubtful |= open > 0;
      open = 0;
    }
    target = chosen;
    table = now;
    sends++;
    open++;
    refused = false;
    rest(answerNanos);
    answerNanos = Math.min(MAX_ANSWER_NANOS, answerNanos * 2);
    return chosen;
  }

  /**
   * An attempt has come to a node that was not ready.
   *
   * @return whether the call should be sent again at once, because there is another table by now
   */
  synchronized boolean refused(NodeId from, @Nullable SegmentTable newest) {
    declined(from);
    if (!from.equals(target) || refused) {
      return false;
    }
    refused = true;
    moves++;
    backOff();
    return table != null && newest != null && table.epoch() < newest.epoch();
  }

  /**
   * An attempt that was sent to a node was not carried out. An answer of an earlier target may have
   * been counted already when it was the target, so that what is open there stays in doubt.
   */
  synchronized void declined(NodeId from) {
    if (from.equals(target)) {
      open = Math.max(0, open - 1);
    }
  }

  private void backOff() {
    rest(backoffNanos);
    backoffNanos = Math.min(MAX_BACKOFF_NANOS, backoffNanos * 2);
  }

  private void rest(long nanos) {
    waitNanos = nanos;
    waitingSinceNanos = NOT_YET;
  }

  /** Whether a newer table is a reason to send it again. */
  synchronized boolean movedBy(SegmentTable newer) {
    SegmentTable known = table;
    boolean moved =
        known == null || refused || known.segmentEpoch(segment) != newer.segmentEpoch(segment);
    if (moved) {
      moves = 0;
      backoffNanos = FIRST_BACKOFF_NANOS;
      answerNanos = FIRST_ANSWER_NANOS;
    }
    return moved;
  }

  /** What was sent to a node may be lost. */
  synchronized void lost(NodeId node) {
    if (node.equals(target) && !refused) {
      refused = true;
      moves++;
      backOff();
    }
  }

  /** Whether its whole time is up. */
  synchronized boolean overdue(long nowNanos) {
    if (deadlineNanos == NOT_YET) {
      deadlineNanos = nowNanos + timeoutNanos;
    }
    return nowNanos - deadlineNanos >= 0;
  }

  /** Whether the present wait is over. */
  synchronized boolean rested(long nowNanos) {
    if (waitingSinceNanos == NOT_YET) {
      waitingSinceNanos = nowNanos;
    }
    if (nowNanos - waitingSinceNanos < waitNanos) {
      return false;
    }
    moves += refused ? 0 : 1;
    return true;
  }

  /** Whether it may have been carried out although no answer says so. */
  synchronized boolean uncertain() {
    return request.kind().mutation() && (doubtful || open > 0);
  }

  /** For people. */
  synchronized String describe() {
    if (sends == 0) {
      return "never sent";
    }
    return sends == 1 ? "sent to " + name() : "sent %d times, last to %s".formatted(sends, name());
  }

  private String name() {
    NodeId asked = target;
    Member member = table == null || asked == null ? null : table.member(asked);
    return member == null ? String.valueOf(asked) : member.name();
  }
}
