package dev.headrace.replication.log;

import dev.headrace.stream.store.SegmentStore;
import java.util.concurrent.atomic.AtomicInteger;

/** A cache as its lanes know it: its name, its store and its format. Thread-safe. */
public final class LaneCache {
  private final String name;
  private final SegmentStore store;
  private final ResultMemory results;
  private final ChangeRetention retention;
  private final AtomicInteger format = new AtomicInteger();
  private volatile boolean forgotten;
  private volatile boolean doubtful; // whether the format may be that of a cache removed since

  /**
   * @param results counts what is kept for callers of this cache
   * @param retention counts what is retained for readers of changes
   */
  public LaneCache(
      String name, SegmentStore store, ResultMemory results, ChangeRetention retention) {
    this.name = name;
    this.store = store;
    this.results = results;
    this.retention = retention;
  }

  public String name() {
    return name;
  }

  public SegmentStore store() {
    return store;
  }

  /** Counts what is kept for callers of this cache. */
  public ResultMemory results() {
    return results;
  }

  /** Counts what is retained for readers of changes. */
  public ChangeRetention retention() {
    return retention;
  }

  /** A hash of the formats of keys and values, 0 as long as nothing was written. */
  public int format() {
    return format.get();
  }

  /** Whether keys and values of a format may be read. */
  public boolean admits(int wanted) {
    int present = format.get();
    return wanted == 0 || present == 0 || present == wanted || (doubtful && store.entries() == 0);
  }

  /**
   * This node was no member for a while. The others may have removed the cache meanwhile, and begun
   * it anew with another format, which counts from the next write on.
   */
  public void doubtFormat() {
    doubtful = true;
  }

  /**
   * Forgets the format, and that the cache was there, unless it has entries.
   *
   * @return whether it was forgotten
   */
  public boolean forget() {
    if (store.entries() > 0) {
      return false;
    }
    forgotten = true;
    format.set(0);
    return true;
  }

  /** Whether nothing has been written since it was forgotten. */
  public boolean isForgotten() {
    return forgotten && store.entries() == 0;
  }

  /** Fixes the format at the first write, also the first that a node sees after it was away. */
  public void learn(int written) {
    if (forgotten) {
      forgotten = false;
    }
    if (written != 0 && doubtful) {
      format.set(written);
      doubtful = false;
    } else if (written != 0 && format.get() == 0) {
      format.compareAndSet(0, written);
    }
  }
}
