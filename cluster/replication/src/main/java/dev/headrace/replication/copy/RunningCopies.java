package dev.headrace.replication.copy;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What this node copies as a source: at most one copy per segment. Thread-safe. */
public final class RunningCopies {
  private final Map<Integer, RunningCopy> bySegment = new ConcurrentHashMap<>();

  /** The copy of a segment, or null if there is none that has not ended. */
  public @Nullable RunningCopy of(int segment) {
    RunningCopy copy = bySegment.get(segment);
    return copy == null || copy.failure() != null ? null : copy;
  }

  public Collection<RunningCopy> all() {
    return bySegment.values();
  }

  public void put(RunningCopy copy) {
    RunningCopy before = bySegment.put(copy.order().segment(), copy);
    if (before != null) {
      before.fail("another copy of the segment has begun");
    }
  }

  public void remove(RunningCopy copy) {
    bySegment.remove(copy.order().segment(), copy);
  }
}
