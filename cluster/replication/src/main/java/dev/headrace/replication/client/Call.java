package dev.headrace.replication.client;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.ReplicationMessage;
import dev.headrace.stream.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One operation under way. Its state is guarded by its monitor, under which nothing is sent. */
final class Call {
  /**
   * How long the answer to a small request may take before the operation is sent again; doubles
   * every time.
   */
  static final long FIRST_ANSWER_NANOS = 500_000_000L;

  static final long MAX_ANSWER_NANOS = 4_000_000_000L; // the longest time between two attempts

  /** How long a call waits after a node that was not ready; doubles every time. */
  static final long FIRST_BACKOFF_NANOS = 1_000_000L;

  static final long MAX_BACKOFF_NANOS = 64_000_000L; // the longest such wait

  /** How long a read waits after a second owner has declined, before it asks another. */
  static final long DECLINED_HEDGE_NANOS = 20_000_000L;

  /** How often a declined write is sent again while an earlier attempt is not answered. */
  static final int MAX_REPEATS_AFTER_DECLINE = 6;

  private static final long NOT_YET = Long.MIN_VALUE;

  private final Request request;
  private final Completion completion;
  private final int segment;
  private final int window;
  private final long timeoutNanos;
  private volatile long number; // 0 before it begins
  private volatile boolean givenUp; // whether it has ended before it began
  private @Nullable NodeId target;

  /** When this node was admitted, as the last attempt says. */
  private long admission = SegmentTable.NEVER;

  private @Nullable SegmentTable table;
  private int sends;

  /** The second node that was asked, as the target does not answer; null for none. */
  private volatile @Nullable NodeId second;

  private int declinedHedges; // how many others were asked for this target and have declined

  /** When the latest of them did, to the accuracy of a tick; meaningless before. */
  private long declinedNanos = NOT_YET;

  /** A bit for each of the last attempts, by its number: whether it has not been refused. */
  private long open;

  /** Of these, the ones whose answer may be on its way: no node was lost since they were sent. */
  private long awaited;

  private int repeatsAfterDecline;
  private boolean ending; // it has no further attempt
  private boolean doubtful; // whether an attempt that is older than these was not refused
  private boolean refused;
  private int moves;
  private long answerNanos = FIRST_ANSWER_NANOS;
  private long backoffNanos = FIRST_BACKOFF_NANOS;
  private long waitNanos;

  /** When the present wait and the whole time began; set by the first tick that sees them. */
  private long waitingSinceNanos = NOT_YET;

  private long deadlineNanos = NOT_YET;

