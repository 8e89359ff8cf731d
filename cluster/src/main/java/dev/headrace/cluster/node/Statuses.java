package dev.headrace.cluster.node;

import dev.headrace.api.ClusterStatus;
import dev.headrace.rebalance.message.Progress;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Describes a segment table for people. */
final class Statuses {
  private static final int IDENTITY_DIGITS = 6;

  private Statuses() {}

  static ClusterStatus of(
      String clusterName,
      SegmentTable table,
      NodeId self,
      @Nullable NodeId coordinator,
      Progress progress,
      @Nullable String suspendedBecause) {
    Map<NodeId, int[]> counts = counts(table);
    List<ClusterStatus.Member> members = new ArrayList<>();
    for (Member member : table.members()) {
      int[] held = counts.getOrDefault(member.id(), new int[2]);
      members.add(
          new ClusterStatus.Member(
              name(member, table),
              member.host() + ":" + member.dataPort(),
              member.zone(),
              member.capacity(),
              held[0],
              held[1],
              member.id().equals(coordinator),
              member.id().equals(self)));
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
        progress.equals(Progress.NONE) ? null : rebalance(progress),
        suspendedBecause);
  }

  /** Of how many segments each member is the primary, and of how many a backup. */
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

  /** A node's name and, where an older member of the table has the same, who it is. */
  static String name(Member member, SegmentTable table) {
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

  private static ClusterStatus.Rebalance rebalance(Progress progress) {
    return new ClusterStatus.Rebalance(
        progress.plannedCopies(),
        progress.lowerBound(),
        progress.copies(),
        progress.filling(),
        progress.bytes(),
        Duration.ofNanos(progress.elapsedNanos()),
        Duration.ofNanos(progress.remainingNanos()));
  }
}
