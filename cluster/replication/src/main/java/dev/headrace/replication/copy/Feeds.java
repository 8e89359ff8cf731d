package dev.headrace.replication.copy;

import dev.headrace.replication.log.Letters;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.log.Turn;
import dev.headrace.replication.message.Learned;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A primary's learners: the destination of a fill, and owners that have lost their copy. Guarded by
 * the lane.
 */
public final class Feeds {
  private final Letters letters;
  private final SegmentHistory history;
  private final Fills fills;
  private final long resendNanos;
  private final List<Feed> feeds = new ArrayList<>(0);
  private long numbers;

  public Feeds(Letters letters, SegmentHistory history, Fills fills, long resendNanos) {
    this.letters = letters;
    this.history = history;
    this.fills = fills;
    this.resendNanos = resendNanos;
  }

  public boolean isEmpty() {
    return feeds.isEmpty();
  }

  /** Begins to fill a destination of a fill, if it is not being filled already. */
  public void begin(RunningFill task, NodeId destination, Turn turn) {
    Feed present = find(destination);
    if (present == null || present.task() != task) {
      if (present != null) {
        drop(present, turn);
      }
      begin(destination, task, turn);
    }
  }

  /** Begins to fill an owner in its place. */
  public void beginInPlace(NodeId owner, Turn turn) {
    Feed present = find(owner);
    if (present != null) {
      drop(present, turn);
    }
    begin(owner, null, turn);
  }

  private void begin(NodeId node, @Nullable RunningFill task, Turn turn) {
    Feed feed = new Feed(letters, history, fills, node, task, ++numbers);
    feeds.add(feed);
    feed.pump(turn);
  }

  @Nullable Feed find(NodeId node) {
    for (Feed feed : feeds) {
      if (feed.node().equals(node)) {
        return feed;
      }
    }
    return null;
  }

  public void pump(Turn turn) {
    for (Feed feed : feeds) {
      feed.pump(turn);
    }
  }

  /**
   * A learner has told how far it is.
   *
   * @return its feed, or null if it speaks of a fill that is not under way
   */
  public @Nullable Feed learned(NodeId from, Learned message, Turn turn) {
    Feed feed = find(from);
    if (feed == null || feed.fill() != message.fill()) {
      return null;
    }
    boolean lost = message.chunks() == 0 && feed.confirmedChunks() > 0;
    if (lost && message.missing()) {
      feed.restart(++numbers, turn.nowNanos());
    } else {
      feed.learned(message, turn);
    }
    feed.pump(turn);
    return feed;
  }

  /** Up to here every learner has the history. */
  public long confirmedSequence() {
    long least = Long.MAX_VALUE;
    for (Feed feed : feeds) {
      least = Math.min(least, feed.neededBehind());
    }
    return least;
  }

  /** Up to here those learners have the history that acknowledgements wait for. */
  public long countedSequence() {
    long least = Long.MAX_VALUE;
    for (Feed feed : feeds) {
      RunningFill task = feed.task();
      if (task != null && task.counts()) {
        least = Math.min(least, feed.complete() ? feed.confirmedSequence() : 0);
      }
    }
    return least;
  }

  /**
   * Gives learners up that hold back more than is acknowledged; the writes do not wait for them.
   * For those that are about to become owners they do.
   */
  public void shed(long acknowledged, Turn turn) {
    for (Feed feed : List.copyOf(feeds)) {
      RunningFill task = feed.task();
      if (feed.neededBehind() < acknowledged && (task == null || !task.counts())) {
        if (task != null) {
          task.fail("the destination does not keep up with the writes");
          drop(feed, turn);
        } else {
          feed.restart(++numbers, turn.nowNanos());
        }
      }
    }
  }

  /** An owner that was filled in its place has everything: it is a backup again. */
  public void finished(Feed feed) {
    feed.end();
    feeds.remove(feed);
  }

  private void drop(Feed feed, Turn turn) {
    finished(feed);
    turn.send(feed.node(), letters.settled(feed.fill()));
  }

  public void tick(Turn turn) {
    for (Feed feed : List.copyOf(feeds)) {
      RunningFill task = feed.task();
      if (task != null && task.failure() != null) {
        drop(feed, turn);
      } else {
        feed.tick(turn, resendNanos);
      }
    }
  }

  public void disconnected(NodeId node, Turn turn) {
    Feed feed = find(node);
    if (feed != null) {
      feed.goBack(turn.nowNanos());
    }
  }

  /** The office ends. */
  public void end() {
    for (Iterator<Feed> all = feeds.iterator(); all.hasNext(); ) {
      all.next().end();
      all.remove();
    }
  }

  /** Whether all destinations of a fill have all but the very last mutations. */
  public boolean keepUp(RunningFill task, long acknowledged, long maxLag) {
    for (NodeId destination : task.order().destinations()) {
      if (!keepsUp(destination, task, acknowledged, maxLag)) {
        return false;
      }
    }
    return true;
  }

  /** Whether all destinations of a fill have all that was acknowledged. */
  public boolean isLevel(RunningFill task, long acknowledged) {
    for (NodeId destination : task.order().destinations()) {
      Feed feed = find(destination);
      if (feed == null
          || feed.task() != task
          || !feed.complete()
          || feed.confirmedSequence() < acknowledged) {
        return false;
      }
    }
    return true;
  }

  private boolean keepsUp(NodeId destination, RunningFill task, long acknowledged, long maxLag) {
    Feed feed = find(destination);
    return feed != null
        && feed.task() == task
        && feed.complete()
        && feed.lastChunkSequence() <= acknowledged
        && history.appliedSequence() - feed.confirmedSequence() < maxLag;
  }
}