  Call(Request request, Completion completion, int segment, int window, long timeoutNanos) {
    this.request = request;
    this.completion = completion;
    this.segment = segment;
    this.window = window;
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

  int window() {
    return window;
  }

  /** The number that the nodes know it by; 0 as long as it waits for one. */
  long number() {
    return number;
  }

  /** Gives it its number; false if it has been given up. */
  synchronized boolean begin(long given) {
    number = givenUp ? 0 : given;
    return !givenUp;
  }

  /** Ends it before it begins; false if it has begun, or has ended so. */
  synchronized boolean giveUp() {
    boolean ends = number == 0 && !givenUp;
    givenUp |= ends;
    return ends;
  }

  /** Whether it has ended before it began. */
  boolean givenUp() {
    return givenUp;
  }

  /**
   * Begins an attempt under a table that has owners for the segment; returns whom to ask. Null if
   * it must not be sent again: it may have been carried out before this node was excluded from its
   * cluster and admitted again, and no node could tell.
   */
  synchronized @Nullable NodeId aim(SegmentTable now, NodeId self) {
    long present = now.admittedAt(self);
    if (present != admission && admission != SegmentTable.NEVER && uncertain()) {
      return null;
    }
    admission = present;
    int owners = now.ownerCount(segment);
    NodeId chosen = now.owner(segment, 0);
    if (request.kind() == Operation.Kind.GET) {
      boolean near = moves == 0 && now.isOwner(segment, self);
      chosen = near ? self : now.owner(segment, moves % owners);
    }
    target = chosen;
    table = now;
    second = null;
    declinedHedges = 0;
    sends++;
    doubtful |= (open & bit(sends)) != 0;
    open |= bit(sends);
    awaited |= bit(sends);
    refused = false;
    rest(answerNanos + ReplicationMessage.wayNanos(request.bytes()));
    return chosen;
  }

  private static long bit(int attempt) {
    return 1L << attempt; // the lowest bits of the number count
  }

  /** The number of the last attempt, from 1. */
  synchronized int attempt() {
    return sends;
  }

  /**
   * The second node that a read asks once its target has taken long; null if there is none yet. A
   * backup may answer as well as the primary does: it has all that was acknowledged.
   */
  synchronized @Nullable NodeId hedge(long nowNanos, Hedging hedging) {
    NodeId slow = target;
    SegmentTable known = table;
    if (request.kind() != Operation.Kind.GET
        || refused
        || second != null
        || slow == null
        || known == null
        || known.ownerCount(segment) < 2
        || !hasWaited(nowNanos, slow, hedging)) {
      return null;
    }
    int owners = known.ownerCount(segment);
    for (int i = 0; i < owners; i++) {
      NodeId owner = known.owner(segment, (moves + 1 + declinedHedges + i) % owners);
      if (!owner.equals(slow)) {
        second = owner;
        return owner;
      }
    }
    return null;
  }

  private boolean hasWaited(long nowNanos, NodeId slow, Hedging hedging) {
    if (waitingSinceNanos == NOT_YET || nowNanos - waitingSinceNanos < hedging.delayNanos(slow)) {
      return false;
    }
    if (declinedHedges > 0 && declinedNanos == NOT_YET) {
      declinedNanos = nowNanos;
    }
    return declinedHedges == 0 || nowNanos - declinedNanos >= DECLINED_HEDGE_NANOS;
  }

  /** Takes note of who has answered first, if two were asked. */
  void answeredBy(NodeId from, Hedging hedging) {
    if (second == null) {
      return;
    }
    @Nullable NodeId slow;
    boolean useful;
    synchronized (this) {
      slow = target;
      useful = from.equals(second);
    }
    if (slow == null) {
      return;
    }
    if (useful) {
      hedging.useful(slow);
    } else if (from.equals(slow)) {
      hedging.needless(slow);
    }
  }

  /**
   * An attempt has come to a node that was not ready.
   *
   * @return whether the call should be sent again at once, because there is another table by now
   */
  synchronized boolean refused(NodeId from, long attempt, @Nullable SegmentTable newest) {
    declined(attempt);
    if (!from.equals(target) || refused) {
      declineHedge(from);
      return false;
    }
    refused = true;
    moves++;
    backOff();
    return table != null && newest != null && table.epoch() < newest.epoch();
  }

  /**
   * An attempt was not carried out. A refusal may arrive twice, so that it speaks for its own
   * attempt only.
   */
  synchronized void declined(long attempt) {
    if (attempt > sends - Long.SIZE && attempt <= sends) {
      open &= ~bit((int) attempt);
      awaited &= ~bit((int) attempt);
    }
  }

  /** What becomes of a call after an attempt was declined. */
  enum AfterDecline {
    /** It waits for the answer to another attempt. */
    WAIT,
    /** It ends, and no attempt was carried out. */
    NOT_CARRIED_OUT,
    /** It ends, and some attempt may have been carried out. */
    UNKNOWN
  }

  /**
   * An attempt was declined for good. The last one may be carried out yet; and an earlier one may
   * have been, or may lie at the node that declined, whose answers need not come in order. So a few
   * times the call is sent again instead of ending as unknown. When it ends, it is not sent again.
   */
  synchronized AfterDecline declinedForGood(long attempt) {
    declined(attempt);
    if (!request.kind().mutation()) {
      ending = true;
      return AfterDecline.NOT_CARRIED_OUT;
    }
    if (attempt < sends && (open & bit(sends)) != 0) {
      return AfterDecline.WAIT;
    }
    if (awaited != 0 && !doubtful && repeatsAfterDecline < MAX_REPEATS_AFTER_DECLINE) {
      repeatsAfterDecline++;
      refused = true;
      rest(MAX_BACKOFF_NANOS);
      return AfterDecline.WAIT;
    }
    ending = true;
    return uncertain() ? AfterDecline.UNKNOWN : AfterDecline.NOT_CARRIED_OUT;
  }

  /** Whether it has no further attempt, since it ends. */
  synchronized boolean ending() {
    return ending;
  }

  private void declineHedge(NodeId from) {
    if (from.equals(second)) {
      second = null;
      declinedHedges++;
      declinedNanos = NOT_YET;
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
  synchronized boolean movedBy(SegmentTable newer, NodeId self) {
    SegmentTable known = table;
    boolean moved =
        known == null
            || refused
            || known.segmentEpoch(segment) != newer.segmentEpoch(segment)
            || (admission != newer.admittedAt(self) && request.kind().mutation());
    if (moved) {
      moves = 0;
      backoffNanos = FIRST_BACKOFF_NANOS;
      answerNanos = FIRST_ANSWER_NANOS;
    }
    return moved;
  }

  /** What was sent to a node may be lost. */
  synchronized void lost(NodeId node) {
    awaited = 0;
    if (node.equals(target) && !refused) {
      refused = true;
      moves++;
      backOff();
    } else {
      declineHedge(node);
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
    if (!refused) {
      moves++;
      answerNanos = Math.min(MAX_ANSWER_NANOS, answerNanos * 2);
    }
    return true;
  }

  /** Whether it may have been carried out although no answer says so. */
  synchronized boolean uncertain() {
    return request.kind().mutation() && (doubtful || open != 0);
  }

  /** The name of the node that was asked last and has not answered; none if there is no such. */
  synchronized List<String> silent() {
    return sends == 0 || refused ? List.of() : List.of(name());
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
