package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.agreement.ControlMessage.GiveUp;
import dev.headrace.rebalance.agreement.ControlMessage.Lost;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableEdit;
import dev.headrace.stream.NodeId;
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
 * nodes, and those whose owners say that none of them has everything. Out of reach is not lost: a
 * segment begins anew only when somebody gives it up, when it has waited as long as the settings
 * say, or, if they say so, when all nodes that it waits for are known to have ended.
 */
final class Unowned {

  private final AgreementSettings settings;
  private final AgreementEffects effects;

  /** Since when each segment waits, as far as this node has seen it. */
  private final Map<Integer, Long> sinceNanos = new HashMap<>();

  /** What the owners of segments have said, which they repeat as long as it is so. */
  private final Map<Integer, Lost> reported = new HashMap<>();

  /** What somebody has given up and is not done. */
  private final Set<GiveUp.Row> givenUp = new HashSet<>();

  /** Members and absent nodes that are known to have ended. */
  private final Set<NodeId> ended = new HashSet<>();

  private String told = "";

  Unowned(AgreementSettings settings, AgreementEffects effects) {
    this.settings = settings;
    this.effects = effects;
  }

  /** The owners of a segment say that none of them has everything, and nobody else in reach. */
  void report(Lost lost, long nowNanos) {
    Lost before = reported.put(lost.segment(), lost);
    if (before == null && settings.waits()) {
      effects.warned(
          ("Segment %d has no whole copy in reach. It waits for the nodes that had one; if they do"
                  + " not come back, give it up (./headrace give-up), and it begins anew and empty")
              .formatted(lost.segment()));
    }
    sinceNanos.putIfAbsent(lost.segment(), nowNanos);
  }

  /** Somebody has decided that the content of some segments is gone. */
  void giveUp(Collection<GiveUp.Row> rows) {
    givenUp.addAll(rows);
  }

  void ended(Collection<NodeId> nodes) {
    if (settings.terms().lostSegments().whenEnded()) {
      ended.addAll(nodes);
    }
  }

  void installed(SegmentTable table, long nowNanos) {
    List<Integer> waiting = table.waitingSegments();
    reported.values().removeIf(lost -> !lost.isOf(table));
    ended.removeIf(id -> table.member(id) == null && !table.isAbsent(id));
    sinceNanos.keySet().retainAll(union(waiting));
    waiting.forEach(segment -> sinceNanos.putIfAbsent(segment, nowNanos));
  }

  /** What the coordinator, this node, is to do now; null if it is nothing. */
  @Nullable TableDelta due(SegmentTable newest, long epoch, long nowNanos) {
    List<Integer> waiting = newest.waitingSegments();
    tell(newest, waiting);
    Set<Integer> over =
        union(waiting).stream()
            .filter(segment -> isOver(segment, newest, nowNanos))
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

  private boolean isOver(int segment, SegmentTable newest, long nowNanos) {
    if (givenUp.contains(GiveUp.Row.of(newest, segment)) || !settings.waits()) {
      return true;
    }
    long recreateNanos = settings.terms().recreateNanos();
    Long since = sinceNanos.get(segment);
    return (recreateNanos != AgreementSettings.NEVER
            && since != null
            && nowNanos - since >= recreateNanos)
        || haveEnded(newest.awaited(segment));
  }

  private boolean haveEnded(List<Member> holders) {
    return !holders.isEmpty() && holders.stream().allMatch(one -> ended.contains(one.id()));
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
          ("%d of %d segments wait for %s: nobody else has what they hold. Reads, writes and"
                  + " streams of these segments fail until one of their nodes is back, or somebody"
                  + " gives them up (./headrace give-up), and they begin anew and empty")
              .formatted(waiting.size(), table.segments(), missing));
    }
  }
}
