package dev.headrace.rebalance.table;

import dev.headrace.rebalance.table.Roster.Seat;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Collects what changes from a table to the next, and makes the delta of it. Nothing changes before
 * the delta is applied. Not safe for use by several threads at once.
 */
public final class TableEdit {
  private final SegmentTable before;
  private final long epoch;
  private final Map<NodeId, Seat> joined = new LinkedHashMap<>(); // those that come, in their order

  /** The ordinals of members that are absent from now on as far as segments wait for them. */
  private final Set<Integer> withdrawn = new LinkedHashSet<>();

  /** Rows that change although the same nodes are named. */
  private final Set<Integer> turned = new HashSet<>();

  private final Set<Integer> removed = new LinkedHashSet<>(); // the ordinals of those that go
  private final Map<Integer, short[]> rows = new TreeMap<>(); // the rows that may have changed
  private final Set<Integer> lost = new HashSet<>();
  private long firstWrite;
  private int protocol;
  private long reusableThrough = -1;
  private int nextVacant;
  private int slots;

  /** Begins without any change; the epoch may be the table's own. */
  TableEdit(SegmentTable before, long epoch) {
    if (epoch < before.epoch()) {
      throw new IllegalArgumentException(
          "The epoch %s lies before that of the %s".formatted(Epoch.toString(epoch), before));
    }
    this.before = before;
    this.epoch = epoch;
    this.slots = before.roster.slots();
  }

  /**
   * Allows members that are added from now on to have the ordinals of members that went at or
   * before an epoch, because every member knows a table of that epoch or a later one. Without it
   * each new member gets an ordinal that nobody ever had.
   *
   * @throws IllegalArgumentException if the epoch is later than the table's
   */
  public TableEdit reusableThrough(long passedEpoch) {
    if (passedEpoch > before.epoch()) {
      throw new IllegalArgumentException(
          "Nobody can know epoch %s before it is made".formatted(Epoch.toString(passedEpoch)));
    }
    reusableThrough = passedEpoch;
    nextVacant = 0;
    return this;
  }

  /**
   * Lets a node become the last member, without segments.
   *
   * @throws IllegalArgumentException if it is one already, or no ordinal is left
   */
  public TableEdit addMember(Member member) {
    if (ordinal(member.id()) >= 0) {
      throw new IllegalArgumentException(member + " is a member already");
    }
    join(freeOrdinal(), member);
    return this;
  }

  /**
   * Takes members out of the list and out of all rows. The other owners stay, in their order, so
   * that the first that is left becomes the primary; a segment that loses its last owner stays
   * without, and its incarnation is raised.
   *
   * @throws IllegalArgumentException if a node was no member before this edit
   */
  public TableEdit removeMembers(Collection<NodeId> ids) {
    boolean owners = false;
    for (NodeId id : ids) {
      int ordinal = ordinalBefore(id);
      removed.add(ordinal);
      owners |= before.roster.member(ordinal).holdsSegments();
    }
    if (owners) {
      for (int segment = 0; segment < before.segments(); segment++) {
        short[] present = row(segment);
        short[] left = without(present, removed);
        if (left.length < present.length) {
          put(segment, left);
        }
      }
    }
    return this;
  }

  /**
   * Takes members out whom nobody can reach. Segments that have other owners go on with those. The
   * others keep the content that those members have: they wait, and the members are absent until
   * they come back or are given up.
   *
   * @throws IllegalArgumentException if a node was no member before this edit
   */
  public TableEdit withdrawMembers(Collection<NodeId> ids) {
    Set<Integer> going = new HashSet<>();
    for (NodeId id : ids) {
      int ordinal = ordinalBefore(id);
      going.add(ordinal);
      withdrawn.add(ordinal);
    }
    for (int segment = 0; segment < before.segments(); segment++) {
      short[] present = row(segment);
      short[] left = without(present, going);
      if (left.length == 0 && present.length > 0 && !before.isWaiting(segment)) {
        rows.put(segment, present);
        turned.add(segment);
      } else if (left.length < present.length) {
        put(segment, left);
      }
    }
    return this;
  }

