package dev.headrace.cluster.ingest.batch;

import org.jspecify.annotations.Nullable;

/**
 * The last write of each key that is on its way, by the key's hash: two keys with one hash count as
 * one, which only makes one wait for the other. A hash table that needs no object per key.
 */
final class PendingKeys {
  private static final int FIRST_BUCKETS = 64;

  private @Nullable PendingWrite[] buckets = new PendingWrite[FIRST_BUCKETS];
  private int size;

  /** Makes a write the last one of its key; returns the one that was, or null. */
  @Nullable PendingWrite put(PendingWrite write) {
    int bucket = bucket(write.hash());
    PendingWrite before = null;
    for (PendingWrite at = buckets[bucket]; at != null; before = at, at = at.bucketNext) {
      if (at.hash() == write.hash()) {
        write.bucketNext = at.bucketNext;
        at.bucketNext = null;
        link(bucket, before, write);
        return at;
      }
    }
    write.bucketNext = buckets[bucket];
    buckets[bucket] = write;
    if (++size > buckets.length) {
      grow();
    }
    return null;
  }

  /** Forgets a write if it is the last one of its key. */
  void remove(PendingWrite write) {
    int bucket = bucket(write.hash());
    PendingWrite before = null;
    for (PendingWrite at = buckets[bucket]; at != null; before = at, at = at.bucketNext) {
      if (at == write) {
        link(bucket, before, write.bucketNext);
        write.bucketNext = null;
        size--;
        return;
      }
    }
  }

  int size() {
    return size;
  }

  private void link(int bucket, @Nullable PendingWrite before, @Nullable PendingWrite next) {
    if (before == null) {
      buckets[bucket] = next;
    } else {
      before.bucketNext = next;
    }
  }

  /** The lower bits: the higher ones are the same for all keys of a segment. */
  private int bucket(long hash) {
    return (int) hash & (buckets.length - 1);
  }

  private void grow() {
    @Nullable PendingWrite[] old = buckets;
    buckets = new PendingWrite[old.length * 2];
    for (PendingWrite first : old) {
      PendingWrite next = first;
      while (next != null) {
        PendingWrite write = next;
        next = write.bucketNext;
        int bucket = bucket(write.hash());
        write.bucketNext = buckets[bucket];
        buckets[bucket] = write;
      }
    }
  }
}
