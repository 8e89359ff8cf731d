package dev.headrace.replication.role;

import dev.headrace.replication.copy.LaneCopies;
import dev.headrace.replication.copy.LaneCopy;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.RecentMutations;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.stream.NodeId;

/**
 * What a primary sends to its backups, and how far they have it. Guarded by the lane.
 *
 * <p>The outboxes of all backups are one list, {@link SegmentHistory#recent}, numbered by the
 * history itself; a {@link ReplicaProgress} says which part of it is a backup's, a {@link LaneCopy}
 * which part is a learner's. An owner that is being copied to has no copy, and no outbox but the
 * feed's.
 */
final class Outboxes {
  private final RecoverySet recoverySet;
  private final MessageFactory messages;
  private final LaneSettings settings;
  private final SegmentHistory history;
  private final LaneCopies laneCopies;
  private long announcedSequence;
  private long lastMutationNanos;

  Outboxes(
      RecoverySet recoverySet,
      MessageFactory messages,
      LaneContext around,
      SegmentHistory history,
      Effects effects) {
    this.recoverySet = recoverySet;
    this.messages = messages;
    this.settings = around.settings();
    this.history = history;
    this.laneCopies =
        new LaneCopies(messages, history, around.runningCopies(), settings.resendNanos());
    this.lastMutationNanos = effects.nowNanos();
  }

  /** The learners. */
  LaneCopies laneCopies() {
    return laneCopies;
  }

  // ---- Sending

  /** There is a new mutation. */
  void publish(Effects effects) {
    lastMutationNanos = effects.nowNanos();
    for (ReplicaProgress progress : recoverySet.otherOwners()) {
      push(progress, effects);
    }
    laneCopies.pump(effects);
  }

  /** Sends a backup what it lacks, as much as may be on its way. */
  void push(ReplicaProgress progress, Effects effects) {
    if (progress.copying()) {
      return;
    }
    long end =
        Math.min(
            history.appliedSequence(), progress.confirmedSequence() + LaneSettings.MAX_IN_FLIGHT);
    for (long next = progress.sentSequence() + 1; next <= end; next++) {
      effects.send(progress.node(), messages.replicate(history.recent().get(next)));
      progress.sent(next, effects.nowNanos());
    }
  }

  /** An owner gets a new copy in the place of what it has. */
  void copyInPlace(ReplicaProgress progress, Effects effects) {
    progress.beginCopy();
    laneCopies.beginInPlace(progress.node(), effects);
  }

  /** Whatever was on its way to a node is lost. */
  void disconnected(NodeId node, Effects effects) {
    ReplicaProgress progress = recoverySet.any(node);
    if (progress != null) {
      progress.sendAgain(effects.nowNanos());
    }
    laneCopies.disconnected(node, effects);
  }

  // ---- Confirmations

  /**
   * A backup has told how far it has applied the history.
   *
   * @param missing whether something that was sent has not come
   */
  void confirmed(ReplicaProgress progress, long sequence, boolean missing, Effects effects) {
    if (sequence > history.appliedSequence()) {
      throw new IllegalStateException(
          "%s has mutation %d of segment %d, but its primary only %d"
              .formatted(progress.node(), sequence, messages.segment(), history.appliedSequence()));
    }
    progress.confirm(sequence, effects.nowNanos());
    if (missing) {
      progress.sendAgain(effects.nowNanos());
    }
    push(progress, effects);
  }

  /** An owner that was copied to in its place is a backup again. */
  void filled(ReplicaProgress progress, LaneCopy laneCopy, Effects effects) {
    laneCopies.finished(laneCopy);
    progress.endCopy(laneCopy.copyNumber(), laneCopy.confirmedSequence(), effects.nowNanos());
    push(progress, effects);
  }

  /** Up to here every owner has the history; 0 if one has no copy. */
  long confirmedSequence() {
    long confirmed = history.appliedSequence();
    for (ReplicaProgress progress : recoverySet.otherOwners()) {
      confirmed = Math.min(confirmed, progress.copying() ? 0 : progress.confirmedSequence());
    }
    return confirmed;
  }

  /** Up to here every owner that has a copy has the history. */
  long levelSequence() {
    long level = history.appliedSequence();
    for (ReplicaProgress progress : recoverySet.otherOwners()) {
      level = progress.copying() ? level : Math.min(level, progress.confirmedSequence());
    }
    return level;
  }

  /** How many owners have a copy, this node included. */
  int copies() {
    int copies = 1;
    for (ReplicaProgress progress : recoverySet.otherOwners()) {
      copies += progress.copying() ? 0 : 1;
    }
    return copies;
  }

  /** Whether there is no room for another mutation. */
  boolean isFull() {
    RecentMutations outbox = history.recent();
    return outbox.size() >= settings.maxOutboxEntries()
        || outbox.bytes() >= settings.maxOutboxBytes();
  }

  // ---- Time

  /** Time has passed: sends again what has not been confirmed. */
  void tick(Effects effects) {
    for (ReplicaProgress progress : recoverySet.otherOwners()) {
      if (!progress.copying()
          && progress.confirmedSequence() < history.appliedSequence()
          && progress.idleNanos(effects.nowNanos()) >= settings.resendNanos()) {
        progress.sendAgain(effects.nowNanos());
        push(progress, effects);
      }
    }
    laneCopies.tick(effects);
  }

  /** Tells the backups, when there have been no writes for a while, what all of them have. */
  void announce(Effects effects) {
    long quietNanos = effects.nowNanos() - lastMutationNanos;
    if (history.recent().size() > 0
        || announcedSequence >= history.stableSequence()
        || quietNanos < settings.quietNanos()) {
      return;
    }
    announcedSequence = history.stableSequence();
    for (ReplicaProgress progress : recoverySet.otherOwners()) {
      if (!progress.copying()) {
        effects.send(progress.node(), messages.settled(0));
      }
    }
  }

  /** Whether something is left to be sent, or to be confirmed. */
  boolean unsettled() {
    return history.recent().size() > 0
        || !laneCopies.isEmpty()
        || (announcedSequence < history.stableSequence() && !recoverySet.otherOwners().isEmpty());
  }
}
