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
 * member. Whoever goes leaves a vacant ordinal, of which the roster knows at which epoch that was.
 * Immutable; a change costs in proportion to the number of members.
 */
final class Roster {

  /** An ordinal that is taken, in {@link #vacatedAt}. */
  static final long TAKEN = -1;

  private static final int NOBODY = -1;

  /**
   * A member and its ordinal.
   *
   * @param ordinal from 0
   * @param member who has it
   */
  record Seat(int ordinal, Member member) {}

  private final List<Seat> seats;
  private final List<Member> members;

  /** By ordinal; null where it is vacant. */
  private final @Nullable Member[] byOrdinal;

  /** By ordinal: the epoch at which it was vacated, or {@link #TAKEN}. */
  private final long[] vacatedAt;

  /** By ordinal: the identity's stamp, also of who went last, until the ordinal is taken again. */
  private final long[] marks;

  private final Map<NodeId, Integer> ordinals;
  private final int holders;
  private final long stamp;

  /** Takes the array over, whose length is the number of ordinals, vacant ones included. */
  Roster(List<Seat> seats, long[] vacatedAt) {
    this(seats, vacatedAt, new long[vacatedAt.length]);
  }

  private Roster(List<Seat> seats, long[] vacatedAt, long[] marks) {
    if (vacatedAt.length > SegmentTable.MAX_MEMBERS) {
      throw new IllegalArgumentException(
          "A table has at most "
              + SegmentTable.MAX_MEMBERS
              + " ordinals: vacant ones must be used"
              + " again, or the table be made anew");
    }
    this.seats = List.copyOf(seats);
    this.members = this.seats.stream().map(Seat::member).toList();
    this.vacatedAt = vacatedAt;
    this.marks = marks;
    this.byOrdinal = new Member[vacatedAt.length];
    this.ordinals = new HashMap<>();
    int holding = 0;
    long chain = 0;
    for (Seat seat : this.seats) {
      seat(seat);
      holding += seat.member().holdsSegments() ? 1 : 0;
      chain = Stamp.chain(chain, Stamp.of(seat.member()));
    }
    this.holders = holding;
    this.stamp = chain;
  }

  /** Members with the ordinals 0, 1, 2 and so on. */
  static Roster of(List<Member> members) {
    List<Seat> seats = new ArrayList<>();
    for (Member member : members) {
      seats.add(new Seat(seats.size(), member));
    }
    long[] vacatedAt = new long[seats.size()];
    Arrays.fill(vacatedAt, TAKEN);
    return new Roster(seats, vacatedAt);
  }

  private void seat(Seat seat) {
    int ordinal = seat.ordinal();
    NodeId id = seat.member().id();
    if (ordinal < 0 || ordinal >= byOrdinal.length || vacatedAt[ordinal] != TAKEN) {
      throw new IllegalArgumentException(seat.member() + " has no ordinal of its own: " + ordinal);
    }
    if (byOrdinal[ordinal] != null) {
      throw new IllegalArgumentException(
          seat.member() + " and " + byOrdinal[ordinal] + " have the ordinal " + ordinal);
    }
    if (ordinals.put(id, ordinal) != null) {
      throw new IllegalArgumentException("Two members have the identity " + id);
    }
    byOrdinal[ordinal] = seat.member();
    marks[ordinal] = Stamp.of(id);
  }

  /**
   * The roster after some have gone and then some have come.
   *
   * @param removed ordinals
   * @param joined those that come, in their order
   * @param epoch at which they come and go
   * @throws IllegalArgumentException if an ordinal is not there, or not free
   */
  Roster changed(int[] removed, List<Seat> joined, long epoch) {
    if (removed.length == 0 && joined.isEmpty()) {
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
    for (Seat seat : joined) {
      if (isTaken(seat.ordinal())) {
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
    }
    next.addAll(joined);
    return new Roster(next, vacated, Arrays.copyOf(marks, slots));
  }

  /** All members in the order they joined. */
  List<Member> members() {
    return members;
  }

  /** All members with their ordinals, in the order they joined. */
  List<Seat> seats() {
    return seats;
  }

  /** Number of ordinals, vacant ones included. */
  int slots() {
    return vacatedAt.length;
  }

  /** How many members may own segments. */
  int holders() {
    return holders;
  }

  /** Everything about the members, their order included, but not their ordinals. */
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

  boolean isTaken(int ordinal) {
    return ordinal >= 0 && ordinal < vacatedAt.length && vacatedAt[ordinal] == TAKEN;
  }

  /**
   * Who has an ordinal.
   *
   * @throws IllegalArgumentException if nobody has
   */
  Member member(int ordinal) {
    Member member = ordinal >= 0 && ordinal < byOrdinal.length ? byOrdinal[ordinal] : null;
    if (member == null) {
      throw new IllegalArgumentException("No member has the ordinal " + ordinal);
    }
    return member;
  }

  /** A node's ordinal, or a negative number if it is no member. */
  int ordinal(NodeId id) {
    return ordinals.getOrDefault(id, NOBODY);
  }

  /** Whether members, their order and ordinals, and when each vacant one was vacated are alike. */
  boolean isSame(Roster other) {
    return this == other
        || (seats.equals(other.seats) && Arrays.equals(vacatedAt, other.vacatedAt));
  }
}
