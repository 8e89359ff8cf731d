package dev.headrace.replication.lane;

import dev.headrace.replication.message.ChangesRead;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.change.ChangeQuery;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Questions for changes that wait until there are some, for a while at most. There are no more than
 * {@link #MAX_WAITING}: one that finds no room is answered with nothing, and its reader asks again
 * later. Thread-safe.
 */
final class ChangeWaiters {
  /** The most questions that wait on a node, whatever the number of readers. */
  static final int MAX_WAITING = 256;

  private final Set<Waiter> waiting = ConcurrentHashMap.newKeySet();
  private final Consumer<List<Waiter>> woken;

  /** A question that waits. */
  static final class Waiter {
    private final NodeId from;
    private final ChangesRead message;
    private final BitSet segments = new BitSet();
    private final long untilNanos;
    private final AtomicBoolean taken = new AtomicBoolean();

    private Waiter(NodeId from, ChangesRead message, long untilNanos) {
      this.from = from;
      this.message = message;
      this.untilNanos = untilNanos;
      for (ChangeQuery.Part part : message.query().parts()) {
        segments.set(part.segment());
      }
    }

    NodeId from() {
      return from;
    }

    ChangesRead message() {
      return message;
    }
  }

  /**
   * @param woken gets those of which a segment has advanced; they wait on unless they are taken
   */
  ChangeWaiters(Consumer<List<Waiter>> woken) {
    this.woken = woken;
  }

  /** Lets a question wait; null if there is no room. */
  @Nullable Waiter park(NodeId from, ChangesRead message, long nowNanos) {
    if (waiting.size() >= MAX_WAITING) {
      return null;
    }
    long waitNanos = TimeUnit.MILLISECONDS.toNanos(message.query().waitMillis());
    Waiter waiter = new Waiter(from, message, nowNanos + waitNanos);
    waiting.add(waiter);
    return waiter;
  }

  /** Takes one that is to be answered; false if somebody else has. */
  boolean take(Waiter waiter) {
    waiting.remove(waiter);
    return waiter.taken.compareAndSet(false, true);
  }

  /** A segment has advanced. */
  void wake(String cache, int segment) {
    if (waiting.isEmpty()) {
      return;
    }
    List<Waiter> concerned = new ArrayList<>(1);
    for (Waiter waiter : waiting) {
      if (waiter.segments.get(segment) && waiter.message.query().cache().equals(cache)) {
        concerned.add(waiter);
      }
    }
    if (!concerned.isEmpty()) {
      woken.accept(concerned);
    }
  }

  /** Takes those of a reader, which has another question now. */
  List<Waiter> ofReader(NodeId from, int reader) {
    List<Waiter> earlier = new ArrayList<>(0);
    for (Waiter waiter : waiting) {
      if (waiter.message.query().reader() == reader && waiter.from.equals(from) && take(waiter)) {
        earlier.add(waiter);
      }
    }
    return earlier;
  }

  /** Takes those whose time is up. */
  List<Waiter> overdue(long nowNanos) {
    List<Waiter> overdue = new ArrayList<>(0);
    for (Waiter waiter : waiting) {
      if (nowNanos - waiter.untilNanos >= 0 && take(waiter)) {
        overdue.add(waiter);
      }
    }
    return overdue;
  }

  /** Nobody hears the answers any more. */
  void forget(NodeId node) {
    for (Waiter waiter : waiting) {
      if (waiter.from.equals(node)) {
        take(waiter);
      }
    }
  }
}
