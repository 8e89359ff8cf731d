package dev.headrace.stream.store;

import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.HashSpace;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One node's entries of one cache: a replica of each segment that the node holds.
 *
 * <p>It works on encoded bytes and has no threads of its own. {@link #open} and {@link #drop} are
 * called in the segment's lane, everything else from any thread.
 */
public final class SegmentStore {

  private final HashSpace space;
  private final LongSupplier clusterTimeMillis;
  private final StoreLimits limits;
  private final MemoryBudget memory;
  private final AtomicReferenceArray<@Nullable Replica> replicas;

  /**
   * A store whose heap is not limited.
   *
   * @param clusterTimeMillis what expiry is compared with; called by readers, must not block
   */
  public SegmentStore(HashSpace space, LongSupplier clusterTimeMillis, StoreLimits limits) {
    this(space, clusterTimeMillis, limits, MemoryBudget.unlimited());
  }

  /**
   * A store that shares a budget with others.
   *
   * @param clusterTimeMillis what expiry is compared with; called by readers, must not block
   * @param memory counts the heap that the store takes
   */
  public SegmentStore(
      HashSpace space, LongSupplier clusterTimeMillis, StoreLimits limits, MemoryBudget memory) {
    this.space = Objects.requireNonNull(space, "space");
    this.clusterTimeMillis = Objects.requireNonNull(clusterTimeMillis, "clusterTimeMillis");
    this.limits = Objects.requireNonNull(limits, "limits");
    this.memory = Objects.requireNonNull(memory, "memory");
    this.replicas = new AtomicReferenceArray<>(space.segments());
  }

  public HashSpace space() {
    return space;
  }

  public int segments() {
    return space.segments();
  }

  /** The most bytes that one entry may take in {@link EntryLayout}. */
  public int maxEntryBytes() {
    return limits.maxEntryBytes();
  }

  MemoryBudget memory() {
    return memory;
  }

  /** Cluster time in milliseconds. */
  public LongSupplier clock() {
    return clusterTimeMillis;
  }

  /** This node's replica of a segment, or null if it holds none. */
  public @Nullable Replica replica(int segment) {
    return replicas.get(segment);
  }

  /**
   * Opens an empty replica of a segment, in place of an earlier one, which is dropped.
   *
   * @param state any but {@link ReplicaState#ABSENT}
   */
  public Replica open(int segment, int incarnation, ReplicaState state) {
    if (state == ReplicaState.ABSENT) {
      throw new IllegalArgumentException("segment " + segment + " cannot be opened as absent");
    }
    Replica opened = new Replica(this, segment, incarnation, state);
    Replica before = replicas.getAndSet(segment, opened);
    if (before != null) {
      before.dropped();
    }
    return opened;
  }

  /**
   * Drops the replica of a segment. The object is taken out, not emptied; reads under way find that
   * they do not count.
   *
   * @return whether there was a replica
   */
  public boolean drop(int segment) {
    Replica before = replicas.getAndSet(segment, null);
    if (before != null) {
      before.dropped();
    }
    return before != null;
  }

  /**
   * The number of entries in all replicas, expired ones included. Not a snapshot: replicas are
   * added one by one.
   */
  public long entries() {
    long sum = 0;
    for (int segment = 0; segment < replicas.length(); segment++) {
      Replica replica = replicas.get(segment);
      sum += replica == null ? 0 : replica.entries();
    }
    return sum;
  }

  /** The size of all entries in batches, in bytes. Not a snapshot. */
  public long bytes() {
    long sum = 0;
    for (int segment = 0; segment < replicas.length(); segment++) {
      Replica replica = replicas.get(segment);
      sum += replica == null ? 0 : replica.bytes();
    }
    return sum;
  }

  /** The heap that all replicas take, counted from their arrays. Called while nobody writes. */
  public long heapBytes() {
    long sum = 16 + 4L * replicas.length();
    for (int segment = 0; segment < replicas.length(); segment++) {
      Replica replica = replicas.get(segment);
      sum += replica == null ? 0 : replica.heapBytes();
    }
    return sum;
  }
}
