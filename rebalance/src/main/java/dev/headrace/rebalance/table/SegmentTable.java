package dev.headrace.rebalance.table;

import dev.headrace.rebalance.table.bits.BitOutput;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An immutable image of who owns which segment at one epoch.
 *
 * <p>Owners are kept as ordinals, numbers that members keep while they are members, in short rows,
 * {@value RowChunk#SEGMENTS} to a chunk: a look-up is two array accesses, and a table that differs
 * from another in some rows shares all chunks without them. So {@link #apply} costs in proportion
 * to the delta, apart from one reference per chunk and one counter per member. The rows' stamps are
 * summed up on the way. Safe to share between threads.
 *
 * <p>It is long because it has many questions to answer; rows, members and the binary form have
 * classes of their own.
 */
public final class SegmentTable implements Ownership.View {
  /** The greatest number of ordinals, those of members and those that are vacant. */
  public static final int MAX_MEMBERS = Short.MAX_VALUE;

  static final int MAX_ANCESTORS = 64; // how many of the tables that led to a table it remembers

  /** When a node was admitted that is no member, and excluded that is one. */
  public static final long NEVER = -1;

  final TableHeader header;
  final Roster roster;
  final RowChunk[] chunks;
  final int[] replicas; // by ordinal: how many segments the member owns
  final long rowsStamp;
  final long[] ancestors; // the epochs of the written tables that led to this one, the newest first

  /** Takes the arrays over; they must keep the package's invariants. */
  SegmentTable(
      TableHeader header,
      Roster roster,
      RowChunk[] chunks,
      int[] replicas,
      long rowsStamp,
      long[] ancestors) {
    this.header = header;
    this.roster = roster;
    this.chunks = chunks;
    this.replicas = replicas;
    this.rowsStamp = rowsStamp;
    this.ancestors = ancestors;
  }

  /**
   * A table whose segments all changed at its epoch.
   *
   * @param owners for each segment its owners, the primary first and none twice, as places in
   *     {@code members}
   * @throws IllegalArgumentException if a row breaks a rule
   */
  public static SegmentTable of(TableHeader header, List<Member> members, int[][] owners) {
    return of(header, members, owners, NEVER);
  }

  /**
   * As above, in a cluster that has left members behind.
   *
   * @param excludedAt as {@link #excludedAt()} is to tell it
   */
  public static SegmentTable of(
      TableHeader header, List<Member> members, int[][] owners, long excludedAt) {
    if (owners.length != header.segments()) {
      throw new IllegalArgumentException(
          owners.length + " rows of owners for " + header.segments() + " segments");
    }
    RowEditor rows = RowEditor.blank(header, Roster.of(members, excludedAt));
    for (int segment = 0; segment < owners.length; segment++) {
      int length = owners[segment].length;
      if (length > header.configuredOwners()) {
        throw new IllegalArgumentException(
            length + " owners where " + header.configuredOwners() + " are configured");
      }
      short[] row = new short[length];
      for (int index = 0; index < length; index++) {
        row[index] = (short) owners[segment][index];
      }
      rows.put(segment, row, header.epoch(), 0);
    }
    return rows.table(header, new long[0]);
  }

  /**
   * The most owners that a segment may have for a while: one more than configured, since an owner
   * goes only after another has come.
   */
  public static int maxOwners(TableHeader header) {
    return Math.min(header.configuredOwners(), MAX_MEMBERS - 1) + 1;
  }

  /**
   * Begins the change to a later table.
   *
   * @throws IllegalArgumentException if the epoch is not greater than this table's
   */
  public TableEdit edit(long epoch) {
    if (epoch <= epoch()) {
      throw new IllegalArgumentException(
          "The next epoch after %s cannot be %s"
              .formatted(Epoch.toString(epoch()), Epoch.toString(epoch)));
    }
    return new TableEdit(this, epoch);
  }

  /**
   * The table that a delta leads to. Every changed segment's epoch becomes the delta's; a segment
   * that lost all its owners has its incarnation raised.
   *
   * @throws IllegalArgumentException if the delta leads from another epoch, or does not fit this
   *     table: it was made from another one then, and only a full image helps
   */
  public SegmentTable apply(TableDelta delta) {
    return delta.appliedTo(this);
  }

  /** A table of the same owners in which a cluster says that it may hold data from now on. */
  public SegmentTable written(long epoch, long firstWrite) {
    return apply(new TableEdit(this, epoch).written(firstWrite).delta());
  }

  /**
   * A table with more members that own nothing.
   *
   * @throws IllegalArgumentException if one is a member already
   */
  public SegmentTable withMembers(long epoch, List<Member> joined) {
    TableEdit edit = new TableEdit(this, epoch);
    joined.forEach(edit::addMember);
    return apply(edit.delta());
  }

  /** A table without some nodes, those that are no members left aside. */
  public SegmentTable withoutMembers(long epoch, Set<NodeId> lost) {
    List<NodeId> gone = lost.stream().filter(id -> member(id) != null).sorted().toList();
    return apply(new TableEdit(this, epoch).removeMembers(gone).delta());
  }

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
  @Override
  public boolean written() {
    return header.written();
  }

  @Override
  public int protocol() {
    return header.protocol();
  }

  public long hashSeed() {
    return header.hashSeed();
  }

  /** The identity that the cluster drew when it was founded. */
  public long clusterId() {
    return header.clusterId();
  }

  /**
   * Whether this table came about from the written table of an epoch, step by step; it remembers
   * the last {@value #MAX_ANCESTORS} steps.
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
    return Math.min(configuredOwners(), roster.holders());
  }

  public List<Member> members() {
    return roster.members();
  }

  /** The members that may own segments and have a vote, the oldest first. */
  public List<NodeId> dataNodes() {
    return members().stream().filter(Member::holdsSegments).map(Member::id).toList();
  }

  /**
   * Whether the cluster's last data nodes have left in order, with all data: no table with data
   * nodes follows, and nodes that come found another cluster.
   */
  public boolean hasEnded() {
    return written() && absent().isEmpty() && members().stream().noneMatch(Member::holdsSegments);
  }

  /** Whether another table is known to have the same members; false where that is not known. */
  @SuppressWarnings("ReferenceEquality") // tables that follow each other share their roster
  public boolean sharesMembers(SegmentTable other) {
    return roster == other.roster;
  }

  /** A member, or null if the node is none. */
  public @Nullable Member member(NodeId id) {
    int ordinal = roster.ordinal(id);
    return ordinal < 0 ? null : roster.member(ordinal);
  }

  /**
   * The epoch by which a node became a member, 0 if it was one before the cluster held data, {@link
   * #NEVER} if it is none. A node that is excluded and admitted again has another one.
   */
  public long admittedAt(NodeId id) {
    int ordinal = roster.ordinal(id);
    return ordinal < 0 ? NEVER : roster.admittedAt(ordinal);
  }

  /**
   * The epoch of the last table by which somebody ceased to be a member, {@link #NEVER} if nobody
   * did, or all members have long passed those tables. A node that did not see that table waits
   * before its first write is acknowledged: who was excluded may still have a lease.
   */
  public long excludedAt() {
    return roster.excludedAt();
  }

  /** How many segments a node owns, as primary or backup. */
  public int replicas(NodeId id) {
    int ordinal = roster.ordinal(id);
    return ordinal < 0 ? 0 : replicas[ordinal];
  }

  @Override
  public int ownerCount(int segment) {
    return isWaiting(segment) ? 0 : chunk(segment).length(segment);
  }

  @Override
  public NodeId owner(int segment, int index) {
    int ordinal = chunk(segment).ordinal(segment, index);
    if (ordinal == RowChunk.NONE || roster.isAbsent(ordinal)) {
      throw new IndexOutOfBoundsException(
          "Segment " + segment + " has no owner " + index + " at epoch " + Epoch.toString(epoch()));
    }
    return roster.member(ordinal).id();
  }

  /**
   * Whether a segment has no owner because all that have its content are absent: it begins anew
   * only if they are given up. Its row names them.
   */
  public boolean isWaiting(int segment) {
    return !roster.absent().isEmpty() && roster.isAbsent(chunk(segment).ordinal(segment, 0));
  }

  /** The absent nodes that have the content of a segment; empty if it does not wait for any. */
  public List<Member> awaited(int segment) {
    List<Member> holders = new ArrayList<>();
    if (isWaiting(segment)) {
      for (short ordinal : chunk(segment).row(segment)) {
        holders.add(roster.member(ordinal));
      }
    }
    return holders;
  }

  /** The segments that wait for absent nodes, in order. */
  public List<Integer> waitingSegments() {
    List<Integer> waiting = new ArrayList<>();
    for (int segment = 0; segment < segments() && !roster.absent().isEmpty(); segment++) {
      if (isWaiting(segment)) {
        waiting.add(segment);
      }
    }
    return waiting;
  }

  /** Whether a node is one that segments wait for. */
  public boolean isAbsent(NodeId id) {
    return roster.absentOrdinal(id) >= 0;
  }

  /** The nodes that segments wait for: no members, but not given up. */
  public List<Member> absent() {
    return roster.absent().stream().map(Roster.Seat::member).toList();
  }

  @Override
  public String whyUnowned(int segment) {
    List<Member> holders = awaited(segment);
    return holders.isEmpty()
        ? "has no living owner"
        : "waits for "
            + holders.stream().map(Member::toString).collect(Collectors.joining(" or "))
            + ", which cannot be reached and alone "
            + (holders.size() == 1 ? "has" : "have")
            + " what it holds";
  }

  @Override
  public List<String> missingNodes(int segment) {
    return awaited(segment).stream().map(Member::name).toList();
  }

  /** The owners of a segment, the primary first; empty if none of them is a member. */
  public List<NodeId> owners(int segment) {
    int count = ownerCount(segment);
    List<NodeId> ids = new ArrayList<>(count);
    for (int index = 0; index < count; index++) {
      ids.add(owner(segment, index));
    }
    return ids;
  }

  /** The owner that orders the segment's writes, or null if the segment has none. */
  public @Nullable NodeId primary(int segment) {
    int ordinal = primaryOrdinal(segment);
    return ordinal == RowChunk.NONE ? null : roster.member(ordinal).id();
  }

  /** The ordinal of the segment's primary, or -1 if the segment has none. */
  public int primaryOrdinal(int segment) {
    int ordinal = chunk(segment).ordinal(segment, 0);
    return roster.isAbsent(ordinal) ? RowChunk.NONE : ordinal;
  }

  /** The ordinal of a member, or -1 if the node is none. */
  public int ordinal(NodeId id) {
    return roster.ordinal(id);
  }

  /** Whether the member with an ordinal owns the segment, as primary or backup. */
  public boolean isOwner(int segment, int ordinal) {
    return ordinal >= 0 && chunk(segment).contains(segment, ordinal);
  }

  /**
   * The member with an ordinal.
   *
   * @throws IllegalArgumentException if nobody has it
   */
  public Member memberAt(int ordinal) {
    return roster.member(ordinal);
  }

  /** Whether the node is the segment's primary. */
  public boolean isPrimary(int segment, NodeId id) {
    return id.equals(primary(segment));
  }

  /** Whether the node owns the segment, as primary or backup. */
  public boolean isOwner(int segment, NodeId id) {
    return isOwner(segment, roster.ordinal(id));
  }

  /** The epoch at which the segment's owners last changed. */
  public long segmentEpoch(int segment) {
    return chunk(segment).epoch(segment);
  }

  @Override
  public int incarnation(int segment) {
    return chunk(segment).incarnation(segment);
  }

  /**
   * How many ordinals members have, or had and left vacant: grows only while vacant ones may not be
   * given again.
   */
  public int ordinals() {
    return roster.slots();
  }

  /** The segments without any owner, those that wait for absent nodes included, in order. */
  public List<Integer> lostSegments() {
    List<Integer> lost = new ArrayList<>();
    for (int segment = 0; segment < segments(); segment++) {
      if (primary(segment) == null) {
        lost.add(segment);
      }
    }
    return lost;
  }

  /**
   * 64 bits that stand for the content: owners in their order by identity, incarnations, members in
   * the order they joined, first write, cluster, seed. Tables of equal content have equal stamps
   * however they came about; others differ but for one chance in 2^64. Epochs and ordinals do not
   * count: compare stamps of tables of one epoch.
   */
  public long stamp() {
    return membersStamp() + rowsStamp;
  }

  /** The part of {@link #stamp()} that is not about rows: the rest is the whole range's. */
  public long membersStamp() {
    return Stamp.chain(Stamp.of(header), roster.stamp());
  }

  /**
   * The part of {@link #stamp()} that some segments have. Ranges that lie one behind the other add
   * up, modulo 2^64.
   *
   * @param from the first segment
   * @param to the one behind the last
   */
  public long rangeStamp(int from, int to) {
    checkRange(from, to);
    return RowChunk.rangeStamp(chunks, from, to, segments(), roster.marks());
  }

  /** The rows of some segments, to replace those of a table of the same epoch that differ. */
  public TableSlice slice(int from, int to) {
    checkRange(from, to);
    return TableSlice.of(this, from, to);
  }

  /**
   * A table of the same epoch with some rows replaced.
   *
   * @throws IllegalArgumentException if the slice is of another epoch or names ordinals that nobody
   *     has: the members differ too, and only a full image helps
   */
  public SegmentTable withSlice(TableSlice slice) {
    if (slice.epoch() != epoch() || slice.to() > segments()) {
      throw new IllegalArgumentException("The " + slice + " cannot be part of the " + this);
    }
    RowEditor rows = new RowEditor(this, roster);
    slice.putInto(rows);
    return rows.table(header, ancestors);
  }

  public BitOutput encoded() {
    return TableForm.encoded(this);
  }

  public static SegmentTable decode(ByteBuffer in) {
    return TableForm.decode(in);
  }

  /**
   * Whether everything in the two tables is the same, ordinals included, so that they can take the
   * same deltas.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof SegmentTable table
            && header.equals(table.header)
            && rowsStamp == table.rowsStamp
            && roster.isSame(table.roster)
            && Arrays.equals(ancestors, table.ancestors)
            && RowChunk.areSame(chunks, table.chunks, segments()));
  }

  @Override
  public int hashCode() {
    return 31 * header.hashCode() + Long.hashCode(rowsStamp);
  }

  @Override
  public String toString() {
    return "table (%s, %d members, %d segments, %d lost)"
        .formatted(header, members().size(), segments(), lostSegments().size());
  }

  /** The ancestors of the table that follows at an epoch. */
  long[] ancestorsAt(long epoch) {
    if (!written() || epoch == epoch()) {
      return ancestors;
    }
    long[] all = new long[Math.min(ancestors.length + 1, MAX_ANCESTORS)];
    all[0] = epoch();
    System.arraycopy(ancestors, 0, all, 1, all.length - 1);
    return all;
  }

  RowChunk chunk(int segment) {
    if (segment < 0 || segment >= segments()) {
      throw new IndexOutOfBoundsException(
          "There is no segment " + segment + ": the cluster has " + segments());
    }
    return chunks[segment >>> RowChunk.SHIFT];
  }

  private void checkRange(int from, int to) {
    if (from < 0 || from > to || to > segments()) {
      throw new IndexOutOfBoundsException(
          "There are no segments from %d to %d: the cluster has %d"
              .formatted(from, to, segments()));
    }
  }
}
