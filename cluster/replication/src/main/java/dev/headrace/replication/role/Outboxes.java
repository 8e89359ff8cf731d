package dev.headrace.replication.role;

import dev.headrace.replication.copy.Feed;
import dev.headrace.replication.copy.Feeds;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.Letters;
import dev.headrace.replication.log.RecentMutations;
import dev.headrace.replication.log.SegmentHistory;
import dev.headrace.replication.log.Turn;
import dev.headrace.stream.NodeId;

/**
 * What a primary sends to its backups, and how far they have it. Guarded by the lane.
 *
 * <p>The outboxes of all backups are one list, {@link SegmentHistory#recent}, numbered by the
 * history itself; a {@link Follower} says which part of it is a backup's, a {@link Feed} which part
 * is a learner's. An owner that is being filled has no copy, and no outbox but the feed's.
 */
final class Outboxes {
  private final Roll roll;
  private final Letters letters;
  private final LaneSettings settings;
  private final SegmentHistory history;
  private final Feeds feeds;
  private long announcedSequence;
  private long lastMutationNanos;

  Outboxes(Roll roll, Letters letters, Surroundings around, SegmentHistory history, Turn turn) {
    this.roll = roll;
    this.letters = letters;
    this.settings = around.settings();
    this.history = history;
    this.feeds = new Feeds(letters, history, around.fills(), settings.resendNanos());
    this.lastMutationNanos = turn.nowNanos();
  }

  /** The learners. */
  Feeds feeds() {
    return feeds;
  }

  // ---- Sending

  /** There is a new mutation. */
  void publish(Turn turn) {
    lastMutationNanos = turn.nowNanos();
    for (Follower follower : roll.followers()) {
      push(follower, turn);
    }
    feeds.pump(turn);
  }

  /** Sends a backup what it lacks, as much as may be on its way. */
  void push(Follower follower, Turn turn) {
    if (follower.filling()) {
      return;
    }
    long end =
        Math.min(
            history.appliedSequence(), follower.confirmedSequence() + LaneSettings.MAX_IN_FLIGHT);
    for (long next = follower.sentSequence() + 1; next <= end; next++) {
      turn.send(follower.node(), letters.replicate(history.recent().get(next)));
      follower.sent(next, turn.nowNanos());
    }
  }

  /** An owner gets a new copy in the place of what it has. */
  void fillInPlace(Follower follower, Turn turn) {
    follower.beginFilling();
    feeds.beginInPlace(follower.node(), turn);
  }

  /** Whatever was on its way to a node is lost. */
  void disconnected(NodeId node, Turn turn) {
    Follower follower = roll.any(node);
    if (follower != null) {
      follower.sendAgain(turn.nowNanos());
    }
    feeds.disconnected(node, turn);
  }

  // ---- Confirmations

  /**
   * A backup has told how far it has applied the history.
   *
   * @param missing whether something that was sent has not come
   */
  void confirmed(Follower follower, long sequence, boolean missing, Turn turn) {
    if (sequence > history.appliedSequence()) {
      throw new IllegalStateException(
          "%s has mutation %d of segment %d, but its primary only %d"
              .formatted(follower.node(), sequence, letters.segment(), history.appliedSequence()));
    }
    follower.confirm(sequence, turn.nowNanos());
    if (missing) {
      follower.sendAgain(turn.nowNanos());
    }
    push(follower, turn);
  }

  /** An owner that was filled in its place is a backup again. */
  void filled(Follower follower, Feed feed, Turn turn) {
    feeds.finished(feed);
    follower.endFilling(feed.fill(), feed.confirmedSequence(), turn.nowNanos());
    push(follower, turn);
  }

  /** Up to here every owner has the history; 0 if one has no copy. */
  long confirmedSequence() {
    long confirmed = history.appliedSequence();
    for (Follower follower : roll.followers()) {
      confirmed = Math.min(confirmed, follower.filling() ? 0 : follower.confirmedSequence());
    }
    return confirmed;
  }

  /** Up to here every owner that has a copy has the history. */
  long levelSequence() {
    long level = history.appliedSequence();
    for (Follower follower : roll.followers()) {
      level = follower.filling() ? level : Math.min(level, follower.confirmedSequence());
    }
    return level;
  }

  /** How many owners have a copy, this node included. */
  int copies() {
    int copies = 1;
    for (Follower follower : roll.followers()) {
      copies += follower.filling() ? 0 : 1;
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
  void tick(Turn turn) {
    for (Follower follower : roll.followers()) {
      if (!follower.filling()
          && follower.confirmedSequence() < history.appliedSequence()
          && follower.idleNanos(turn.nowNanos()) >= settings.resendNanos()) {
        follower.sendAgain(turn.nowNanos());
        push(follower, turn);
      }
    }
    feeds.tick(turn);
  }

  /** Tells the backups, when there have been no writes for a while, what all of them have. */
  void announce(Turn turn) {
    long quietNanos = turn.nowNanos() - lastMutationNanos;
    if (history.recent().size() > 0
        || announcedSequence >= history.stableSequence()
        || quietNanos < settings.quietNanos()) {
      return;
    }
    announcedSequence = history.stableSequence();
    for (Follower follower : roll.followers()) {
      if (!follower.filling()) {
        turn.send(follower.node(), letters.settled(0));
      }
    }
  }

  /** Whether something is left to be sent, or to be confirmed. */
  boolean unsettled() {
    return history.recent().size() > 0
        || !feeds.isEmpty()
        || (announcedSequence < history.stableSequence() && !roll.followers().isEmpty());
  }
}
