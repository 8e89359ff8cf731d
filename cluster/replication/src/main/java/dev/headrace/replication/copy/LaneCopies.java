package dev.headrace.replication.copy;

import dev.headrace.replication.log.Effects;
import dev.headrace.replication.log.MessageFactory;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.message.Learned;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A primary's learners: the destination of a copy, and owners that have lost their copy. Guarded by
 * the lane.
 */
public final class LaneCopies {
  private final MessageFactory messages;
  private final SegmentHistory history;
  private final RunningCopies runningCopies;
  private final long resendNanos;
  private final List<LaneCopy> laneCopies = new ArrayList<>(0);
  private long numbers;

  public LaneCopies(
      MessageFactory messages,
      SegmentHistory history,
      RunningCopies runningCopies,
      long resendNanos) {
    this.messages = messages;
    this.history = history;
    this.runningCopies = runningCopies;
    this.resendNanos = resendNanos;
  }

  public boolean isEmpty() {
    return laneCopies.isEmpty();
  }

  /** Begins to copy to a destination of a copy, if it is not being copied to already. */
  public void begin(RunningCopy task, NodeId destination, Effects effects) {
    LaneCopy present = find(destination);
    if (present == null || present.task() != task) {
      if (present != null) {
        drop(present, effects);
      }
      begin(destination, task, effects);
    }
  }

  /** Begins to copy to an owner in its place. */
  public void beginInPlace(NodeId owner, Effects effects) {
    LaneCopy present = find(owner);
    if (present != null) {
      drop(present, effects);
    }
    begin(owner, null, effects);
  }

  private void begin(NodeId node, @Nullable RunningCopy task, Effects effects) {
    LaneCopy laneCopy = new LaneCopy(messages, history, runningCopies, node, task, ++numbers);
    laneCopies.add(laneCopy);
    laneCopy.pump(effects);
  }

  @Nullable LaneCopy find(NodeId node) {
    for (LaneCopy laneCopy : laneCopies) {
      if (laneCopy.node().equals(node)) {
        return laneCopy;
      }
    }
    return null;
  }

  public void pump(Effects effects) {
    for (LaneCopy laneCopy : laneCopies) {
      laneCopy.pump(effects);
    }
  }

  /**
   * A learner has told how far it is.
   *
   * @return its feed, or null if it speaks of a copy that is not under way
   */
  public @Nullable LaneCopy learned(NodeId from, Learned message, Effects effects) {
    LaneCopy laneCopy = find(from);
    if (laneCopy == null || laneCopy.copyNumber() != message.copyNumber()) {
      return null;
    }
    boolean lost = message.chunks() == 0 && laneCopy.confirmedChunks() > 0;
    if (lost && message.missing()) {
      laneCopy.restart(++numbers, effects.nowNanos());
    } else {
      laneCopy.learned(message, effects);
    }
    laneCopy.pump(effects);
    return laneCopy;
  }

  /** Up to here every learner has the history. */
  public long confirmedSequence() {
    long least = Long.MAX_VALUE;
    for (LaneCopy laneCopy : laneCopies) {
      least = Math.min(least, laneCopy.neededBehind());
    }
    return least;
  }

  /** Up to here those learners have the history that acknowledgements wait for. */
  public long countedSequence() {
    long least = Long.MAX_VALUE;
    for (LaneCopy laneCopy : laneCopies) {
      RunningCopy task = laneCopy.task();
      if (task != null && task.counts()) {
        least = Math.min(least, laneCopy.complete() ? laneCopy.confirmedSequence() : 0);
      }
    }
    return least;
  }

  /**
   * Gives learners up that hold back more than is acknowledged; the writes do not wait for them.
   * For those that are about to become owners they do.
   */
  public void shed(long acknowledged, Effects effects) {
    for (LaneCopy laneCopy : List.copyOf(laneCopies)) {
      RunningCopy task = laneCopy.task();
      if (laneCopy.neededBehind() < acknowledged && (task == null || !task.counts())) {
        if (task != null) {
          task.fail("the destination does not keep up with the writes");
          drop(laneCopy, effects);
        } else {
          laneCopy.restart(++numbers, effects.nowNanos());
        }
      }
    }
  }

  /** An owner that was copied to in its place has everything: it is a backup again. */
  public void finished(LaneCopy laneCopy) {
    laneCopy.end();
    laneCopies.remove(laneCopy);
  }

  private void drop(LaneCopy laneCopy, Effects effects) {
    finished(laneCopy);
    effects.send(laneCopy.node(), messages.settled(laneCopy.copyNumber()));
  }

  public void tick(Effects effects) {
    for (LaneCopy laneCopy : List.copyOf(laneCopies)) {
      RunningCopy task = laneCopy.task();
      if (task != null && task.failure() != null) {
        drop(laneCopy, effects);
      } else {
        laneCopy.tick(effects, resendNanos);
      }
    }
  }

  public void disconnected(NodeId node, Effects effects) {
    LaneCopy laneCopy = find(node);
    if (laneCopy != null) {
      laneCopy.goBack(effects.nowNanos());
    }
  }

  /** This node is primary no longer. */
  public void end() {
    for (Iterator<LaneCopy> all = laneCopies.iterator(); all.hasNext(); ) {
      all.next().end();
      all.remove();
    }
  }

  /** Whether all destinations of a copy have all but the very last mutations. */
  public boolean keepUp(RunningCopy task, long acknowledged, long maxLag) {
    for (NodeId destination : task.order().destinations()) {
      if (!keepsUp(destination, task, acknowledged, maxLag)) {
        return false;
      }
    }
    return true;
  }

  /** Whether all destinations of a copy have all that was acknowledged. */
  public boolean isLevel(RunningCopy task, long acknowledged) {
    for (NodeId destination : task.order().destinations()) {
      LaneCopy laneCopy = find(destination);
      if (laneCopy == null
          || laneCopy.task() != task
          || !laneCopy.complete()
          || laneCopy.confirmedSequence() < acknowledged) {
        return false;
      }
    }
    return true;
  }

  private boolean keepsUp(NodeId destination, RunningCopy task, long acknowledged, long maxLag) {
    LaneCopy laneCopy = find(destination);
    return laneCopy != null
        && laneCopy.task() == task
        && laneCopy.complete()
        && laneCopy.lastChunkSequence() <= acknowledged
        && history.appliedSequence() - laneCopy.confirmedSequence() < maxLag;
  }
}
