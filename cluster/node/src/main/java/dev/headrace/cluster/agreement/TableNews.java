package dev.headrace.cluster.agreement;

import dev.headrace.cluster.status.CurrentTable;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.publish.TableGossip;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.stream.NodeId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges news of tables with other members over the wire, besides the agreement. Thread-safe.
 */
public final class TableNews implements TableListener {
  private final CurrentTable table;
  private final TableGossip gossip;
  private final AgreementDriver agreement;
  private final Map<NodeId, AtomicReference<@Nullable TableNotice>> waiting =
      new ConcurrentHashMap<>();

  public TableNews(CurrentTable table, TableGossip gossip, AgreementDriver agreement) {
    this.table = table;
    this.gossip = gossip;
    this.agreement = agreement;
  }

  /**
   * The side with the older table takes what it lacks, or asks for it; the other side sends it.
   * Only the newest notice of each node waits, so that many notices fill no queue.
   */
  public void noticed(NodeId from, TableNotice notice) {
    SegmentTable now = table.orNull();
    if (now != null && notice.epoch() < now.epoch()) {
      gossip.outdated(from, notice.epoch());
    } else if (now != null && notice.epoch() > now.epoch()) {
      take(from, notice);
    }
  }

  private void take(NodeId from, TableNotice notice) {
    AtomicReference<@Nullable TableNotice> newest =
        waiting.computeIfAbsent(from, node -> new AtomicReference<>());
    if (newest.getAndSet(notice) == null) {
      agreement.noticed(() -> newest.getAndSet(null), () -> gossip.behind(from));
    }
  }

  /**
   * The coordinator sends a new table over the wire, too: the membership's connections lose
   * nothing, but a message passes more threads there. A node that is not a member has no news.
   */
  @Override
  public void onTable(TableDelta delta, SegmentTable newer) {
    waiting.keySet().removeIf(node -> newer.member(node) == null);
    if (!table.self().equals(agreement.coordinator())) {
      return;
    }
    for (Member member : newer.members()) {
      if (!member.id().equals(table.self())) {
        gossip.accompany(member.id());
      }
    }
  }
}
