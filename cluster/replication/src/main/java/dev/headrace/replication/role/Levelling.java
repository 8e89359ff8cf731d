package dev.headrace.replication.role;

import dev.headrace.replication.log.Letters;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.log.Turn;
import dev.headrace.stream.NodeId;

/**
 * The second step of taking office (P6): the other owners are sent what they lack; one whose
 * history is too far behind, or another one, gets a new copy in its place. When the primary serves,
 * owners that have everything are told so and may be read, and then the former ones may forget what
 * they have. Guarded by the lane.
 */
final class Levelling {
  private final Roll roll;
  private final Letters letters;
  private final SegmentHistory history;
  private final Outboxes outboxes;
  private final Counter counter;
  private boolean released;
  private long toldNanos;

  Levelling(
      Roll roll, Letters letters, SegmentHistory history, Outboxes outboxes, Counter counter) {
    this.roll = roll;
    this.letters = letters;
    this.history = history;
    this.outboxes = outboxes;
    this.counter = counter;
  }

  void begin(Turn turn) {
    for (Follower follower : roll.followers()) {
      boolean sameHistory =
          follower.confirmedSequence() <= history.appliedSequence()
              && history.recent().term(follower.confirmedSequence()) == follower.term();
      if (sameHistory) {
        outboxes.push(follower, turn);
      } else {
        outboxes.fillInPlace(follower, turn);
      }
    }
  }

  // ---- When the primary serves

  /** Tells an owner that has everything by now that it may be read. */
  void tell(Follower follower, Turn turn) {
    if (!follower.whole()
        && !follower.filling()
        && follower.confirmedSequence() >= counter.acknowledgedSequence()) {
      turn.send(follower.node(), letters.levelled(follower.fill()));
    }
  }

  void tellAll(Turn turn) {
    toldNanos = turn.nowNanos();
    roll.followers().forEach(follower -> tell(follower, turn));
  }

  /** Tells them again who have not answered: until they have, nobody may forget anything. */
  void tick(long resendNanos, Turn turn) {
    if (!roll.allWhole() && turn.nowNanos() - toldNanos >= resendNanos) {
      tellAll(turn);
    }
  }

  /** Whether owners have to be told that they have everything, or to answer. */
  boolean unsettled() {
    return !roll.allWhole();
  }

  /**
   * Former owners may forget what they have when every owner knows that it has everything: until
   * then only they could say so if this node failed.
   */
  void release(Turn turn) {
    if (!released && roll.allWhole()) {
      released = true;
      roll.formers().forEach(former -> turn.send(former.node(), letters.settled(0)));
    }
  }

  /** A former owner asks whether it may forget what it has. */
  void answer(NodeId former, Turn turn) {
    if (roll.allWhole()) {
      turn.send(former, letters.settled(0));
    } else {
      // Perhaps they have been told and their answers were lost.
      tellAll(turn);
    }
  }
}
