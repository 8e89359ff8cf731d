package dev.headrace.rebalance.table;

import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of a table in the order they joined, each with an ordinal that it keeps while it is a
 * member. A member that goes leaves a vacant ordinal, and the roster knows at which epoch. Absent
 * nodes are no members any more, and keep their ordinals because nobody else has what some segments
 * hold. Immutable; a change costs in proportion to the number of members.
 */
final class Roster {
  static final long TAKEN = -1; // an ordinal that is taken, in vacatedAt
  private static final int NOBODY = -1;

  /**
   * A member and its ordinal.
   *
   * @param ordinal from 0
   * @param member who has it
   * @param admittedAt the epoch of the table by which the member joined, 0 if it was one from the
   *     beginning; a node that goes and comes back has another one
   */
  record Seat(int ordinal, Member member, long admittedAt) {}

  private final List<Seat> seats;
  private final List<Seat> absent;
  private final List<Member> members;

  /** By ordinal, those that are absent included; null where it is vacant. */
  private final @Nullable Seat[] byOrdinal;

  private final long[] vacatedAt; // by ordinal: the epoch at which it was vacated, or TAKEN

  /** By ordinal: the identity's stamp, also of who went last, until the ordinal is taken again. */
  private final long[] marks;

  private final Map<NodeId, Integer> ordinals; // of the members
  private final Map<NodeId, Integer> absentOrdinals; // of those that are absent
  private final int holders;
  private final long stamp;

  /** Takes the array over, whose length is the number of ordinals, vacant ones included. */
  Roster(List<Seat> seats, List<Seat> absent, long[] vacatedAt) {
    this(seats, absent, vacatedAt, new long[vacatedAt.length]);
  }

  private Roster(List<Seat> seats, List<Seat> absent, long[] vacatedAt, long[] marks) {
    if (vacatedAt.length > SegmentTable.MAX_MEMBERS) {
      throw new IllegalArgumentException(
          "A table has at most %d ordinals: vacant ones must be used again, or the table made anew"
              .formatted(SegmentTable.MAX_MEMBERS));
    }
    this.seats = List.copyOf(seats);
    this.absent = List.copyOf(absent);
    this.members = this.seats.stream().map(Seat::member).toList();
    this.vacatedAt = vacatedAt;
    this.marks = marks;
    this.byOrdinal = new Seat[vacatedAt.length];
    this.ordinals = new HashMap<>();
    this.absentOrdinals = new HashMap<>();
    int holding = 0;
    long chain = 0;
    for (Seat seat : this.seats) {
      seat(seat, ordinals);
      holding += seat.member().holdsSegments() ? 1 : 0;
      chain = Stamp.chain(chain, Stamp.of(seat.member()));
    }
    for (Seat seat : this.absent) {
      seat(seat, absentOrdinals);
      if (ordinals.containsKey(seat.member().id())) {
        throw new IllegalArgumentException(seat.member() + " cannot be a member and absent");
      }
      chain = Stamp.chain(~chain, Stamp.of(seat.member()));
    }
    this.holders = holding;
    this.stamp = chain;
  }

  /**
   * Members with the ordinals 0, 1, 2 and so on, and a vacant one behind them if somebody was
   * excluded before.
   *
   * @param excludedAt as {@link #excludedAt()} is to tell it
   */
  static Roster of(List<Member> members, long excludedAt) {
    List<Seat> seats = new ArrayList<>();
    for (Member member : members) {
      seats.add(new Seat(seats.size(), member, 0));
    }
    boolean vacant = excludedAt != SegmentTable.NEVER;
    long[] vacatedAt = new long[seats.size() + (vacant ? 1 : 0)];
    Arrays.fill(vacatedAt, excludedAt);
    Arrays.fill(vacatedAt, 0, seats.size(), TAKEN);
    return new Roster(seats, List.of(), vacatedAt);
  }

  private void seat(Seat seat, Map<NodeId, Integer> among) {
    int ordinal = seat.ordinal();
    NodeId id = seat.member().id();
    if (ordinal < 0 || ordinal >= byOrdinal.length || vacatedAt[ordinal] != TAKEN) {
      throw new IllegalArgumentException(seat.member() + " has no ordinal of its own: " + ordinal);
    }
    if (byOrdinal[ordinal] != null) {
      throw new IllegalArgumentException(
          seat.member() + " and " + member(ordinal) + " have the ordinal " + ordinal);
    }
    if (among.put(id, ordinal) != null) {
      throw new IllegalArgumentException("Two members have the identity " + id);
    }
    byOrdinal[ordinal] = seat;
    marks[ordinal] = Stamp.of(id);
  }

