package dev.headrace.stream.change;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.LongSupplier;

/**
 * The streams of changes that a node reads, and whether one of them falls behind. A stream that is
 * no longer held by anybody counts until it is garbage. Thread-safe.
 */
public final class ChangeReaders {
  private final LongSupplier nanoTime;

  private final Set<Reader> readers =
      Collections.newSetFromMap(new WeakHashMap<>()); // guarded by itself

  /**
   * @param nanoTime a monotonic clock, in nanoseconds
   */
  public ChangeReaders(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** How many there are. */
  public int running() {
    synchronized (readers) {
      return readers.size();
    }
  }

  /**
   * For how long the one that is behind for longest has not had all that nodes had to tell, in
   * nanoseconds; 0 if all are level with them. What travels to a reader that keeps up counts, too:
   * some milliseconds are usual.
   */
  public long lagNanos() {
    long nowNanos = nanoTime.getAsLong();
    long most = 0;
    synchronized (readers) {
      for (Reader reader : readers) {
        most = Math.max(most, reader.lagNanos(nowNanos));
      }
    }
    return most;
  }

  Reader begin() {
    Reader reader = new Reader();
    synchronized (readers) {
      readers.add(reader);
    }
    return reader;
  }

  /** One stream. Whoever reads it holds this. Thread-safe. */
  final class Reader {
    private boolean behind; // guarded by this
    private long sinceNanos; // guarded by this

    /** Something has come, or is known to be there, that is not handed over yet. */
    synchronized void behind() {
      if (!behind) {
        behind = true;
        sinceNanos = nanoTime.getAsLong();
      }
    }

    /** All that nodes had to tell is handed over. */
    synchronized void level() {
      behind = false;
    }

    private synchronized long lagNanos(long nowNanos) {
      return behind ? Math.max(0, nowNanos - sinceNanos) : 0;
    }

    void end() {
      synchronized (readers) {
        readers.remove(this);
      }
    }
  }
}
