package dev.headrace.cluster.agreement;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.status.CurrentTable;
import dev.headrace.rebalance.agreement.ControlMessage.GiveUp;
import dev.headrace.rebalance.table.SegmentTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Decisions to give up the content of segments. They are sent to the coordinator repeatedly, until
 * the table shows them. Thread-safe.
 */
public final class GivingUp {
  private static final long RESEND_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** How long it may take to give up segments if only their owners know that they wait. */
  private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final CurrentTable table;
  private final AgreementDriver agreement;
  private final List<Decision> decisions = new ArrayList<>(); // guarded by itself
  private boolean closed; // guarded by decisions

  public GivingUp(CurrentTable table, AgreementDriver agreement) {
    this.table = table;
    this.agreement = agreement;
  }

  /** Begins to send a decision; see {@link dev.headrace.api.Headrace#giveUp}. */
  public CompletableFuture<Set<Integer>> begin(Set<Integer> segments, long nowNanos) {
    Decision decision = new Decision(segments, table.view(), nowNanos);
    synchronized (decisions) {
      if (closed) {
        decision.done.completeExceptionally(closed());
        return decision.done;
      }
      decisions.add(decision);
    }
    agreement.giveUp(decision.rows);
    return decision.done;
  }

  public void tick(long nowNanos) {
    List<Decision> ended = new ArrayList<>();
    synchronized (decisions) {
      for (Decision decision : decisions) {
        if (decision.isOver(table.view(), nowNanos)) {
          ended.add(decision);
        } else if (nowNanos - decision.toldNanos >= RESEND_NANOS) {
          decision.toldNanos = nowNanos;
          agreement.giveUp(decision.rows);
        }
      }
      decisions.removeAll(ended);
    }
    ended.forEach(decision -> decision.done.complete(decision.begunAnew(table.view())));
  }

  public void close() {
    List<Decision> left;
    synchronized (decisions) {
      closed = true;
      left = List.copyOf(decisions);
      decisions.clear();
    }
    left.forEach(decision -> decision.done.completeExceptionally(closed()));
  }

  private static NodeClosedException closed() {
    return new NodeClosedException("The node was closed before the segments were given up");
  }

  /** One call. Not a record, since two may be equal. */
  private static final class Decision {
    private final CompletableFuture<Set<Integer>> done = new CompletableFuture<>();

    /** The segments, and their incarnations before. */
    private final Map<Integer, Integer> before = new HashMap<>();

    /**
     * The segments at the time of the call. The decision does not cover what happens to them later.
     */
    private final List<GiveUp.Row> rows = new ArrayList<>();

    private final long beganNanos;
    private long toldNanos;

    Decision(Set<Integer> segments, SegmentTable now, long nowNanos) {
      for (int segment : segments) {
        if (segment < 0 || segment >= now.segments()) {
          throw new IllegalArgumentException(
              "There is no segment " + segment + ": the cluster has " + now.segments());
        }
        before.put(segment, now.incarnation(segment));
        rows.add(GiveUp.Row.of(now, segment));
      }
      beganNanos = nowNanos;
      toldNanos = nowNanos;
    }

    boolean isOver(SegmentTable now, long nowNanos) {
      long wentNanos = nowNanos - beganNanos;
      boolean known = before.keySet().stream().noneMatch(now::isWaiting);
      boolean all = begunAnew(now).size() == before.size();
      return all || (known && wentNanos >= LEAST_NANOS) || wentNanos >= MOST_NANOS;
    }

    Set<Integer> begunAnew(SegmentTable now) {
      return before.entrySet().stream()
          .filter(one -> now.incarnation(one.getKey()) > one.getValue())
          .map(Map.Entry::getKey)
          .collect(Collectors.toSet());
    }
  }
}
