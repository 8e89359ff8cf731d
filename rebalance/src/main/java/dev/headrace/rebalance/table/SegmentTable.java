package dev.headrace.rebalance.table;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An immutable image of who owns which segment at one epoch.
 *
 * <p>Owners are kept as ordinals, that is places in the list of members, in one array of short
 * rows: a look-up is an array access, and 256 segments of two owners take 1 kB besides their
 * epochs. Safe to share between threads.
 */
public final class SegmentTable implements Ownership.View {

  /** The greatest number of members. */
  public static final int MAX_MEMBERS = Short.MAX_VALUE;

  /** How many of the tables that led to a table it remembers. */
  static final int MAX_ANCESTORS = 64;

  static final short NONE = -1;

  final TableHeader header;
  final List<Member> members;

  /** Rows of {@link #ownersPerRow} ordinals; a shorter row ends with {@link #NONE}. */
  final short[] owners;

  final int ownersPerRow;

  /** For each segment the epoch at which its owners last changed. */
  final long[] segmentEpochs;

  /** For each segment how often it lost all its owners; empty if none ever did. */
  final int[] incarnations;

  /** The epochs of the sealed tables that led to this one, the newest first. */
  final long[] ancestors;

  private final Map<NodeId, Integer> ordinals;

  /** Takes the arrays over; they must keep the package's invariants. */
  SegmentTable(
      TableHeader header,
      List<Member> members,
      short[] owners,
      long[] segmentEpochs,
      int[] incarnations,
      long[] ancestors) {
    this.header = header;
    this.members = List.copyOf(members);
    this.owners = owners;
    this.ownersPerRow = owners.length / header.segments();
    this.segmentEpochs = segmentEpochs;
    this.incarnations = incarnations;
    this.ancestors = ancestors;
    this.ordinals = ordinals(this.members);
  }

  /**
   * A table whose segments all changed at its epoch.
   *
   * @param owners for each segment its owners, the primary first and none twice, as places in
   *     {@code members}
   */
  public static SegmentTable of(TableHeader header, List<Member> members, int[][] owners) {
    short[] rows = rows(header, members, owners);
    return new SegmentTable(header, members, rows, epochs(header), new int[0], new long[0]);
  }

  /** A table of the same owners in which a cluster says that it may hold data from now on. */
  public SegmentTable sealed(long epoch, long seal) {
    // Every segment's epoch is raised, so that a backup takes a write only once it knows the seal.
    TableHeader sealed = header.sealed(epoch, seal);
    return new SegmentTable(sealed, members, owners, epochs(sealed), incarnations, new long[0]);
  }

  /**
   * A table with more members that own nothing.
   *
   * @throws IllegalArgumentException if one is a member already
   */
  public SegmentTable withMembers(long epoch, List<Member> joined) {
    List<Member> all = new ArrayList<>(members);
    all.addAll(joined);
    return new SegmentTable(
        header.at(epoch), all, owners, segmentEpochs, incarnations, ancestorsAt(epoch));
  }

  /**
   * A table without some nodes. Other owners stay, in their order, so that the first that is left
   * becomes the primary; a segment that loses its last owner stays without and its incarnation is
   * raised.
   */
  public SegmentTable withoutMembers(long epoch, Set<NodeId> lost) {
    List<Member> remaining = new ArrayList<>();
    short[] newOrdinals = new short[members.size()];
    for (int ordinal = 0; ordinal < newOrdinals.length; ordinal++) {
      boolean stays = !lost.contains(members.get(ordinal).id());
      newOrdinals[ordinal] = stays ? (short) remaining.size() : NONE;
      if (stays) {
        remaining.add(members.get(ordinal));
      }
    }
    short[] newOwners = new short[owners.length];
    Arrays.fill(newOwners, NONE);
    long[] newEpochs = segmentEpochs.clone();
    int[] newIncarnations = incarnations;
    for (int segment = 0; segment < segments(); segment++) {
      int before = ownerCount(segment);
      int after = copyRow(segment, newOrdinals, newOwners);
      if (after < before) {
        newEpochs[segment] = epoch;
      }
      if (after == 0 && before > 0) {
        newIncarnations =
            newIncarnations == incarnations
                ? Arrays.copyOf(incarnations, segments())
                : newIncarnations;
        newIncarnations[segment]++;
      }
    }
    return new SegmentTable(
        header.at(epoch), remaining, newOwners, newEpochs, newIncarnations, ancestorsAt(epoch));
  }

