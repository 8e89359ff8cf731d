package dev.headrace.replication.role;

import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.stream.NodeId;

/**
 * The second step of becoming primary (P6): the other owners are sent what they lack; one whose
 * history is too far behind, or another one, gets a new copy in its place. When the primary serves,
 * owners that have everything are told so and may be read, and then the former ones may forget what
 * they have. Guarded by the lane.
 */
final class CatchUp {
  private final RecoverySet recoverySet;
  private final MessageFactory messages;
  private final SegmentHistory history;
  private final Replicator replicator;
  private final OperationProcessor processor;
  private boolean released;
  private long toldNanos;

  CatchUp(
      RecoverySet recoverySet,
      MessageFactory messages,
      SegmentHistory history,
      Replicator replicator,
      OperationProcessor processor) {
    this.recoverySet = recoverySet;
    this.messages = messages;
    this.history = history;
    this.replicator = replicator;
    this.processor = processor;
  }

  void begin(Effects effects) {
    for (ReplicaProgress progress : recoverySet.otherOwners()) {
      boolean sameHistory =
          progress.confirmedSequence() <= history.appliedSequence()
              && history.recent().term(progress.confirmedSequence()) == progress.term();
      if (sameHistory) {
        replicator.push(progress, effects);
      } else {
        replicator.copyInPlace(progress, effects);
      }
    }
  }

  // ---- When the primary serves

  /** Tells an owner that has everything by now that it may be read. */
  void tell(ReplicaProgress progress, Effects effects) {
    if (!progress.inSync()
        && !progress.copying()
        && progress.confirmedSequence() >= processor.acknowledgedSequence()) {
      effects.send(progress.node(), messages.inSync(progress.copyNumber()));
    }
  }

  void tellAll(Effects effects) {
    toldNanos = effects.nowNanos();
    recoverySet.otherOwners().forEach(progress -> tell(progress, effects));
  }

  /** Tells them again who have not answered: until they have, nobody may forget anything. */
  void tick(long resendNanos, Effects effects) {
    if (!recoverySet.allInSync() && effects.nowNanos() - toldNanos >= resendNanos) {
      tellAll(effects);
    }
  }

  /** Whether owners have to be told that they have everything, or to answer. */
  boolean unsettled() {
    return !recoverySet.allInSync();
  }

  /**
   * Former owners may forget what they have when every owner knows that it has everything: until
   * then only they could say so if this node failed.
   */
  void release(Effects effects) {
    if (!released && recoverySet.allInSync()) {
      released = true;
      recoverySet
          .formerProgress()
          .forEach(former -> effects.send(former.node(), messages.settled(0)));
    }
  }

  /** A former owner asks whether it may forget what it has. */
  void answer(NodeId former, Effects effects) {
    if (recoverySet.allInSync()) {
      effects.send(former, messages.settled(0));
    } else {
      // Perhaps they have been told and their answers were lost.
      tellAll(effects);
    }
  }
}
