package dev.headrace.replication.copy;

import dev.headrace.replication.message.Chunk;
import dev.headrace.stream.NodeId;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What this node copies as a source: at most one copy per segment, and the bytes on their way to
 * each destination. Thread-safe.
 */
public final class RunningCopies {
  private final long maxBytesInFlight;
  private final Map<Integer, RunningCopy> bySegment = new ConcurrentHashMap<>();
  private final Map<NodeId, AtomicLong> bytesInFlight = new ConcurrentHashMap<>();

  public RunningCopies(long maxBytesInFlight) {
    this.maxBytesInFlight = maxBytesInFlight;
  }

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

  /** Whether there is room for a chunk now; it counts from then on. */
  public boolean take(NodeId destination, long bytes) {
    AtomicLong inFlight = bytesInFlight.computeIfAbsent(destination, absent -> new AtomicLong());
    long before = inFlight.getAndUpdate(now -> fits(now, bytes) ? now + bytes : now);
    return fits(before, bytes);
  }

  private boolean fits(long inFlight, long bytes) {
    return inFlight == 0 || inFlight + bytes <= maxBytesInFlight;
  }

  /** Whether a chunk may be sent to a node now. */
  public boolean hasRoom(NodeId destination) {
    return fits(bytesInFlight(destination), Chunk.BYTES);
  }

  /** Chunks have arrived, or are not waited for any more. */
  public void give(NodeId destination, long bytes) {
    AtomicLong inFlight = bytesInFlight.get(destination);
    if (inFlight != null) {
      inFlight.addAndGet(-bytes);
    }
  }

  /** The bytes on their way to a node. */
  long bytesInFlight(NodeId destination) {
    AtomicLong inFlight = bytesInFlight.get(destination);
    return inFlight == null ? 0 : inFlight.get();
  }
}