  /** What identifies this table. */
  public TableHeader header() {
    return header;
  }

  @Override
  public long epoch() {
    return header.epoch();
  }

  @Override
  public int segments() {
    return header.segments();
  }

  /** Whether the cluster may hold data; owners are placed freely before. */
  public boolean sealed() {
    return header.sealed();
  }

  /** The seed of the keys' hashes. */
  public long hashSeed() {
    return header.hashSeed();
  }

  /** The identity that the cluster drew when it was founded. */
  public long island() {
    return header.island();
  }

  /**
   * Whether this table came about from the sealed table of an epoch, step by step; it remembers the
   * last {@value #MAX_ANCESTORS} steps.
   */
  public boolean descendsFrom(long epoch) {
    return Arrays.stream(ancestors).anyMatch(ancestor -> ancestor == epoch);
  }

  /** Replicas each segment should have. */
  public int configuredOwners() {
    return header.configuredOwners();
  }

  /** Replicas each segment can have with the present members. */
  public int effectiveOwners() {
    return (int)
        Math.min(configuredOwners(), members.stream().filter(Member::holdsSegments).count());
  }

  /** All members, in the order they joined. */
  public List<Member> members() {
    return members;
  }

  /** A member, or null if the node is none. */
  public @Nullable Member member(NodeId id) {
    Integer ordinal = ordinals.get(id);
    return ordinal == null ? null : members.get(ordinal);
  }

  @Override
  public int ownerCount(int segment) {
    int row = row(segment);
    int count = 0;
    while (count < ownersPerRow && owners[row + count] != NONE) {
      count++;
    }
    return count;
  }

  @Override
  public NodeId owner(int segment, int index) {
    short ordinal = index >= 0 && index < ownersPerRow ? owners[row(segment) + index] : NONE;
    if (ordinal == NONE) {
      throw new IndexOutOfBoundsException(
          "Segment " + segment + " has no owner " + index + " at epoch " + Epoch.toString(epoch()));
    }
    return members.get(ordinal).id();
  }

  /** The owners of a segment, the primary first; empty if it has lost them all. */
  public List<NodeId> owners(int segment) {
    List<NodeId> ids = new ArrayList<>(ownersPerRow);
    int count = ownerCount(segment);
    for (int index = 0; index < count; index++) {
      ids.add(owner(segment, index));
    }
    return ids;
  }

  /** The owner that orders the segment's writes, or null if the segment has lost all its owners. */
  public @Nullable NodeId primary(int segment) {
    return ownersPerRow == 0 || owners[row(segment)] == NONE ? null : owner(segment, 0);
  }

  /** Whether the node is the segment's primary. */
  public boolean isPrimary(int segment, NodeId id) {
    return id.equals(primary(segment));
  }

  /** Whether the node owns the segment, as primary or backup. */
  public boolean isOwner(int segment, NodeId id) {
    Integer ordinal = ordinals.get(id);
    return ordinal != null && isOwner(segment, ordinal);
  }

  /** The epoch at which the segment's owners last changed. */
  public long segmentEpoch(int segment) {
    return segmentEpochs[segment];
  }

  @Override
  public int incarnation(int segment) {
    row(segment);
    return incarnations.length == 0 ? 0 : incarnations[segment];
  }

  /** The segments without any owner, in order. */
  public List<Integer> lostSegments() {
    List<Integer> lost = new ArrayList<>();
    for (int segment = 0; segment < segments(); segment++) {
      if (primary(segment) == null) {
        lost.add(segment);
      }
    }
    return lost;
  }

  /** Length of the binary form. */
  public int encodedBytes() {
    return TableForm.encodedBytes(this);
  }

