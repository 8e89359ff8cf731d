package dev.headrace.replication.role;

import dev.headrace.replication.copy.RunningCopy;
import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.RecentMutations;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.Learned;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.message.ReplicationMessage;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Brings the mutations of a primary to its backups and learners, by number (P5). What learners need
 * beside these they read by themselves, once they have been told to begin. Guarded by the lane.
 *
 * <p>The outboxes of all receivers are one list, {@link SegmentHistory#recent}, numbered by the
 * history itself. A {@link ReplicaProgress} says which part of it is on its way to one of them, and
 * whether it has to be copied to first.
 */
final class Replicator {

  private final List<ReplicaProgress> owners;
  private final MessageFactory messages;
  private final LaneSettings settings;
  private final SegmentHistory history;

  /** Learners, and owners without a copy, in the order in which their copies began. */
  private final List<ReplicaProgress> copies = new ArrayList<>(0);

  private long copyNumbers;
  private long announcedSequence;
  private long lastMutationNanos;

  /**
   * @param owners the other owners
   */
  Replicator(
      List<ReplicaProgress> owners, MessageFactory messages, LaneContext around, long nowNanos) {
    this.owners = owners;
    this.messages = messages;
    this.settings = around.settings();
    this.history = messages.history();
    this.lastMutationNanos = nowNanos;
  }

  // ---- Sending

  /** There is a new mutation. */
  void publish(Effects effects) {
    lastMutationNanos = effects.nowNanos();
    for (ReplicaProgress owner : owners) {
      push(owner, effects);
    }
    for (ReplicaProgress copy : copies) {
      pump(copy, effects);
    }
  }

  /** Sends an owner that has a copy the mutations that it lacks. */
  void push(ReplicaProgress owner, Effects effects) {
    if (!owner.copying()) {
      sendMutations(owner, effects);
    }
  }

  private void pump(ReplicaProgress copy, Effects effects) {
    if (copy.toBegin()) {
      effects.send(copy.node(), messages.beginCopy(copy.copyNumber(), settings.carriedBytes()));
      copy.begun(history.appliedSequence(), effects.nowNanos());
    }
    // An owner that takes itself for a backup would find a gap if a mutation came first.
    if (copy.task() != null || copy.answered()) {
      sendMutations(copy, effects);
    }
  }

  /** As many as may be on their way. */
  private void sendMutations(ReplicaProgress to, Effects effects) {
    long end =
        Math.min(history.appliedSequence(), to.confirmedSequence() + LaneSettings.MAX_IN_FLIGHT);
    while (to.sentSequence() < end) {
      Mutation next = history.recent().get(to.sentSequence() + 1);
      effects.send(to.node(), messages.replicate(next));
      to.sent(next.sequence(), effects.nowNanos());
    }
  }

  /** Whether there is no room for another mutation. */
  boolean isFull() {
    RecentMutations outbox = history.recent();
    return outbox.size() >= settings.maxOutboxEntries()
        || outbox.bytes() >= settings.maxOutboxBytes();
  }

  // ---- Owners

  /**
   * A backup has told how far it has applied the history.
   *
   * @param missing whether something that was sent has not come
   */
  void confirmed(ReplicaProgress owner, long sequence, boolean missing, Effects effects) {
    if (sequence > history.appliedSequence()) {
      throw new IllegalStateException(
          "%s has mutation %d of segment %d, but its primary only %d"
              .formatted(owner.node(), sequence, messages.segment(), history.appliedSequence()));
    }
    owner.confirm(sequence, effects.nowNanos());
    if (missing) {
      owner.lacks(effects.nowNanos(), wayNanos());
    }
    push(owner, effects);
  }

  /** Up to here every owner has the history; 0 if one has no copy. */
  long confirmedSequence() {
    long confirmed = history.appliedSequence();
    for (ReplicaProgress owner : owners) {
      confirmed = Math.min(confirmed, owner.copying() ? 0 : owner.confirmedSequence());
    }
    return confirmed;
  }

  /** Up to here every owner that has a copy has the history. */
  long levelSequence() {
    long level = history.appliedSequence();
    for (ReplicaProgress owner : owners) {
      level = owner.copying() ? level : Math.min(level, owner.confirmedSequence());
    }
    return level;
  }

  /** How many owners have a copy, this node included. */
  int copies() {
    int present = 1;
    for (ReplicaProgress owner : owners) {
      present += owner.copying() ? 0 : 1;
    }
    return present;
  }

  private long wayNanos() {
    return ReplicationMessage.wayNanos(history.recent().bytes());
  }

  // ---- Copies

  /** Begins to copy to a destination of a copy, if it is not being copied to already. */
  void copy(RunningCopy task, NodeId destination, Effects effects) {
    ReplicaProgress present = find(destination);
    if (present == null || present.task() != task) {
      if (present != null) {
        drop(present, effects);
      }
      begin(ReplicaProgress.learner(destination, task, ++copyNumbers), effects);
    }
  }

  /** An owner gets a new copy in the place of what it has. */
  void copyInPlace(ReplicaProgress owner, Effects effects) {
    owner.beginCopy(++copyNumbers);
    begin(owner, effects);
  }

  private void begin(ReplicaProgress copy, Effects effects) {
    copies.add(copy);
    pump(copy, effects);
  }

  private @Nullable ReplicaProgress find(NodeId node) {
    for (ReplicaProgress copy : copies) {
      if (copy.node().equals(node)) {
        return copy;
      }
    }
    return null;
  }

  /**
   * One that is copied to has told how far it is. An owner that has got everything is a backup
   * again.
   *
   * @return null if it speaks of a copy that is not under way
   */
  @Nullable ReplicaProgress learned(NodeId from, Learned message, Effects effects) {
    ReplicaProgress copy = find(from);
    if (copy == null || copy.copyNumber() != message.copyNumber()) {
      return null;
    }
    if (message.begun()) {
      copy.learned(message, effects.nowNanos(), wayNanos());
    } else {
      copy.restart(++copyNumbers);
    }
    pump(copy, effects);
    if (copy.task() == null && !copy.copying()) {
      copies.remove(copy);
    }
    return copy;
  }

  private void drop(ReplicaProgress copy, Effects effects) {
    copies.remove(copy);
    effects.send(copy.node(), messages.settled(copy.copyNumber()));
  }

  /** Up to here everybody has the history that is copied to. */
  long neededBehind() {
    long least = Long.MAX_VALUE;
    for (ReplicaProgress copy : copies) {
      least = Math.min(least, copy.neededBehind());
    }
    return least;
  }

  /** Up to here those learners have the history that acknowledgements wait for. */
  long countedSequence() {
    long least = Long.MAX_VALUE;
    for (ReplicaProgress copy : copies) {
      RunningCopy task = copy.task();
      if (task != null && task.counts()) {
        least = Math.min(least, copy.copying() ? 0 : copy.confirmedSequence());
      }
    }
    return least;
  }

  /**
   * Gives those up that hold back more than is acknowledged; the writes do not wait for them. For
   * those that are about to become owners they do.
   */
  void shed(long acknowledged, Effects effects) {
    for (ReplicaProgress copy : List.copyOf(copies)) {
      RunningCopy task = copy.task();
      if (copy.neededBehind() < acknowledged && (task == null || !task.counts())) {
        if (task != null) {
          task.fail("the destination does not keep up with the writes");
          drop(copy, effects);
        } else {
          copy.restart(++copyNumbers);
        }
      }
    }
  }

  /** Whether all destinations of a copy have all but the very last mutations. */
  boolean keepUp(RunningCopy task, long acknowledged, long maxLag) {
    return everyDestination(
        task,
        copy ->
            copy.copiedSequence() <= acknowledged
                && history.recent().countBehind(copy.confirmedSequence()) < maxLag);
  }

  /** Whether all destinations of a copy have all that was acknowledged. */
  boolean isLevel(RunningCopy task, long acknowledged) {
    return everyDestination(task, copy -> copy.confirmedSequence() >= acknowledged);
  }

  private boolean everyDestination(RunningCopy task, Predicate<ReplicaProgress> condition) {
    for (NodeId destination : task.order().destinations()) {
      ReplicaProgress copy = find(destination);
      if (copy == null || copy.task() != task || copy.copying() || !condition.test(copy)) {
        return false;
      }
    }
    return true;
  }

  // ---- Time and connections

  /** Whatever was on its way to a node is lost. */
  void disconnected(NodeId node, Effects effects) {
    for (List<ReplicaProgress> group : List.of(owners, copies)) {
      for (ReplicaProgress one : group) {
        if (one.node().equals(node)) {
          one.goBack(effects.nowNanos());
        }
      }
    }
  }

  /** Time has passed: sends again what has not been confirmed. */
  void tick(Effects effects) {
    long nowNanos = effects.nowNanos();
    long patienceNanos = settings.patienceNanos(history.recent().bytes());
    for (ReplicaProgress owner : owners) {
      if (!owner.copying()
          && owner.confirmedSequence() < history.appliedSequence()
          && owner.overdue(
              nowNanos, owner.awaitsAnswer() ? patienceNanos : settings.resendNanos())) {
        owner.sendAgain(nowNanos);
        push(owner, effects);
      }
    }
    for (ReplicaProgress copy : List.copyOf(copies)) {
      RunningCopy task = copy.task();
      if (task != null && task.failure() != null) {
        drop(copy, effects);
      } else {
        if (copy.awaitsAnswer() && copy.overdue(nowNanos, patienceNanos)) {
          copy.sendAgain(nowNanos);
        }
        pump(copy, effects);
      }
    }
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
    for (ReplicaProgress owner : owners) {
      if (!owner.copying()) {
        effects.send(owner.node(), messages.settled(0));
      }
    }
  }

  /** Whether something is left to be sent, or to be confirmed. */
  boolean unsettled() {
    return history.recent().size() > 0
        || !copies.isEmpty()
        || (announcedSequence < history.stableSequence() && !owners.isEmpty());
  }
}
