package dev.headrace.rebalance.ledger;

import dev.headrace.rebalance.ledger.ControlMessage.GiveUp;
import dev.headrace.rebalance.ledger.ControlMessage.Lost;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableEdit;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The segments that nobody in reach can serve, as this node knows them: those that wait for absent
 * nodes, and those whose owners say that none of them has everything. Out of reach is not lost:
 * they begin anew only when somebody has decided so, or when the settings say that it has been long
 * enough.
 */
final class Unowned {

  private final LedgerSettings settings;
  private final LedgerEffects effects;

  /** Since when each segment waits, as far as this node has seen it. */
  private final Map<Integer, Long> sinceNanos = new HashMap<>();

  /** What the owners of segments have said, which they repeat as long as it is so. */
  private final Map<Integer, Lost> reported = new HashMap<>();

  /** What somebody has given up and is not done. */
  private final Set<GiveUp.Row> givenUp = new HashSet<>();

  private String told = "";

  Unowned(LedgerSettings settings, LedgerEffects effects) {
    this.settings = settings;
    this.effects = effects;
  }

  /** The owners of a segment say that none of them has everything, and nobody else in reach. */
  void report(Lost lost, long nowNanos) {
    Lost before = reported.put(lost.segment(), lost);
    if (before == null && settings.waits()) {
      effects.warned(
          "Segment "
              + lost.segment()
              + " has no whole copy in reach. It waits for the nodes that had one; if they do not"
              + " come back, give it up (./headrace give-up), and it begins anew and empty");
    }
    sinceNanos.putIfAbsent(lost.segment(), nowNanos);
  }

  /** Somebody has decided that the content of some segments is gone. */
  void giveUp(Collection<GiveUp.Row> rows) {
    givenUp.addAll(rows);
  }

  /** A table has come into force. */
  void installed(SegmentTable table, long nowNanos) {
    List<Integer> waiting = table.waitingSegments();
    reported.values().removeIf(lost -> !lost.isOf(table));
    sinceNanos.keySet().retainAll(union(waiting));
    waiting.forEach(segment -> sinceNanos.putIfAbsent(segment, nowNanos));
  }

  /** What the convener, this node, is to do now; null if it is nothing. */
  @Nullable TableDelta due(SegmentTable newest, long epoch, long nowNanos) {
    List<Integer> waiting = newest.waitingSegments();
    tell(newest, waiting);
    Set<Integer> over =
        union(waiting).stream()
            .filter(segment -> isGivenUp(newest, segment) || isOver(segment, nowNanos))
            .collect(Collectors.toSet());
    givenUp.clear();
    if (over.isEmpty()) {
      return null;
    }
    TableEdit edit = newest.edit(epoch).giveUp(over);
    reported.values().stream()
        .filter(lost -> over.contains(lost.segment()) && lost.isOf(newest))
        .forEach(lost -> edit.lose(lost.segment()));
    reported.keySet().removeAll(over);
    return edit.delta();
  }

  private Set<Integer> union(List<Integer> waiting) {
    Set<Integer> all = new HashSet<>(waiting);
    all.addAll(reported.keySet());
    return all;
  }

  private boolean isGivenUp(SegmentTable table, int segment) {
    return givenUp.contains(GiveUp.Row.of(table, segment));
  }

  private boolean isOver(int segment, long nowNanos) {
    Long since = sinceNanos.get(segment);
    return !settings.waits()
        || (settings.recreateNanos() != LedgerSettings.NEVER
            && since != null
            && nowNanos - since >= settings.recreateNanos());
  }

  private void tell(SegmentTable table, List<Integer> waiting) {
    String missing =
        table.absent().stream().map(Member::toString).collect(Collectors.joining(", "));
    if (missing.equals(told)) {
      return;
    }
    told = missing;
    if (!waiting.isEmpty()) {
      effects.warned(
          waiting.size()
              + " of "
              + table.segments()
              + " segments wait for "
              + missing
              + ": nobody else has what they hold. Reads, writes and streams of these segments fail"
              + " until one of their nodes is back, or somebody gives them up (./headrace give-up),"
              + " and they begin anew and empty");
    }
  }
}
