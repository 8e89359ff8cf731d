package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.log.Letters;
import dev.headrace.replication.log.Turn;
import dev.headrace.replication.message.HistoryRequest;
import dev.headrace.stream.NodeId;

/**
 * What is left of an owner that is none any more: it serves nobody, but keeps what it has until a
 * new primary has taken what it lacks and serves. Guarded by the lane.
 */
public final class Former {
  private final Letters letters;
  private final LaneSettings settings;
  private long askedNanos;

  public Former(Letters letters, LaneSettings settings) {
    this.letters = letters;
    this.settings = settings;
  }

  /** Tells the primary, which may never have heard of this segment, that it has a history. */
  public void begin(Turn turn) {
    ask(turn);
  }

  public void renew(SegmentTable newer) {
    letters.renew(newer);
  }

  public void historyRequest(NodeId from, HistoryRequest request, Turn turn) {
    turn.send(from, letters.history(request.afterSequence()));
  }

  public void tick(Turn turn) {
    if (turn.nowNanos() - askedNanos >= settings.resendNanos()) {
      ask(turn);
    }
  }

  private void ask(Turn turn) {
    askedNanos = turn.nowNanos();
    turn.send(letters.table().owner(letters.segment(), 0), letters.replicated(false, false));
  }
}