  /**
   * Takes a node back that is absent: a member again, and the owner of the segments that wait for
   * it, together with others that come back in this edit. Whoever of a segment's holders does not
   * come back with it has nothing that is needed any more.
   *
   * @throws IllegalArgumentException if it is not absent
   */
  public TableEdit readmit(Collection<Member> members) {
    Set<Integer> back = new HashSet<>();
    for (Member member : members) {
      int ordinal = before.roster.absentOrdinal(member.id());
      if (ordinal < 0) {
        throw new IllegalArgumentException(member + " is not absent");
      }
      join(ordinal, member);
      back.add(ordinal);
    }
    for (int segment : before.waitingSegments()) {
      short[] holders = row(segment);
      Set<Integer> away = new HashSet<>();
      for (short ordinal : holders) {
        if (!back.contains((int) ordinal)) {
          away.add((int) ordinal);
        }
      }
      if (away.size() < holders.length) {
        rows.put(segment, without(holders, away));
        turned.add(segment);
      }
    }
    return this;
  }

  /**
   * Lets a segment that this edit has taken from its last owners wait for others: absent nodes, or
   * members that this edit withdraws. Its content is theirs, so the incarnation stays.
   *
   * @throws IllegalArgumentException if one is neither
   */
  public TableEdit await(int segment, Collection<NodeId> holders) {
    short[] row = new short[holders.size()];
    int index = 0;
    for (NodeId id : holders) {
      int absent = before.roster.absentOrdinal(id);
      int ordinal = absent >= 0 ? absent : before.roster.ordinal(id);
      if (absent < 0 && !withdrawn.contains(ordinal)) {
        throw new IllegalArgumentException("Nothing waits for " + id + ", which is a member");
      }
      row[index++] = (short) ordinal;
    }
    rows.put(segment, row);
    turned.add(segment);
    lost.remove(segment);
    return this;
  }

  /**
   * Gives up what segments wait for: they have lost all their owners and begin anew. Segments that
   * do not wait are left alone.
   */
  public TableEdit giveUp(Collection<Integer> segments) {
    for (int segment : segments) {
      if (segment >= 0 && segment < before.segments() && before.isWaiting(segment)) {
        rows.put(segment, new short[0]);
        lost.add(segment);
      }
    }
    return this;
  }

  /**
   * Sets a segment's owners, the primary first. Owners that replace all former ones have its
   * content: the incarnation stays. One more than configured may be named, since an owner goes only
   * after another has come.
   *
   * @throws IllegalArgumentException if one is no member, holds nothing or is named twice, or if
   *     there are too many
   * @throws IndexOutOfBoundsException if there is no such segment
   */
  public TableEdit owners(int segment, List<NodeId> owners) {
    short[] row = new short[owners.size()];
    for (int index = 0; index < row.length; index++) {
      int ordinal = ordinal(owners.get(index));
      if (ordinal < 0) {
        throw new IllegalArgumentException(
            "The node %s is no member and cannot own segment %d"
                .formatted(owners.get(index), segment));
      }
      row[index] = (short) ordinal;
    }
    RowEditor.check(segment, row, before.header, index -> member(owners.get(index), row[index]));
    put(segment, row);
    return this;
  }

  /**
   * As {@link #owners}, although all former owners may be gone with this edit: those named now have
   * the content, so that the incarnation stays. An empty list changes nothing.
   */
  public TableEdit kept(int segment, List<NodeId> owners) {
    if (!owners.isEmpty()) {
      owners(segment, owners);
      lost.remove(segment);
    }
    return this;
  }

  /**
   * Says that what a segment held is lost although it has owners, because none of them has all of
   * it: they begin it anew, and its incarnation is raised.
   *
   * @throws IndexOutOfBoundsException if there is no such segment
   */
  public TableEdit lose(int segment) {
    put(segment, row(segment));
    lost.add(segment);
    return this;
  }

  /**
   * Lets the cluster say that it may hold data from now on, which raises every segment's epoch.
   *
   * @param newFirstWrite drawn by chance, not 0
   * @throws IllegalArgumentException if the table is written already
   */
  public TableEdit written(long newFirstWrite) {
    if (newFirstWrite == 0 || before.written()) {
      throw new IllegalArgumentException(
          "The %s cannot be marked as written with %x".formatted(before, newFirstWrite));
    }
    firstWrite = newFirstWrite;
    return this;
  }

