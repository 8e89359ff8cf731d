package dev.headrace.stream.change;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.LongSupplier;

/**
 * The streams of changes that a node reads, and whether one of them falls behind. A stream that
 * nobody holds any more counts until it is garbage. Thread-safe.
 */
public final class ChangeReaders {
  private final LongSupplier nanoTime;

  private final Set<Lag> lags = Collections.newSetFromMap(new WeakHashMap<>()); // guarded by itself

  /**
   * No readers yet.
   *
   * @param nanoTime a monotonic clock, in nanoseconds
   */
  public ChangeReaders(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** How many there are. */
  public int running() {
    synchronized (lags) {
      return lags.size();
    }
  }

  /**
   * For how long the slowest reader has not had everything, in nanoseconds; 0 if all have it. A
   * reader has everything when it has handed over what nodes have told, nodes have nothing more to
   * tell, and it has asked for what comes next. One that keeps up is behind for some milliseconds
   * after each change, and for up to a second after many.
   */
  public long lagNanos() {
    long nowNanos = nanoTime.getAsLong();
    long most = 0;
    synchronized (lags) {
      for (Lag lag : lags) {
        most = Math.max(most, lag.nanos(nowNanos));
      }
    }
    return most;
  }

  /** A reader begins, and has nothing yet. */
  Lag begin() {
    Lag lag = new Lag();
    synchronized (lags) {
      lags.add(lag);
    }
    return lag;
  }

  /** How far one reader is behind; the reader holds it. Thread-safe. */
  final class Lag {
    private boolean behind = true; // guarded by this
    private long sinceNanos = nanoTime.getAsLong(); // guarded by this

    /** There is something that is not handed over yet. */
    synchronized void behind() {
      if (!behind) {
        behind = true;
        sinceNanos = nanoTime.getAsLong();
      }
    }

    /** All is handed over. */
    synchronized void level() {
      behind = false;
    }

    private synchronized long nanos(long nowNanos) {
      return behind ? Math.max(0, nowNanos - sinceNanos) : 0;
    }

    /** The reader has ended. */
    void end() {
      synchronized (lags) {
        lags.remove(this);
      }
    }
  }
}
