package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.History;
import dev.headrace.replication.message.Mutation;
import dev.headrace.stream.NodeId;
import java.util.List;

/**
 * The first step of becoming primary (P6): every other owner and every former one says how far its
 * history goes (see {@link RecoverySet} for whom it need not hear), and what this node lacks is
 * fetched from whoever has most. Guarded by the lane.
 */
final class HistoryRecovery {
  private final RecoverySet recoverySet;
  private final MessageFactory messages;
  private final LaneSettings settings;
  private final SegmentHistory history;
  private boolean stuck;
  private boolean lossReported;
  private long lossReportedNanos;

  HistoryRecovery(
      RecoverySet recoverySet,
      MessageFactory messages,
      LaneSettings settings,
      SegmentHistory history) {
    this.recoverySet = recoverySet;
    this.messages = messages;
    this.settings = settings;
    this.history = history;
  }

  void begin(Effects effects) {
    for (ReplicaProgress progress : recoverySet.otherOwners()) {
      ask(progress, effects);
    }
    for (ReplicaProgress former : recoverySet.formerProgress()) {
      ask(former, effects);
    }
  }

  /** The table has changed, but not the owners; former owners that have come back are asked. */
  void askReturned(SegmentTable newer, Effects effects) {
    recoverySet.returned(newer, effects.nowNanos()).forEach(back -> ask(back, effects));
  }

  private void ask(ReplicaProgress one, Effects effects) {
    effects.send(one.node(), messages.historyRequest());
  }

  // ---- Answers

  /**
   * Somebody has told its history, or a part of what this node lacks of it; false for strangers.
   */
  boolean heard(NodeId from, History message, Effects effects) {
    ReplicaProgress one = recoverySet.any(from);
    if (one == null) {
      return false;
    }
    messages.cache().learn(message.format());
    history.learnsUnder(message.epoch());
    recoverySet.served(message.servedTerm());
    recoverySet.learnRows(message.pastOwners());
    one.hear(
        message.sequence(),
        message.term(),
        message.standing(),
        messages.table().segmentEpoch(messages.segment()),
        effects.nowNanos());
    // Only now: a former owner of long ago may have gone another way than the others.
    boolean chosen = everybodyHeard(effects) && ahead().contains(one);
    if (chosen && isNext(message)) {
      take(message);
    } else if (chosen && isGone(message)) {
      one.lackBehind(history.appliedSequence());
      reportGap(one, effects);
    }
    return true;
  }

  /** Somebody says that it has something: a former owner that was out of reach is asked. */
  void appeared(NodeId from, Effects effects) {
    if (recoverySet.any(from) == null) {
      ReplicaProgress back = recoverySet.back(from, messages.table(), effects.nowNanos());
      if (back != null) {
        ask(back, effects);
      }
    }
  }

  private boolean isNext(History message) {
    return message.afterTerm() == history.appliedTerm()
        && !message.mutations().isEmpty()
        && message.mutations().get(0).firstSequence() == history.appliedSequence() + 1;
  }

  private boolean isGone(History message) {
    return message.mutations().isEmpty()
        || message.mutations().get(0).firstSequence() > history.appliedSequence() + 1;
  }

  /** Tells that nobody has both as much as this one and what comes next here, if that is so. */
  private void reportGap(ReplicaProgress one, Effects effects) {
    if (!ahead().stream().allMatch(this::lacksNext)) {
      return;
    }
    if (!stuck) {
      stuck = true;
      effects.damaged(
          "%s has more of the history than this node, its primary, and the part between is gone: it gets the segment back"
              .formatted(one.node()));
    }
    effects.giveBack(one.node(), messages.table().segmentEpoch(messages.segment()));
  }

  private void take(History message) {
    for (Mutation mutation : message.mutations()) {
      history.apply(mutation);
    }
  }

  // ---- The end

  /** Whether this node has all that there is; if not, it asks for what it lacks. */
  boolean conclude(Effects effects) {
    if (!everybodyHeard(effects)) {
      return false;
    }
    if (recoverySet.isLost()) {
      reportLoss(effects);
      return false;
    }
    List<ReplicaProgress> best = ahead();
    for (ReplicaProgress one : best) {
      if (!lacksNext(one)) {
        if (one.askedBehind() != history.appliedSequence()) {
          one.askBehind(history.appliedSequence());
          ask(one, effects);
        }
        break; // the next one is asked when this one has said that it lacks something
      }
    }
    return best.isEmpty();
  }

  private boolean lacksNext(ReplicaProgress one) {
    return one.lacksBehind() == history.appliedSequence();
  }

  private boolean everybodyHeard(Effects effects) {
    return recoverySet.complete(messages.table(), effects.nowNanos());
  }

  private List<ReplicaProgress> ahead() {
    return recoverySet.ahead(history.appliedTerm(), history.appliedSequence());
  }

  private void reportLoss(Effects effects) {
    if (!lossReported || effects.nowNanos() - lossReportedNanos >= settings.resendNanos()) {
      lossReported = true;
      lossReportedNanos = effects.nowNanos();
      effects.lost(messages.table().segmentEpoch(messages.segment()));
    }
  }

  /** Time has passed: asks those again that have not answered. */
  void tick(Effects effects) {
    recoverySet.otherOwners().forEach(progress -> askAgain(progress, effects));
    recoverySet.formerProgress().forEach(former -> askAgain(former, effects));
  }

  private void askAgain(ReplicaProgress one, Effects effects) {
    if (!one.overdue(effects.nowNanos(), settings.resendNanos())) {
      return;
    }
    boolean ahead =
        one.term() > history.appliedTerm() || one.confirmedSequence() > history.appliedSequence();
    if (!one.heard() || ahead) {
      one.sendAgain(effects.nowNanos()); // an answer may be large, and still on its way
      ask(one, effects);
    }
  }
}
