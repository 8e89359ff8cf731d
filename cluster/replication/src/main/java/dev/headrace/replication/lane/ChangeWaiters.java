package dev.headrace.replication.lane;

import dev.headrace.replication.message.ChangesRead;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.change.ChangeQuery;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Questions for changes that wait until there are some, for a while at most. There are no more than
 * {@link #MAX_WAITING}, and one of a reader: a question that finds no room is answered with
 * nothing, and its reader asks again later.
 *
 * <p>They stand under the segments that they ask for, so that one that advances touches those alone
 * that wait for it, each with a mark. However often its segments advance, a question is woken once
 * until somebody takes the marks.
 *
 * <p>Thread-safe.
 */
final class ChangeWaiters {
  /** The most questions that wait on a node, whatever the number of readers. */
  static final int MAX_WAITING = 256;

  private static final Place[] NOBODY = {};

  private final Map<Reader, Waiter> waiting = new ConcurrentHashMap<>();
  private final Map<Segment, Place[]> places = new ConcurrentHashMap<>();
  private final Consumer<Waiter> woken;

  private record Reader(NodeId node, int number) {}

  private record Segment(String cache, int number) {}

  /** One of the parts of a question. */
  private record Place(Waiter waiter, int part) {}

  /** A question that waits. */
  static final class Waiter {
    private final NodeId from;
    private final ChangesRead message;
    private final long untilNanos;
    private final AtomicBoolean taken = new AtomicBoolean();
    private final AtomicBoolean woken = new AtomicBoolean();

    /** A bit for each part. */
    private final AtomicLongArray advanced;

    private Waiter(NodeId from, ChangesRead message, long untilNanos) {
      this.from = from;
      this.message = message;
      this.untilNanos = untilNanos;
      this.advanced = new AtomicLongArray((message.query().parts().size() + 63) / 64);
    }

    NodeId from() {
      return from;
    }

    ChangesRead message() {
      return message;
    }

    boolean isTaken() {
      return taken.get();
    }

    /**
     * @return whether it is to be woken for that
     */
    private boolean mark(int part) {
      if ((advanced.get(part / 64) & (1L << part)) == 0) {
        advanced.getAndAccumulate(part / 64, 1L << part, (marks, mark) -> marks | mark);
      }
      return !woken.get() && woken.compareAndSet(false, true);
    }

    /** The parts whose segments have advanced since this was last called, in their order. */
    List<ChangeQuery.Part> takeAdvanced() {
      woken.set(false); // first: a mark that is not seen below wakes it again
      List<ChangeQuery.Part> parts = new ArrayList<>();
      for (int word = 0; word < advanced.length(); word++) {
        long marks = advanced.getAndSet(word, 0);
        while (marks != 0) {
          parts.add(message.query().parts().get(64 * word + Long.numberOfTrailingZeros(marks)));
          marks &= marks - 1;
        }
      }
      return parts;
    }
  }

  /**
   * @param woken is told of a question of which a segment has advanced, on the advancing thread; it
   *     waits on unless it is taken
   */
  ChangeWaiters(Consumer<Waiter> woken) {
    this.woken = woken;
  }

  /**
   * Lets a question wait.
   *
   * @return null if there is no room, or another question of its reader
   */
  @Nullable Waiter park(NodeId from, ChangesRead message, long nowNanos) {
    ChangeQuery query = message.query();
    if (waiting.size() >= MAX_WAITING) {
      return null;
    }
    long waitNanos = TimeUnit.MILLISECONDS.toNanos(query.waitMillis());
    Waiter waiter = new Waiter(from, message, nowNanos + waitNanos);
    if (waiting.putIfAbsent(new Reader(from, query.reader()), waiter) != null) {
      return null;
    }
    for (int part = 0; part < query.parts().size(); part++) {
      Place place = new Place(waiter, part);
      places.merge(segment(query, part), new Place[] {place}, ChangeWaiters::joined);
    }
    if (waiter.isTaken()) {
      leave(waiter); // whoever took it may have come before its places
    }
    return waiter;
  }

  private static Segment segment(ChangeQuery query, int part) {
    return new Segment(query.cache(), query.parts().get(part).segment());
  }

  private static Place[] joined(Place[] present, Place[] more) {
    Place[] all = Arrays.copyOf(present, present.length + 1);
    all[present.length] = more[0];
    return all;
  }

  /** Takes one that is to be answered; false if somebody else has. */
  boolean take(Waiter waiter) {
    if (!waiter.taken.compareAndSet(false, true)) {
      return false;
    }
    waiting.remove(new Reader(waiter.from, waiter.message.query().reader()), waiter);
    leave(waiter);
    return true;
  }

  private void leave(Waiter waiter) {
    ChangeQuery query = waiter.message.query();
    for (int part = 0; part < query.parts().size(); part++) {
      places.computeIfPresent(segment(query, part), (segment, all) -> without(all, waiter));
    }
  }

  private static Place @Nullable [] without(Place[] all, Waiter waiter) {
    int left = 0;
    for (Place place : all) {
      left += place.waiter == waiter ? 0 : 1;
    }
    if (left == 0) {
      return null;
    }
    Place[] others = new Place[left];
    for (Place place : all) {
      if (place.waiter != waiter) {
        others[--left] = place;
      }
    }
    return others;
  }

  /** A segment has advanced. */
  void advanced(String cache, int segment) {
    if (places.isEmpty()) {
      return;
    }
    for (Place place : places.getOrDefault(new Segment(cache, segment), NOBODY)) {
      if (place.waiter.mark(place.part)) {
        woken.accept(place.waiter);
      }
    }
  }

  /** Takes that of a reader, which has another question now; null if there is none. */
  @Nullable Waiter ofReader(NodeId from, int reader) {
    Waiter earlier = waiting.get(new Reader(from, reader));
    return earlier != null && take(earlier) ? earlier : null;
  }

  /** Takes those whose time is up. */
  List<Waiter> overdue(long nowNanos) {
    List<Waiter> overdue = new ArrayList<>(0);
    for (Waiter waiter : waiting.values()) {
      if (nowNanos - waiter.untilNanos >= 0 && take(waiter)) {
        overdue.add(waiter);
      }
    }
    return overdue;
  }

  /** Nobody hears the answers any more. */
  void forget(NodeId node) {
    for (Waiter waiter : waiting.values()) {
      if (waiter.from.equals(node)) {
        take(waiter);
      }
    }
  }

  /** Under how many segments questions stand, for tests. */
  int places() {
    return places.size();
  }
}