  /** Appends the binary form to a big-endian buffer. */
  public void encode(ByteBuffer out) {
    TableForm.encode(this, out);
  }

  /**
   * Reads the binary form from a big-endian buffer.
   *
   * @throws dev.headrace.api.error.WireException if the bytes are not a table's; nothing larger
   *     than the bytes that are there has been allocated then
   */
  public static SegmentTable decode(ByteBuffer in) {
    return TableForm.decode(in);
  }

  /** Whether everything in the two tables is the same. */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof SegmentTable table
            && header.equals(table.header)
            && members.equals(table.members)
            && ownersPerRow == table.ownersPerRow
            && Arrays.equals(owners, table.owners)
            && Arrays.equals(segmentEpochs, table.segmentEpochs)
            && Arrays.equals(incarnations, table.incarnations)
            && Arrays.equals(ancestors, table.ancestors));
  }

  @Override
  public int hashCode() {
    return 31 * header.hashCode() + Arrays.hashCode(owners);
  }

  @Override
  public String toString() {
    return "table (%s, %d members, %d segments, %d lost)"
        .formatted(header, members.size(), segments(), lostSegments().size());
  }

  private long[] ancestorsAt(long epoch) {
    if (!sealed() || epoch == epoch()) {
      return ancestors;
    }
    long[] all = new long[Math.min(ancestors.length + 1, MAX_ANCESTORS)];
    all[0] = epoch();
    System.arraycopy(ancestors, 0, all, 1, all.length - 1);
    return all;
  }

  private boolean isOwner(int segment, int ordinal) {
    int row = row(segment);
    for (int index = 0; index < ownersPerRow; index++) {
      if (owners[row + index] == ordinal) {
        return true;
      }
    }
    return false;
  }

  private int row(int segment) {
    if (segment < 0 || segment >= segments()) {
      throw new IndexOutOfBoundsException(
          "There is no segment " + segment + ": the cluster has " + segments());
    }
    return segment * ownersPerRow;
  }

  private int copyRow(int segment, short[] newOrdinals, short[] newOwners) {
    int row = row(segment);
    int count = ownerCount(segment);
    int copied = 0;
    for (int index = 0; index < count; index++) {
      short ordinal = newOrdinals[owners[row + index]];
      if (ordinal != NONE) {
        newOwners[row + copied++] = ordinal;
      }
    }
    return copied;
  }

  private static Map<NodeId, Integer> ordinals(List<Member> members) {
    if (members.size() > MAX_MEMBERS) {
      throw new IllegalArgumentException(
          "A cluster has at most " + MAX_MEMBERS + " members, not " + members.size());
    }
    Map<NodeId, Integer> ordinals = new HashMap<>();
    for (Member member : members) {
      if (ordinals.put(member.id(), ordinals.size()) != null) {
        throw new IllegalArgumentException("Two members have the identity " + member.id());
      }
    }
    return ordinals;
  }

  private static long[] epochs(TableHeader header) {
    long[] epochs = new long[header.segments()];
    Arrays.fill(epochs, header.epoch());
    return epochs;
  }

  private static short[] rows(TableHeader header, List<Member> members, int[][] owners) {
    if (owners.length != header.segments()) {
      throw new IllegalArgumentException(
          owners.length + " rows of owners for " + header.segments() + " segments");
    }
    int length = Arrays.stream(owners).mapToInt(row -> row.length).max().orElse(0);
    if (length > header.configuredOwners()) {
      throw new IllegalArgumentException(
          length + " owners where " + header.configuredOwners() + " are configured");
    }
    short[] rows = new short[Math.multiplyExact(owners.length, length)];
    Arrays.fill(rows, NONE);
    for (int segment = 0; segment < owners.length; segment++) {
      for (int index = 0; index < owners[segment].length; index++) {
        int ordinal = owners[segment][index];
        if (!members.get(ordinal).holdsSegments()) {
          throw new IllegalArgumentException(
              members.get(ordinal) + " holds nothing and cannot own segment " + segment);
        }
        rows[segment * length + index] = (short) ordinal;
      }
    }
    return rows;
  }
}
