package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableEdit;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Makes the segment tables of tests, as a coordinator would. */
public final class Tables {
  static final NodeId COORDINATOR = new NodeId(99, 99);
  private static final long CLUSTER_ID = 0x15;
  private static final long FIRST_WRITE = 0x5ea1;
  private static final long HASH_SEED = 7;

  private Tables() {}

  public static NodeId node(int index) {
    return new NodeId(0, index + 1);
  }

  /** How these tables hash keys. */
  static HashSpace space(int segments) {
    return new HashSpace(segments, HASH_SEED);
  }

  /** An unwritten table; data nodes come first, then callers that hold nothing. */
  static SegmentTable unwritten(int dataNodes, int callers, int segments, int owners) {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < dataNodes + callers; i++) {
      members.add(
          new Member(node(i), "node" + i, "localhost", 1000 + i, "", i < dataNodes ? 1 : 0));
    }
    int row = Math.min(owners, dataNodes);
    int[][] rows = new int[segments][row];
    for (int segment = 0; segment < segments; segment++) {
      for (int index = 0; index < row; index++) {
        rows[segment][index] = (segment + index) % dataNodes;
      }
    }
    long epoch = Epoch.first(1, COORDINATOR);
    TableHeader header =
        new TableHeader(epoch, CLUSTER_ID, 0, HASH_SEED, segments, owners, 1 << 20);
    return SegmentTable.of(header, members, rows);
  }

  /** The next unwritten table of the same nodes and owners, as if others had been between. */
  static SegmentTable placedAnew(SegmentTable table, long excludedAt) {
    TableHeader header = table.header().at(table.epoch() + 3);
    return SegmentTable.of(header, table.members(), places(table), excludedAt);
  }

  private static int[][] places(SegmentTable table) {
    return IntStream.range(0, table.segments())
        .mapToObj(segment -> places(table, segment))
        .toArray(int[][]::new);
  }

  private static int[] places(SegmentTable table, int segment) {
    return table.owners(segment).stream()
        .mapToInt(owner -> table.members().indexOf(table.member(owner)))
        .toArray();
  }

  /** An unwritten table of a cluster with nodes that know no newer version of the protocol. */
  static SegmentTable speaking(SegmentTable table, int protocol) {
    TableHeader header = table.header();
    return SegmentTable.of(
        new TableHeader(
            header.epoch(),
            header.clusterId(),
            header.firstWrite(),
            header.hashSeed(),
            header.segments(),
            header.configuredOwners(),
            header.maxEntryBytes(),
            header.placement(),
            protocol),
        table.members(),
        places(table));
  }

  static SegmentTable written(SegmentTable table) {
    return table.written(next(table), FIRST_WRITE);
  }

  static SegmentTable without(SegmentTable table, NodeId... lost) {
    return table.withoutMembers(next(table), Set.of(lost));
  }

  static SegmentTable with(SegmentTable table, Member joined) {
    return table.withMembers(next(table), List.of(joined));
  }

  /** Every segment's primary becomes its last backup. */
  static SegmentTable rotated(SegmentTable table) {
    Map<Integer, List<NodeId>> rows = new HashMap<>();
    for (int segment = 0; segment < table.segments(); segment++) {
      List<NodeId> owners = new ArrayList<>(table.owners(segment));
      Collections.rotate(owners, -1);
      rows.put(segment, owners);
    }
    return withRows(table, rows);
  }

  /** Some segments get other owners. */
  static SegmentTable withRows(SegmentTable table, Map<Integer, List<NodeId>> changed) {
    TableEdit edit = table.edit(next(table));
    changed.forEach(edit::owners);
    return table.apply(edit.delta());
  }

  /** A node is gone, and those that owned a segment before it own it again: it never served. */
  static SegmentTable givenBack(SegmentTable table, NodeId gone, int segment, NodeId... owners) {
    TableEdit edit = table.edit(next(table)).removeMembers(List.of(gone));
    return table.apply(edit.kept(segment, List.of(owners)).delta());
  }

  /** A segment begins anew. */
  static SegmentTable lost(SegmentTable table, int segment) {
    return table.apply(table.edit(next(table)).lose(segment).delta());
  }

  /** The segments whose owners have changed between two tables. */
  static int[] changed(SegmentTable before, SegmentTable now) {
    return IntStream.range(0, now.segments())
        .filter(segment -> before.segmentEpoch(segment) != now.segmentEpoch(segment))
        .toArray();
  }

  static long next(SegmentTable table) {
    return Epoch.next(table.epoch(), COORDINATOR);
  }

  /** All segments belong to one node. */
  static SegmentTable withOwner(SegmentTable table, int member) {
    int[][] rows = new int[table.segments()][];
    Arrays.fill(rows, new int[] {member});
    return SegmentTable.of(table.header().at(next(table)), table.members(), rows);
  }

  /** The table of another cluster with the same members and owners. */
  static SegmentTable ofCluster(SegmentTable table, long clusterId) {
    TableHeader header = table.header();
    return SegmentTable.of(
        new TableHeader(
            header.epoch(),
            clusterId,
            clusterId,
            header.hashSeed(),
            header.segments(),
            header.configuredOwners(),
            header.maxEntryBytes()),
        table.members(),
        places(table));
  }
}
