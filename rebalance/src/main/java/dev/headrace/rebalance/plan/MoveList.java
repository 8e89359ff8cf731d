package dev.headrace.rebalance.plan;

import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Puts the moves that lead from rows to rows into their order: first the segments that have lost
 * all, then copies, those of the segments with the fewest live replicas first, then owners that
 * only leave, then changes of the primary alone. Not thread-safe.
 */
final class MoveList {
  private final List<Member> members;
  private final List<Move> restarts = new ArrayList<>();

  /** By the number of live replicas that the segment has before the move. */
  private final List<List<Move>> copies = new ArrayList<>();

  private final List<Move> drops = new ArrayList<>();
  private final List<Move> swaps = new ArrayList<>();

  MoveList(List<Member> members) {
    this.members = members;
  }

  /**
   * Adds what leads from one row to another, as places of members. Owners are added before others
   * are dropped if there are too few, else together; the primary is dropped last.
   */
  void add(int segment, int[] before, int[] after) {
    if (Arrays.equals(before, after)) {
      return;
    }
    if (before.length == 0) {
      restarts.add(move(segment, null, null, after));
      return;
    }
    int[] added = IntStream.of(after).filter(place -> !Situation.contains(before, place)).toArray();
    int[] dropped =
        IntStream.of(before).filter(place -> !Situation.contains(after, place)).toArray();
    int[] row = before;
    int left = dropped.length;
    for (int index = 0; index < added.length; index++) {
      boolean replaces = added.length - index <= left;
      int drop = replaces ? dropped[--left] : Situation.NONE;
      int live = row.length;
      row = step(row, added[index], drop);
      boolean last = index == added.length - 1 && left == 0;
      copies(live).add(move(segment, added[index], replaces ? drop : null, last ? after : row));
    }
    while (left > 0) {
      int drop = dropped[--left];
      row = step(row, Situation.NONE, drop);
      drops.add(move(segment, null, drop, left == 0 ? after : row));
    }
    if (added.length == 0 && dropped.length == 0) {
      swaps.add(move(segment, null, null, after));
    }
  }

  List<Move> all() {
    List<Move> all = new ArrayList<>(restarts);
    copies.forEach(all::addAll);
    all.addAll(drops);
    all.addAll(swaps);
    return List.copyOf(all);
  }

  private List<Move> copies(int live) {
    while (copies.size() <= live) {
      copies.add(new ArrayList<>());
    }
    return copies.get(live);
  }

  private Move move(int segment, @Nullable Integer add, @Nullable Integer drop, int[] row) {
    return new Move(segment, id(add), id(drop), ids(members, row));
  }

  private @Nullable NodeId id(@Nullable Integer place) {
    return place == null ? null : members.get(place).id();
  }

  static List<NodeId> ids(List<Member> members, int[] row) {
    return IntStream.of(row).mapToObj(place -> members.get(place).id()).toList();
  }

  private static int[] step(int[] row, int add, int drop) {
    IntStream stay = IntStream.of(row).filter(place -> place != drop);
    return IntStream.concat(stay, IntStream.of(add).filter(place -> place != Situation.NONE))
        .toArray();
  }
}
