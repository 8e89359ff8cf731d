package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.Letters;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.log.Turn;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.Mutation;
import dev.headrace.stream.NodeId;
import java.util.List;

/**
 * The first step of taking office (P6): every other owner and every former one says how far its
 * history goes (see {@link Roll} for whom it need not hear), and what this node lacks is fetched
 * from whoever has most. Guarded by the lane.
 */
final class RollCall {
  private final Roll roll;
  private final Letters letters;
  private final LaneSettings settings;
  private final SegmentHistory history;
  private boolean stuck;
  private boolean lossReported;
  private long lossReportedNanos;

  RollCall(Roll roll, Letters letters, LaneSettings settings, SegmentHistory history) {
    this.roll = roll;
    this.letters = letters;
    this.settings = settings;
    this.history = history;
  }

  void begin(Turn turn) {
    for (Follower follower : roll.followers()) {
      ask(follower, turn);
    }
    for (Follower former : roll.formers()) {
      ask(former, turn);
    }
  }

  /** The table has changed, but not the owners; former owners that have come back are asked. */
  void askReturned(SegmentTable newer, Turn turn) {
    roll.returned(newer, turn.nowNanos()).forEach(back -> ask(back, turn));
  }

  private void ask(Follower one, Turn turn) {
    turn.send(one.node(), letters.historyRequest());
  }

  // ---- Answers

  /**
   * Somebody has told its history, or a part of what this node lacks of it; false for strangers.
   */
  boolean heard(NodeId from, History message, Turn turn) {
    Follower one = roll.any(from);
    if (one == null) {
      return false;
    }
    letters.cache().learn(message.format());
    roll.served(message.servedTerm());
    roll.learnRows(message.pastOwners());
    one.hear(
        message.sequence(),
        message.term(),
        message.standing(),
        letters.table().segmentEpoch(letters.segment()),
        turn.nowNanos());
    // Only now: a former owner of long ago may have gone another way than the others.
    boolean chosen = everybodyHeard(turn) && ahead().contains(one);
    if (chosen && isNext(message)) {
      take(message);
    } else if (chosen && isGone(message)) {
      one.lackBehind(history.appliedSequence());
      reportGap(one, turn);
    }
    return true;
  }

  /** Somebody says that it has something: a former owner that was out of reach is asked. */
  void appeared(NodeId from, Turn turn) {
    if (roll.any(from) == null) {
      Follower back = roll.back(from, letters.table(), turn.nowNanos());
      if (back != null) {
        ask(back, turn);
      }
    }
  }

  private boolean isNext(History message) {
    return message.afterTerm() == history.appliedTerm()
        && !message.mutations().isEmpty()
        && message.mutations().get(0).sequence() == history.appliedSequence() + 1;
  }

  private boolean isGone(History message) {
    return message.mutations().isEmpty()
        || message.mutations().get(0).sequence() > history.appliedSequence() + 1;
  }

  /** Tells that nobody has both as much as this one and what comes next here, if that is so. */
  private void reportGap(Follower one, Turn turn) {
    if (!ahead().stream().allMatch(this::lacksNext)) {
      return;
    }
    if (!stuck) {
      stuck = true;
      turn.damaged(
          "%s has more of the history than this node, its primary, and the part between is gone: it gets the segment back"
              .formatted(one.node()));
    }
    turn.giveBack(one.node(), letters.table().segmentEpoch(letters.segment()));
  }

  private void take(History message) {
    for (Mutation mutation : message.mutations()) {
      history.apply(mutation);
    }
  }

  // ---- The end

  /** Whether this node has all that there is; if not, it asks for what it lacks. */
  boolean conclude(Turn turn) {
    if (!everybodyHeard(turn)) {
      return false;
    }
    if (roll.isLost()) {
      reportLoss(turn);
      return false;
    }
    List<Follower> best = ahead();
    for (Follower one : best) {
      if (!lacksNext(one)) {
        if (one.askedBehind() != history.appliedSequence()) {
          one.askBehind(history.appliedSequence());
          ask(one, turn);
        }
        break; // the next one is asked when this one has said that it lacks something
      }
    }
    return best.isEmpty();
  }

  private boolean lacksNext(Follower one) {
    return one.lacksBehind() == history.appliedSequence();
  }

  private boolean everybodyHeard(Turn turn) {
    return roll.complete(letters.table(), turn.nowNanos());
  }

  private List<Follower> ahead() {
    return roll.ahead(history.appliedTerm(), history.appliedSequence());
  }

  private void reportLoss(Turn turn) {
    if (!lossReported || turn.nowNanos() - lossReportedNanos >= settings.resendNanos()) {
      lossReported = true;
      lossReportedNanos = turn.nowNanos();
      turn.lost(letters.table().segmentEpoch(letters.segment()));
    }
  }

  /** Time has passed: asks those again that have not answered. */
  void tick(Turn turn) {
    roll.followers().forEach(follower -> askAgain(follower, turn));
    roll.formers().forEach(former -> askAgain(former, turn));
  }

  private void askAgain(Follower one, Turn turn) {
    if (one.idleNanos(turn.nowNanos()) < settings.resendNanos()) {
      return;
    }
    boolean ahead =
        one.term() > history.appliedTerm() || one.confirmedSequence() > history.appliedSequence();
    if (!one.heard() || ahead) {
      one.sendAgain(turn.nowNanos());
      ask(one, turn);
    }
  }
}