  /**
   * The roster after some have gone and then some have come. Who comes back takes the ordinal that
   * it has kept.
   *
   * @param removed ordinals, of members and of those that are absent
   * @param withdrawn ordinals of members that are absent from now on
   * @param joined those that come, in their order
   * @param epoch at which they come and go
   */
  Roster changed(List<Integer> removed, List<Integer> withdrawn, List<Seat> joined, long epoch) {
    if (removed.isEmpty() && withdrawn.isEmpty() && joined.isEmpty()) {
      return this;
    }
    int slots = vacatedAt.length;
    for (Seat seat : joined) {
      slots = Math.max(slots, seat.ordinal() + 1);
    }
    if (slots > vacatedAt.length + joined.size()) {
      throw new IllegalArgumentException("New members leave ordinals out");
    }
    long[] vacated = Arrays.copyOf(vacatedAt, slots);
    Arrays.fill(vacated, vacatedAt.length, slots, epoch);
    List<Seat> nextAbsent = new ArrayList<>(absent);
    for (Seat seat : joined) {
      boolean back = nextAbsent.removeIf(one -> isSame(one, seat));
      if (!back && isTaken(seat.ordinal())) {
        throw new IllegalArgumentException(
            seat.member() + " cannot have the ordinal of " + member(seat.ordinal()));
      }
      vacated[seat.ordinal()] = TAKEN;
    }
    List<Seat> next = new ArrayList<>(seats);
    for (int ordinal : removed) {
      if (!isTaken(ordinal)) {
        throw new IllegalArgumentException("Nobody can go from the ordinal " + ordinal);
      }
      vacated[ordinal] = epoch;
      next.removeIf(seat -> seat.ordinal() == ordinal);
      nextAbsent.removeIf(seat -> seat.ordinal() == ordinal);
    }
    for (int ordinal : withdrawn) {
      Seat seat = next.stream().filter(one -> one.ordinal() == ordinal).findFirst().orElse(null);
      if (seat == null) {
        throw new IllegalArgumentException("No member with the ordinal " + ordinal + " withdraws");
      }
      next.remove(seat);
      nextAbsent.add(seat);
    }
    next.addAll(joined);
    return new Roster(next, nextAbsent, vacated, Arrays.copyOf(marks, slots));
  }

  private static boolean isSame(Seat one, Seat other) {
    return one.ordinal() == other.ordinal() && one.member().id().equals(other.member().id());
  }

  /** All members in the order they joined. */
  List<Member> members() {
    return members;
  }

  List<Seat> seats() {
    return seats;
  }

  /** Those that are absent with their ordinals, in the order they went. */
  List<Seat> absent() {
    return absent;
  }

  /** Whether an ordinal is one of a node that is absent. */
  boolean isAbsent(int ordinal) {
    return !absent.isEmpty() && absentOrdinals.containsValue(ordinal);
  }

  /** The ordinal that an absent node has kept, or a negative number if it has none. */
  int absentOrdinal(NodeId id) {
    return absentOrdinals.getOrDefault(id, NOBODY);
  }

  int slots() {
    return vacatedAt.length;
  }

  int holders() {
    return holders;
  }

  long stamp() {
    return stamp;
  }

  /** By ordinal: what stands for the node in a row's stamp. */
  long[] marks() {
    return marks;
  }

  /** When an ordinal was vacated, or {@link #TAKEN}. */
  long vacatedAt(int ordinal) {
    return vacatedAt[ordinal];
  }

  /**
   * The latest epoch at which an ordinal was vacated that is still vacant, {@link
   * SegmentTable#NEVER} if none is.
   */
  long excludedAt() {
    return Arrays.stream(vacatedAt).filter(at -> at != TAKEN).max().orElse(SegmentTable.NEVER);
  }

  boolean isTaken(int ordinal) {
    return ordinal >= 0 && ordinal < vacatedAt.length && vacatedAt[ordinal] == TAKEN;
  }

  /** Who has an ordinal. */
  Member member(int ordinal) {
    return seat(ordinal).member();
  }

  long admittedAt(int ordinal) {
    return seat(ordinal).admittedAt();
  }

  private Seat seat(int ordinal) {
    Seat seat = ordinal >= 0 && ordinal < byOrdinal.length ? byOrdinal[ordinal] : null;
    if (seat == null) {
      throw new IllegalArgumentException("No member has the ordinal " + ordinal);
    }
    return seat;
  }

  /** A node's ordinal, or a negative number if it is no member. */
  int ordinal(NodeId id) {
    return ordinals.getOrDefault(id, NOBODY);
  }

  /** Whether members, their order and ordinals, and when each vacant one was vacated are alike. */
  boolean isSame(Roster other) {
    return this == other
        || (seats.equals(other.seats)
            && absent.equals(other.absent)
            && Arrays.equals(vacatedAt, other.vacatedAt));
  }
}
