package dev.headrace.rebalance.plan;

import dev.headrace.rebalance.placement.FairShares;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Chooses each segment's primary among its owners, and levels primaries per node.
 *
 * <p>A primary that stays an owner stays primary unless its node has too many. Segments whose
 * owners change anyway are tried first, since there another primary costs nothing more. Where no
 * direct change is left, a chain of nodes each hands a segment to the next; a chain is found
 * whenever there is one, so what is not level in the end cannot be with these owners. Not
 * thread-safe.
 */
final class Primaries {
  private final Situation now;
  private final Assignment rows;
  private final int[] primaries;
  private final int[] counts;
  private final int[] least;
  private final int[] most;
  private final boolean[] changed;

  private Primaries(Situation now, Assignment rows, FairShares shares) {
    this.now = now;
    this.rows = rows;
    primaries = new int[rows.segments()];
    counts = new int[rows.nodes()];
    int[] held = new int[counts.length];
    for (int node = 0; node < held.length; node++) {
      held[node] = rows.count(node);
    }
    double[] exact = shares.primaries(held);
    least = Arrays.stream(exact).mapToInt(FairShares::least).toArray();
    most = Arrays.stream(exact).mapToInt(FairShares::most).toArray();
    changed = new boolean[primaries.length];
  }

  static int[] choose(Situation now, Assignment rows, FairShares shares) {
    Primaries primaries = new Primaries(now, rows, shares);
    primaries.keep();
    primaries.elect();
    primaries.levelDirectly(true);
    primaries.levelDirectly(false);
    primaries.levelAlongChains();
    return primaries.primaries;
  }

  private void keep() {
    for (int segment = 0; segment < primaries.length; segment++) {
      int primary = now.primary(segment);
      boolean stays = primary != Situation.NONE && rows.holds(segment, primary);
      primaries[segment] = stays ? primary : Situation.NONE;
      changed[segment] = ownersChange(segment);
      if (stays) {
        counts[primary]++;
      }
    }
  }

  private boolean ownersChange(int segment) {
    boolean change = now.rows[segment].length != rows.size(segment);
    for (int index = 0; index < rows.size(segment) && !change; index++) {
      change = rows.lost(segment) || rows.cost(segment, rows.node(segment, index)) > 0;
    }
    return change;
  }

  private void elect() {
    for (int segment = 0; segment < primaries.length; segment++) {
      if (primaries[segment] == Situation.NONE) {
        primaries[segment] = poorest(segment);
        counts[primaries[segment]]++;
      }
    }
  }

  private void levelDirectly(boolean onlyChanged) {
    for (int segment = 0; segment < primaries.length; segment++) {
      int from = primaries[segment];
      int to = poorest(segment);
      boolean useful =
          (counts[from] > most[from] && counts[to] < most[to])
              || (counts[from] > least[from] && counts[to] < least[to]);
      if (useful && (changed[segment] || !onlyChanged)) {
        move(segment, to);
      }
    }
  }

  /** The owner that lacks most primaries. */
  private int poorest(int segment) {
    int poorest = rows.node(segment, 0);
    for (int index = 1; index < rows.size(segment); index++) {
      int node = rows.node(segment, index);
      int gap = (least[node] - counts[node]) - (least[poorest] - counts[poorest]);
      if (gap > 0 || (gap == 0 && most[node] - counts[node] > most[poorest] - counts[poorest])) {
        poorest = node;
      }
    }
    return poorest;
  }

  private void levelAlongChains() {
    SegmentLists lists = new SegmentLists(counts.length);
    for (boolean first : new boolean[] {true, false}) {
      for (int segment = 0; segment < primaries.length; segment++) {
        if (changed[segment] == first) {
          lists.add(primaries[segment], segment);
        }
      }
    }
    levelAlongChains(lists, node -> counts[node] > most[node], node -> counts[node] < most[node]);
    levelAlongChains(lists, node -> counts[node] > least[node], node -> counts[node] < least[node]);
  }

  private void levelAlongChains(SegmentLists lists, IntPredicate giver, IntPredicate taker) {
    int[] via = new int[counts.length];
    int[] from = new int[counts.length];
    int end = search(lists, giver, taker, via, from);
    while (end != Situation.NONE) {
      int node = end;
      while (from[node] != Situation.NONE) {
        move(via[node], node);
        lists.add(node, via[node]);
        node = from[node];
      }
      end = search(lists, giver, taker, via, from);
    }
  }

  /** Searches breadth first from all givers for the nearest taker. */
  private int search(
      SegmentLists lists, IntPredicate giver, IntPredicate taker, int[] via, int[] from) {
    boolean[] reached = new boolean[counts.length];
    int[] queue = new int[counts.length];
    int queued = 0;
    for (int node = 0; node < counts.length; node++) {
      if (giver.test(node)) {
        reached[node] = true;
        from[node] = Situation.NONE;
        queue[queued++] = node;
      }
    }
    for (int at = 0; at < queued; at++) {
      int node = queue[at];
      for (int index = 0; index < lists.size(node) && queued < queue.length; index++) {
        int segment = lists.get(node, index);
        for (int i = 0; primaries[segment] == node && i < rows.size(segment); i++) {
          int next = rows.node(segment, i);
          if (!reached[next]) {
            reached[next] = true;
            via[next] = segment;
            from[next] = node;
            queue[queued++] = next;
            if (taker.test(next)) {
              return next;
            }
          }
        }
      }
    }
    return Situation.NONE;
  }

  private void move(int segment, int to) {
    counts[primaries[segment]]--;
    primaries[segment] = to;
    counts[to]++;
  }
}
