package dev.headrace.replication.client;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one share of the segments, the calls under way there, and those that wait for a
 * number. Thread-safe, without locks.
 *
 * <p>Numbers come in order and are given back in any; the oldest that is still out moves on when it
 * comes back, past all that came back before it: each number is passed once. A caller has several
 * windows so that one segment without an answer holds back only its own window.
 */
final class SequenceWindow {
  /** Numbers that may be out at the same time, from the oldest to the newest. */
  static final int CAPACITY = 512;

  private static final int MASK = CAPACITY - 1;

  private final AtomicReferenceArray<@Nullable Call> calls = new AtomicReferenceArray<>(CAPACITY);

  /** In each place the lower half of the last number of that place that has come back. */
  private final AtomicIntegerArray ended = new AtomicIntegerArray(CAPACITY);

  /** Whether any mutation has been begun whose result owners may keep. */
  private volatile boolean mutated;

  private final AtomicLong next = new AtomicLong(1);
  private final AtomicLong oldest = new AtomicLong(1);

  /**
   * Calls without a number, in their order. The caller bounds how many there are in all windows.
   */
  private final Queue<Call> waiting = new ConcurrentLinkedQueue<>();

  /** Calls that have come to wait and have not been sent yet. */
  private final AtomicInteger waitingCount = new AtomicInteger();

  /** How often waiting calls were to begin since a thread took that on; 0 if none has. */
  private final AtomicInteger wanted = new AtomicInteger();

  /**
   * Gives a call its number; or lets it wait, behind those that wait already, if too many are out.
   *
   * @return whether it has its number and is to be sent
   */
  boolean admit(Call call) {
    if (waitingCount.get() == 0) {
      long number = take();
      if (number != 0) {
        call.begin(number);
        calls.set((int) number & MASK, call);
        return true;
      }
    }
    waitingCount.incrementAndGet();
    waiting.add(call);
    return false;
  }

  /** The next number, or 0 if too many are out. */
  private long take() {
    while (true) {
      long number = next.get();
      if (number - oldest.get() >= CAPACITY) {
        return 0;
      }
      if (next.compareAndSet(number, number + 1)) {
        return number;
      }
    }
  }

  /** Begins those that wait as far as there is room, on one thread at a time. */
  void beginWaiting(Consumer<Call> attempt) {
    if (waitingCount.get() == 0 || wanted.getAndIncrement() != 0) {
      return; // the thread that is at it looks again
    }
    int seen = 1;
    try {
      while (seen != 0) {
        for (Call call = nextWaiting(); call != null; call = nextWaiting()) {
          begin(call, attempt);
        }
        seen = wanted.addAndGet(-seen);
      }
    } finally {
      if (seen != 0) {
        wanted.set(0); // an attempt has thrown; the next caller goes on
      }
    }
  }

  private void begin(Call call, Consumer<Call> attempt) {
    try {
      attempt.accept(call);
    } finally {
      waitingCount.decrementAndGet(); // only now, so that none that comes later is sent before
    }
  }

  /** The call that has waited longest, with its number; null if there is none or no room. */
  private @Nullable Call nextWaiting() {
    for (Call call = waiting.peek(); call != null; call = waiting.peek()) {
      long number = call.givenUp() ? 0 : take();
      if (number == 0 && !call.givenUp()) {
        return null;
      }
      waiting.poll();
      if (number != 0 && call.begin(number)) {
        calls.set((int) number & MASK, call);
        return call;
      }
      waitingCount.decrementAndGet();
      if (number != 0) {
        giveBack(number);
      }
    }
    return null;
  }

  /** The call of a number, or null if it has ended. */
  @Nullable Call find(long number) {
    Call call = calls.get((int) number & MASK);
    return call != null && call.number() == number ? call : null;
  }

  /** Those that wait, and perhaps some that have just begun or ended. */
  Iterable<Call> waiting() {
    return waiting;
  }

  /** Ends a call; true for one thread only. */
  boolean end(Call call) {
    long number = call.number();
    if (number == 0 && call.giveUp()) {
      return true;
    }
    number = call.number();
    if (!calls.compareAndSet((int) number & MASK, call, null)) {
      return false;
    }
    giveBack(number);
    return true;
  }

  private void giveBack(long number) {
    ended.set((int) number & MASK, (int) number);
    long first = oldest.get();
    while (ended.get((int) first & MASK) == (int) first) {
      oldest.compareAndSet(first, first + 1);
      first = oldest.get();
    }
  }

  /** A mutation is under way here, so that owners will keep its result. */
  void mutates() {
    if (!mutated) {
      mutated = true;
    }
  }

  /**
   * The number below which all results have been received; 0 if no mutation can have ended since
   * this was asked last. By one thread.
   */
  long received() {
    if (!mutated) {
      return 0;
    }
    mutated = false; // before looking, so that no mutation goes unnoticed
    long first = oldest();
    if (first < next() || waitingCount.get() > 0) {
      mutated = true; // it may be this one that is out
    }
    return first;
  }

  /** No number below this one is out. */
  long oldest() {
    return oldest.get();
  }

  /** The number that will be given next. */
  long next() {
    return next.get();
  }
}
