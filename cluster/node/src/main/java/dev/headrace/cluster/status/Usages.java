package dev.headrace.cluster.status;

import dev.headrace.cluster.message.UsageNotice;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import dev.headrace.stream.protocol.StreamMemory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What each node has reported of its direct memory, its retained changes and its replicas. Each
 * node reports changes to all others, at most once per second, and several times when a node has
 * joined. Thread-safe.
 */
public final class Usages implements TableListener {
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The number of reports to a newcomer, which may not know the sender at first. */
  static final int TELLINGS = 4;

  private final NodeId self;
  private final Transport transport;
  private final Supplier<UsageNotice> own;
  private final Map<NodeId, UsageNotice> others = new ConcurrentHashMap<>();
  private volatile @Nullable SegmentTable table;

  // Used by the thread that ticks.
  private @Nullable UsageNotice told;
  private List<Member> toldMembers = List.of();
  private long toldEpoch = -1;
  private long toldNanos;
  private int tellingsLeft;

  /**
   * @param own supplies what this node uses now
   */
  public Usages(NodeId self, Transport transport, Supplier<UsageNotice> own, long nowNanos) {
    this.self = self;
    this.transport = transport;
    this.own = own;
    this.toldNanos = nowNanos;
  }

  /**
   * What a node uses at one moment.
   *
   * @param streams the memory of its streams
   * @param bufferBytes the direct memory of its buffers
   */
  public static UsageNotice notice(StreamMemory.Usage streams, long bufferBytes, Lanes lanes) {
    return new UsageNotice(
            streams.budgetBytes(),
            streams.usedBytes(),
            streams.streams(),
            streams.waiting(),
            bufferBytes,
            lanes.changeBytes())
        .outOfSync(lanes.outOfSyncSegments());
  }

  @Override
  public void onTable(TableDelta delta, SegmentTable newer) {
    table = newer;
    others.keySet().removeIf(node -> newer.member(node) == null);
  }

  /** A node has reported what it uses. */
  public void heard(NodeId from, UsageNotice notice) {
    SegmentTable now = table;
    if (now != null && now.member(from) != null) {
      others.put(from, notice);
    }
  }

  /** What a node uses; null if it has not reported yet. */
  @Nullable UsageNotice of(NodeId node) {
    return node.equals(self) ? own.get() : others.get(node);
  }

  /** Time has passed. */
  public void tick(long nowNanos) {
    SegmentTable now = table;
    if (now == null || now.member(self) == null) {
      return;
    }
    boolean changed = now.epoch() != toldEpoch && !toldMembers.equals(now.members());
    toldEpoch = now.epoch();
    if (!changed && nowNanos - toldNanos < PERIOD_NANOS) {
      return;
    }
    toldNanos = nowNanos;
    toldMembers = now.members();
    UsageNotice notice = own.get();
    tellingsLeft = changed ? TELLINGS : tellingsLeft;
    if (tellingsLeft > 0 || !notice.equals(told)) {
      told = notice;
      tellingsLeft = Math.max(0, tellingsLeft - 1);
      for (Member member : toldMembers) {
        if (!member.id().equals(self)) {
          transport.send(member.id(), notice);
        }
      }
    }
  }
}
