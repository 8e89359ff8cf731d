package dev.headrace.stream.protocol;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a stream that none of its rails has taken yet. Each rail is a {@link
 * StreamMachine} of its own, which takes some segments whenever it has few left, and keeps what it
 * has taken to the end; so rails share nothing else, and no lock is taken per entry or per batch.
 *
 * <p>The first rail that is planned plans for all: they pin the same incarnations. If one of them
 * cannot keep the stream's promise, all of them end.
 *
 * <p>For any thread; guarded by its monitor, which is held for a few instructions only.
 */
public final class SegmentPool {

  /** A rail takes one part in so many of what is left, for each rail. */
  private static final int PARTS = 4;

  private final int rails;
  private @Nullable Progress start;
  private BitSet left = new BitSet();
  private boolean unreadTaken;
  private @Nullable Ending ending;
  private final List<Runnable> others = new ArrayList<>();

  /** Why all rails end. */
  record Ending(@Nullable RuntimeException fatal, @Nullable Loss loss) {}

  /**
   * The pool of a stream that has not begun.
   *
   * @param rails how many take from it, at least 1
   */
  public SegmentPool(int rails) {
    this.rails = rails;
  }

  /**
   * A rail is planned.
   *
   * @param planned what the stream has to read; asked for once
   * @param wake has the rail look at {@link #ending}; called on any thread
   * @return the rail's progress, with nothing to receive yet
   */
  synchronized Progress begin(Supplier<Progress> planned, Runnable wake) {
    Progress whole = start;
    if (whole == null) {
      whole = planned.get();
      left = (BitSet) whole.toReceive().clone();
      start = whole;
    }
    others.add(wake);
    return whole.ofRail();
  }

  /** Whether the rail that asks is the one that reads the single keys of a resume token. */
  synchronized boolean takeUnread() {
    boolean first = !unreadTaken;
    unreadTaken = true;
    return first;
  }

  /** Has a rail take some segments; none if none is left, or if the stream ends. */
  synchronized BitSet take(Progress rail) {
    BitSet taken = new BitSet();
    int count = ending == null ? Math.max(1, left.cardinality() / (PARTS * rails)) : 0;
    for (int s = left.nextSetBit(0); s >= 0 && count > 0; s = left.nextSetBit(s + 1)) {
      taken.set(s);
      rail.take(s);
      count--;
    }
    left.andNot(taken);
    return taken;
  }

  /** Whether nothing is left to take. */
  synchronized boolean isEmpty() {
    return left.isEmpty();
  }

  /** Why all rails have to end, or null. */
  synchronized @Nullable Ending ending() {
    return ending;
  }

  /** A rail ends before it is finished: so do the others. */
  void end(Ending why) {
    List<Runnable> wakes;
    synchronized (this) {
      if (ending != null) {
        return;
      }
      ending = why;
      wakes = List.copyOf(others);
    }
    wakes.forEach(Runnable::run);
  }
}
