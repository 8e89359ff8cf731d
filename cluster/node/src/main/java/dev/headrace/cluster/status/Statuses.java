package dev.headrace.cluster.status;

import dev.headrace.api.ClusterStatus;
import dev.headrace.cluster.message.UsageNotice;
import dev.headrace.rebalance.message.MovesNotice;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.replication.message.MemoryNotice;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.protocol.StreamMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the status of a cluster. */
public final class Statuses {
  private static final int IDENTITY_DIGITS = 6;

  private Statuses() {}

  public static ClusterStatus of(
      String clusterName,
      SegmentTable table,
      Lanes lanes,
      Usages usages,
      NodeId self,
      @Nullable NodeId coordinator,
      RebalanceProgress progress,
      MovesNotice moves,
      @Nullable String suspendedBecause,
      StreamMemory.Usage memory,
      Duration clockError,
      String security) {
    Map<NodeId, int[]> counts = counts(table);
    Map<NodeId, MemoryNotice> notices = lanes.othersMemory();
    notices.put(self, lanes.ownMemory());
    List<ClusterStatus.Member> members = new ArrayList<>();
    for (Member member : table.members()) {
      UsageNotice usage = usages.of(member.id());
      int[] held = counts.getOrDefault(member.id(), new int[2]);
      members.add(
          new ClusterStatus.Member(
              name(member, table),
              member.host() + ":" + member.dataPort(),
              member.zone(),
              member.capacity(),
              held[0],
              held[1],
              memory(notices.get(member.id()), member),
              member.id().equals(coordinator),
              member.id().equals(self),
              streamMemory(usage),
              usage == null ? 0 : usage.bufferBytes(),
              usage == null ? 0 : usage.changeBytes(),
              usage == null ? 0 : usage.outOfSyncReplicas(),
              usage == null ? List.of() : usage.outOfSyncSegments()));
    }
    return new ClusterStatus(
        clusterName,
        table.epoch(),
        table.segments(),
        table.configuredOwners(),
        table.effectiveOwners(),
        table.header().placement(),
        table.lostSegments(),
        members,
        progress.equals(RebalanceProgress.NONE) ? null : rebalance(progress, moves, table),
        suspendedBecause,
        new ClusterStatus.StreamMemory(
            memory.budgetBytes(), memory.usedBytes(), memory.streams(), memory.waiting()),
        clockError,
        absent(table),
        security,
        missingReplicas(table),
        table.header().protocol());
  }

  private static ClusterStatus.@Nullable StreamMemory streamMemory(@Nullable UsageNotice usage) {
    return usage == null
        ? null
        : new ClusterStatus.StreamMemory(
            usage.streamBudgetBytes(),
            usage.streamBytes(),
            usage.streams(),
            usage.waitingStreams());
  }

  /** Replicas that there are nodes for and that no node owns yet. */
  private static int missingReplicas(SegmentTable table) {
    int missing = 0;
    for (int segment = 0; segment < table.segments(); segment++) {
      missing += Math.max(0, table.effectiveOwners() - table.ownerCount(segment));
    }
    return missing;
  }

  private static List<ClusterStatus.Absent> absent(SegmentTable table) {
    Map<NodeId, List<Integer>> waiting = new HashMap<>();
    for (int segment : table.waitingSegments()) {
      for (Member holder : table.awaited(segment)) {
        waiting.computeIfAbsent(holder.id(), id -> new ArrayList<>()).add(segment);
      }
    }
    return table.absent().stream()
        .map(
            node ->
                new ClusterStatus.Absent(
                    node.name(),
                    node.host() + ":" + node.dataPort(),
                    waiting.getOrDefault(node.id(), List.of())))
        .toList();
  }

  private static ClusterStatus.@Nullable Memory memory(
      @Nullable MemoryNotice notice, Member member) {
    return notice == null || member.capacity() == 0
        ? null
        : new ClusterStatus.Memory(notice.usedBytes(), notice.limitBytes());
  }

  /** For each member the number of segments that it is the primary of, and a backup of. */
  private static Map<NodeId, int[]> counts(SegmentTable table) {
    Map<NodeId, int[]> counts = new HashMap<>();
    table.members().forEach(member -> counts.put(member.id(), new int[2]));
    for (int segment = 0; segment < table.segments(); segment++) {
      for (int i = 0; i < table.ownerCount(segment); i++) {
        int[] held = counts.get(table.owner(segment, i));
        if (held != null) {
          held[i == 0 ? 0 : 1]++;
        }
      }
    }
    return counts;
  }

  /** A node's name, with its identity if an older member of the table has the same name. */
  public static String name(Member member, SegmentTable table) {
    for (Member older : table.members()) {
      if (older.id().equals(member.id())) {
        break;
      }
      if (older.name().equals(member.name())) {
        return member.name() + "~" + member.id().toString().substring(0, IDENTITY_DIGITS);
      }
    }
    return member.name();
  }

  /** The name of a node, or its identity if the table does not have it. */
  public static String name(NodeId node, @Nullable SegmentTable table) {
    Member member = table == null ? null : table.member(node);
    return member == null || table == null ? node.toString() : name(member, table);
  }

  private static ClusterStatus.Rebalance rebalance(
      RebalanceProgress progress, MovesNotice moves, SegmentTable table) {
    return new ClusterStatus.Rebalance(
        progress.plannedCopies(),
        progress.lowerBound(),
        progress.copies(),
        progress.copying(),
        progress.bytes(),
        Duration.ofNanos(progress.elapsedNanos()),
        Duration.ofNanos(progress.remainingNanos()),
        progress.finished() ? List.of() : moves(moves, table));
  }

  /** Those whose destinations do not own the segment by this table, which may be newer. */
  private static List<ClusterStatus.Move> moves(MovesNotice told, SegmentTable table) {
    return told.moves().stream()
        .filter(
            move ->
                move.segment() < table.segments()
                    && !table.owners(move.segment()).containsAll(move.destinations()))
        .map(
            move ->
                new ClusterStatus.Move(
                    move.segment(),
                    name(move.source(), table),
                    move.destinations().stream().map(node -> name(node, table)).toList(),
                    move.copied()))
        .toList();
  }
}