  /**
   * Raises the version of the protocol that may be used, because all members know it.
   *
   * @throws IllegalArgumentException if it is not newer than the table's
   */
  public TableEdit speaking(int newProtocol) {
    if (newProtocol <= before.header().protocol()) {
      throw new IllegalArgumentException(
          "The %s speaks version %d, which %d does not raise"
              .formatted(before, before.header().protocol(), newProtocol));
    }
    protocol = newProtocol;
    return this;
  }

  /** What has changed so far. */
  public TableDelta delta() {
    List<TableDelta.Row> changes = new ArrayList<>();
    rows.forEach(
        (segment, row) -> {
          short[] present = before.chunk(segment).row(segment);
          boolean differs =
              lost.contains(segment) || turned.contains(segment) || !Arrays.equals(present, row);
          if (differs) {
            changes.add(TableDelta.Row.between(segment, lost.contains(segment), present, row));
          }
        });
    List<Integer> gone = new ArrayList<>(removed);
    List<Integer> absent = new ArrayList<>();
    for (int ordinal : withdrawn) {
      (isInAnyRow(ordinal) ? absent : gone).add(ordinal);
    }
    for (Seat seat : before.roster.absent()) {
      if (!joined.containsKey(seat.member().id()) && !isInAnyRow(seat.ordinal())) {
        gone.add(seat.ordinal()); // nobody waits for it any more
      }
    }
    return new TableDelta(
        before.epoch(),
        epoch,
        before.segments(),
        firstWrite,
        protocol,
        gone,
        absent,
        List.copyOf(joined.values()),
        changes);
  }

  private void join(int ordinal, Member member) {
    joined.put(member.id(), new Seat(ordinal, member, epoch));
  }

  /** The ordinal of a member that goes. */
  private int ordinalBefore(NodeId id) {
    int ordinal = ordinal(id);
    if (ordinal < 0 || joined.containsKey(id)) {
      throw new IllegalArgumentException("There was no member " + id + " before this change");
    }
    return ordinal;
  }

  private boolean isInAnyRow(int ordinal) {
    int count = before.replicas[ordinal];
    for (Map.Entry<Integer, short[]> changed : rows.entrySet()) {
      short[] present = before.chunk(changed.getKey()).row(changed.getKey());
      count += count(changed.getValue(), ordinal) - count(present, ordinal);
    }
    return count > 0;
  }

  private static int count(short[] row, int ordinal) {
    int count = 0;
    for (short each : row) {
      count += each == ordinal ? 1 : 0;
    }
    return count;
  }

  private static short[] without(short[] row, Set<Integer> ordinals) {
    short[] left = new short[row.length];
    int count = 0;
    for (short ordinal : row) {
      if (!ordinals.contains((int) ordinal)) {
        left[count++] = ordinal;
      }
    }
    return Arrays.copyOf(left, count);
  }

  private void put(int segment, short[] row) {
    int countBefore = before.ownerCount(segment);
    if (row.length == 0 && countBefore > 0) {
      lost.add(segment);
    }
    rows.put(segment, row);
  }

  private short[] row(int segment) {
    short[] changed = rows.get(segment);
    return changed == null ? before.chunk(segment).row(segment) : changed;
  }

  private Member member(NodeId id, int ordinal) {
    Seat seat = joined.get(id);
    return seat == null ? before.roster.member(ordinal) : seat.member();
  }

  /** The ordinal that a node has after this edit, or a negative number if it is no member then. */
  private int ordinal(NodeId id) {
    Seat seat = joined.get(id);
    if (seat != null) {
      return seat.ordinal();
    }
    int ordinal = before.roster.ordinal(id);
    return removed.contains(ordinal) || withdrawn.contains(ordinal) ? -1 : ordinal;
  }

  private int freeOrdinal() {
    Roster roster = before.roster;
    while (nextVacant < roster.slots()) {
      int ordinal = nextVacant++;
      boolean given = joined.values().stream().anyMatch(seat -> seat.ordinal() == ordinal);
      boolean mayBeUsed =
          !roster.isTaken(ordinal) && roster.vacatedAt(ordinal) <= reusableThrough && !given;
      if (mayBeUsed) {
        return ordinal;
      }
    }
    if (slots == SegmentTable.MAX_MEMBERS) {
      throw new IllegalArgumentException(
          "No ordinal is left of " + slots + ": vacant ones must be used again");
    }
    return slots++;
  }
}
