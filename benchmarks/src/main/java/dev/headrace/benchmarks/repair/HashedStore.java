package dev.headrace.benchmarks.repair;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.PositionRange;
import dev.headrace.stream.store.RangeHasher;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.nio.charset.StandardCharsets;

/** A store that is hashed range by range. For one thread. */
final class HashedStore {
  private static final int SEGMENTS = 64;
  private static final int RANGE_ENTRIES = 128;
  private static final long SEED = 42;

  private final HashSpace space = new HashSpace(SEGMENTS, SEED);
  private final SegmentStore store = new SegmentStore(space, () -> 0, StoreLimits.DEFAULT);
  private final RangeHasher hasher = new RangeHasher();

  HashedStore(Entries entries) {
    for (int segment = 0; segment < SEGMENTS; segment++) {
      store.open(segment, 0, ReplicaState.OWNER);
    }
    for (int i = 0; i < entries.count(); i++) {
      byte[] key = entries.key(i).getBytes(StandardCharsets.ISO_8859_1);
      long hash = space.hash(key);
      replica(space.segment(hash)).put(space.position(hash), key, entries.value(i), 1L << 40, i, 0);
    }
  }

  private Replica replica(int segment) {
    Replica replica = store.replica(segment);
    if (replica == null) {
      throw new IllegalStateException("segment " + segment + " was not opened");
    }
    return replica;
  }

  void compact() {
    for (int segment = 0; segment < SEGMENTS; segment++) {
      replica(segment).compact();
    }
  }

  long bytes() {
    return store.bytes();
  }

  /**
   * Hashes everything.
   *
   * @return the number of entries
   */
  long hash() {
    long entries = 0;
    for (int segment = 0; segment < SEGMENTS; segment++) {
      Replica replica = replica(segment);
      int depth = Long.SIZE - Long.numberOfLeadingZeros(replica.entries() / RANGE_ENTRIES);
      PositionRange first = new PositionRange(depth, 0);
      for (int range = 0; range < 1 << depth; range++) {
        entries += hasher.hash(replica, first.following(range)) == 0 ? 0 : hasher.entries();
      }
    }
    return entries;
  }
}
