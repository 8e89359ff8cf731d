package dev.headrace.rebalance.placement.segment;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.api.error.LocatorException;
import dev.headrace.rebalance.placement.Placement;
import dev.headrace.rebalance.placement.hash.KeyHasher;
import dev.headrace.rebalance.placement.hash.Xxh3Hasher;
import dev.headrace.rebalance.placement.locator.ListLocator;
import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeList;
import dev.headrace.rebalance.plan.Plan;
import dev.headrace.rebalance.plan.PlanInput;
import dev.headrace.rebalance.plan.Planner;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A segment table as a locator: the high word of {@code hash × segments} is the segment, and the
 * table names its owners.
 *
 * <p>When a node comes or goes, segments move as the cluster's planner moves them: as few as there
 * must be for level shares. A segment has a fixed number of owners, and so has a key.
 */
public final class SegmentLocator extends ListLocator {
  /** Segments of a cluster that does not say how many it wants. */
  public static final int DEFAULT_SEGMENTS = 256;

  private static final char NOBODY = Character.MAX_VALUE;

  private final SegmentTable table;
  private final HashSpace space;
  private final char[] primaries; // by segment: the place of the primary
  private final char[] owners; // by segment, width of each: the places of all owners, then NOBODY
  private final int width;

  private SegmentLocator(SegmentTable table, KeyHasher hasher) {
    super(nodes(table), hasher);
    this.table = table;
    this.space = new HashSpace(table.segments(), table.hashSeed());
    int segments = table.segments();
    this.width = table.configuredOwners();
    this.primaries = new char[segments];
    this.owners = new char[segments * width];
    Arrays.fill(owners, NOBODY);
    Map<NodeId, Integer> places =
        places(table.members().stream().filter(Member::holdsSegments).toList());
    for (int segment = 0; segment < segments; segment++) {
      int count = Math.min(width, table.ownerCount(segment));
      for (int index = 0; index < count; index++) {
        owners[segment * width + index] = place(places, table.owner(segment, index));
      }
      primaries[segment] = owners[segment * width];
    }
  }

  /**
   * The owners of a cluster's table at one epoch. Nodes are those with a capacity, by their names.
   *
   * @throws LocatorException if a segment has lost all its owners, or two nodes have the same name
   */
  public static SegmentLocator of(SegmentTable table) {
    List<Integer> lost = table.lostSegments();
    if (!lost.isEmpty()) {
      throw new LocatorException(
          "%d segments have no owner, the first is %d; take the table of a later epoch"
              .formatted(lost.size(), lost.get(0)));
    }
    return new SegmentLocator(table, new Xxh3Hasher(table.hashSeed()));
  }

  /**
   * A table of these nodes, filled by a placement.
   *
   * @param owners nodes that each key should have
   * @throws LocatorException if there are no nodes, or two of the same name
   */
  public static SegmentLocator placed(
      Placement placement, int segments, int owners, List<LocatorNode> nodes) {
    List<Member> members = new NodeList(nodes).all().stream().map(SegmentLocator::member).toList();
    TableHeader header = new TableHeader(1, 0, 0, 0, segments, owners, 1);
    int[][] rows = placement.place(segments, owners, members);
    return of(SegmentTable.of(header, members, rows));
  }

  private static NodeList nodes(SegmentTable table) {
    return new NodeList(
        table.members().stream()
            .filter(Member::holdsSegments)
            .map(node -> new LocatorNode(node.name(), node.capacity()))
            .toList());
  }

  private static Member member(LocatorNode node) {
    HashValue128 id =
        Hashing.xxh3_128().hashBytesTo128Bits(node.name().getBytes(StandardCharsets.UTF_8));
    return new Member(
        new NodeId(id.getMostSignificantBits(), id.getLeastSignificantBits()),
        node.name(),
        node.name(),
        0,
        "",
        node.weight());
  }

  @Override
  public int locate(long hash) {
    return primaries[space.segment(hash)];
  }

  public int primary(int segment) {
    return primaries[segment];
  }

  @Override
  public int locate(long hash, int[] into) {
    int first = space.segment(hash) * width;
    int found = 0;
    while (found < Math.min(width, into.length) && owners[first + found] != NOBODY) {
      into[found] = owners[first + found];
      found++;
    }
    return found;
  }

  @Override
  public SegmentLocator with(LocatorNode joined) {
    nodes.with(joined); // fails if there is one of this name
    SegmentTable wider = table.withMembers(table.epoch() + 1, List.of(member(joined)));
    return planned(wider, wider.members(), Set.of());
  }

  @Override
  public SegmentLocator without(String name) {
    nodes.without(name); // fails if there is none of this name, or no other
    NodeId left =
        table.members().stream()
            .filter(member -> member.holdsSegments() && member.name().equals(name))
            .findFirst()
            .orElseThrow()
            .id();
    List<Member> stay =
        table.members().stream().filter(member -> !member.id().equals(left)).toList();
    return planned(table, stay, Set.of(left));
  }

  private SegmentLocator planned(SegmentTable from, List<Member> members, Set<NodeId> leaving) {
    Plan plan = Planner.plan(new PlanInput(from, leaving));
    Map<NodeId, Integer> places = places(members);
    int[][] rows = new int[space.segments()][];
    for (int segment = 0; segment < rows.length; segment++) {
      rows[segment] = plan.targetRow(segment).stream().mapToInt(id -> place(places, id)).toArray();
    }
    TableHeader header = from.header().at(from.epoch() + 1);
    return new SegmentLocator(SegmentTable.of(header, members, rows), hasher);
  }

  @Override
  public long lookUpBytes() {
    return (long) (primaries.length + owners.length) * Character.BYTES;
  }

  @Override
  public String toString() {
    return "segment table (" + nodes.size() + " nodes, " + space.segments() + " segments)";
  }

  private static char place(Map<NodeId, Integer> places, NodeId id) {
    Integer place = places.get(id);
    if (place == null) {
      throw new LocatorException(
          "Node " + id + " owns a segment but has no capacity; take the table of a later epoch");
    }
    return (char) place.intValue();
  }

  private static Map<NodeId, Integer> places(List<Member> members) {
    Map<NodeId, Integer> places = new HashMap<>();
    members.forEach(member -> places.put(member.id(), places.size()));
    return places;
  }
}
