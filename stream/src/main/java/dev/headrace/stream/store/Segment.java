package dev.headrace.stream.store;

import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.StoredEntry;
import java.util.Objects;
import java.util.concurrent.locks.StampedLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one segment: a generation, and during a rewrite a second one.
 *
 * <p>While {@link #next} is there, tags below {@link #boundary} live in it and all others in {@link
 * #current}. Every mutation moves the boundary by a bounded step, so that the rewrite is over
 * before the old table is full. The copying itself ({@link Rewrite}) happens outside the lock,
 * above the boundary, where no reader looks; only the new boundary is published under it.
 *
 * <p>One mutator at a time. Fields are written under the write lock and read under a stamp.
 */
final class Segment {

  private static final int MIN_DEAD_BYTES = 1024;

  /** One dead byte in so many live ones is too many. */
  private static final int MAX_DEAD_PART = 2;

  /** The same while memory is tight. */
  private static final int MAX_DEAD_PART_WHEN_TIGHT = 16;

  private static final int OPTIMISTIC_ATTEMPTS = 3;

  private static final int VALUE = 0;
  private static final int ENTRY = 1;
  private static final int PRESENCE = 2;

  private static final int ENTRIES = 0;
  private static final int LIVE_BYTES = 1;
  private static final int EXPIRING = 2;

  final StampedLock lock = new StampedLock();
  final HashSpace space;
  private final MemoryBudget memory;
  Generation current;
  @Nullable Generation next;
  long boundary;

  private long entries;
  private long liveBytes;
  private long expiring;
  private long outOfOrderBytes;

  /** Bytes copied by rewrites that are over. */
  private long movedBytes;

  /** What copies from {@link #current} to {@link #next}, while that is there. */
  private @Nullable Rewrite rewrite;

  Segment(HashSpace space, MemoryBudget memory) {
    this.space = space;
    this.memory = memory;
    this.current = new Generation(space, 0, 0);
  }

  /**
   * Stores an entry, and moves a rewrite on by a step.
   *
   * <p>An entry of the same length as its predecessor overwrites it, so that updates leave no dead
   * bytes and do not disturb the hash order; a reader that sees it half-written does not validate.
   *
   * @return whether the key was absent
   */
  boolean put(long position, byte[] key, byte[] value, long term, long counter, long expiryMillis) {
    advance();
    Generation generation = generationOf(Generation.tag(position));
    int index = generation.search(position, key);
    int entryBytes =
        (int) EntryLayout.entryBytes(key.length, value.length, term, counter, expiryMillis);
    boolean inPlace = index >= 0 && generation.canOverwrite(index, entryBytes);
    int ref = inPlace ? (int) generation.slots[index] : generation.pages.reserve(entryBytes);
    byte[] page = generation.pages.page(ref);
    if (!inPlace) {
      EntryLayout.write(page, Pages.offset(ref), key, value, term, counter, expiryMillis);
    }
    long stamp = writeLock();
    try {
      int replacedBytes = index < 0 ? 0 : forget(generation, index);
      if (inPlace) {
        EntryLayout.write(page, Pages.offset(ref), key, value, term, counter, expiryMillis);
      } else if (index >= 0) {
        generation.replace(index, Generation.slot(position, ref), entryBytes, replacedBytes);
      } else {
        generation.insert(~index, Generation.slot(position, ref), entryBytes);
      }
      entries++;
      liveBytes += entryBytes;
      expiring += expiryMillis == 0 ? 0 : 1;
      outOfOrderBytes += inPlace ? 0 : entryBytes;
    } finally {
      lock.unlockWrite(stamp);
    }
    beginIfDue();
    return index < 0;
  }

  /**
   * Removes a key, and moves a rewrite on by a step.
   *
   * @return whether it was there
   */
  boolean remove(long position, byte[] key) {
    advance();
    Generation generation = generationOf(Generation.tag(position));
    int index = generation.search(position, key);
    if (index < 0) {
      return false;
    }
    long stamp = writeLock();
    try {
      int removedBytes = forget(generation, index);
      generation.remove(index, removedBytes);
    } finally {
      lock.unlockWrite(stamp);
    }
    beginIfDue();
    return true;
  }

  /** Takes an entry out of the counts, and returns its length. */
  private int forget(Generation generation, int index) {
    int ref = (int) generation.slots[index];
    int entryBytes = generation.entryBytes(ref);
    entries--;
    liveBytes -= entryBytes;
    expiring -= generation.hasExpiry(ref) ? 1 : 0;
    return entryBytes;
  }

  private long writeLock() {
    long stamp = lock.tryWriteLock();
    if (stamp == 0) {
      if (lock.isWriteLocked()) {
        throw new IllegalStateException(
            "two mutations of a segment at the same time; run them in the segment's lane");
      }
      // A reader that was overtaken too often holds the lock for one chunk.
      stamp = lock.writeLock();
    }
    return stamp;
  }

  private Generation generationOf(long tag) {
    Generation newer = next;
    return newer != null && tag < boundary ? newer : current;
  }

  // ---- Rewriting

  private void advance() {
    Rewrite running = rewrite;
    if (running != null) {
      step(running);
    }
  }

  private void beginIfDue() {
    if (next == null) {
      boolean full = current.used() * 5L > current.capacity * 4L;
      if (full || tooManyDead()) {
        begin(full);
      }
    }
  }

  private boolean tooManyDead() {
    long dead = current.deadBytes();
    long live = current.liveBytes();
    if (dead <= Math.max(MIN_DEAD_BYTES, live / MAX_DEAD_PART_WHEN_TIGHT)) {
      return false;
    }
    return dead > Math.max(MIN_DEAD_BYTES, live / MAX_DEAD_PART) || memory.isTight();
  }

  private void begin(boolean full) {
    // 0.8 full, and 1.5 times that to grow; a compaction leaves two thirds.
    long wanted = full ? entries * 15 / 8 : entries * 3 / 2;
    if (wanted > Integer.MAX_VALUE - 64) {
      throw new IllegalStateException(
          "a segment of " + entries + " entries is full; use a cache with more segments");
    }
    Generation newer = new Generation(space, (int) wanted, current.sharedBytes());
    long stamp = writeLock();
    try {
      boundary = 0;
      next = newer;
    } finally {
      lock.unlockWrite(stamp);
    }
    outOfOrderBytes = 0;
    Rewrite begun = new Rewrite(current, newer);
    rewrite = begun;
    if (begun.isOneStep()) {
      step(begun);
    }
  }

  private void step(Rewrite running) {
    try {
      running.copyStep(boundary);
    } finally {
      // Also after a failure, so that no entry is copied twice.
      publish(running);
    }
  }

  private void publish(Rewrite running) {
    long stamp = writeLock();
    try {
      boundary = running.publish();
      if (boundary == Generation.END_TAG) {
        current = running.newer();
        next = null;
        boundary = 0;
      }
    } finally {
      lock.unlockWrite(stamp);
    }
    if (next == null) {
      rewrite = null;
      movedBytes += running.movedBytes();
    }
  }

  /**
   * One bounded step of housekeeping: moves a rewrite on, or begins one if much of the segment is
   * dead or lies out of hash order.
   *
   * @return whether there is more to do
   */
  boolean maintain() {
    if (next == null && outOfOrderBytes > Math.max(MIN_DEAD_BYTES, liveBytes / 4)) {
      begin(false);
    } else {
      advance();
    }
    return next != null;
  }

  /** Rewrites everything, step by step. */
  void compact() {
    finish();
    begin(false);
    finish();
  }

  private void finish() {
    for (Rewrite running = rewrite; running != null; running = rewrite) {
      step(running);
    }
  }

  // ---- Look-ups

  byte @Nullable [] value(
      long position, byte[] key, int keyOffset, int keyBytes, LongSupplier clock) {
    return (byte[]) lookUp(position, key, keyOffset, keyBytes, clock, VALUE);
  }

  @Nullable StoredEntry find(long position, byte[] key, LongSupplier clock) {
    return (StoredEntry) lookUp(position, key, 0, key.length, clock, ENTRY);
  }

  boolean contains(long position, byte[] key, LongSupplier clock) {
    return lookUp(position, key, 0, key.length, clock, PRESENCE) != null;
  }

  private @Nullable Object lookUp(
      long position, byte[] key, int keyOffset, int keyBytes, LongSupplier clock, int what) {
    for (int attempt = 0; attempt < OPTIMISTIC_ATTEMPTS; attempt++) {
      long stamp = lock.tryOptimisticRead();
      if (stamp == 0) {
        Thread.onSpinWait();
        continue;
      }
      try {
        Object found = read(position, key, keyOffset, keyBytes, clock, what);
        if (lock.validate(stamp)) {
          return found;
        }
      } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
        // A look-up that raced with a write may see anything; only an undisturbed one may fail.
        if (lock.validate(stamp)) {
          throw e;
        }
      }
    }
    long stamp = lock.readLock();
    try {
      return read(position, key, keyOffset, keyBytes, clock, what);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  private @Nullable Object read(
      long position, byte[] key, int keyOffset, int keyBytes, LongSupplier clock, int what) {
    Generation generation = generationOf(Generation.tag(position));
    int ref = generation.find(position, key, keyOffset, keyBytes);
    if (ref == 0) {
      return null;
    }
    byte[] page = generation.pages.page(ref);
    int offset = Pages.offset(ref);
    long expiryMillis = 0;
    if (EntryLayout.hasExpiry(page, offset)) {
      expiryMillis = EntryLayout.expiryMillis(page, offset);
      if (expiryMillis <= clock.getAsLong()) {
        return null;
      }
    }
    if (what == PRESENCE) {
      return key;
    }
    int valueOffset = EntryLayout.keyOffset(page, offset) + keyBytes;
    int valueBytes = offset + EntryLayout.entryBytes(page, offset) - valueOffset;
    Objects.checkFromIndexSize(valueOffset, valueBytes, page.length);
    byte[] value = new byte[valueBytes];
    System.arraycopy(page, valueOffset, value, 0, valueBytes);
    if (what == VALUE) {
      return value;
    }
    int termOffset = EntryLayout.skipVlong(page, EntryLayout.bodyOffset(page, offset));
    return new StoredEntry(
        value,
        EntryLayout.readVlong(page, termOffset),
        EntryLayout.readVlong(page, EntryLayout.skipVlong(page, termOffset)),
        expiryMillis);
  }

  // ---- Accounting

  long entries() {
    return counter(ENTRIES);
  }

  /** The bytes of all entries in their layout. */
  long liveBytes() {
    return counter(LIVE_BYTES);
  }

  /** How many entries have an expiry. */
  long expiring() {
    return counter(EXPIRING);
  }

  private long counter(int which) {
    long stamp = lock.tryOptimisticRead();
    long count = readCounter(which);
    if (stamp != 0 && lock.validate(stamp)) {
      return count;
    }
    stamp = lock.readLock();
    try {
      return readCounter(which);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  private long readCounter(int which) {
    return which == ENTRIES ? entries : which == LIVE_BYTES ? liveBytes : expiring;
  }

  /** The bytes that rewrites have copied so far; for tests of their steps. */
  long movedBytes() {
    Rewrite running = rewrite;
    return movedBytes + (running == null ? 0 : running.movedBytes());
  }

  /** Whether a rewrite is under way; only for the lane. */
  boolean rewriting() {
    return next != null;
  }

  /** The bytes of all arrays and objects; only for the lane, or while nobody writes. */
  long heapBytes() {
    Generation newer = next;
    return current.heapBytes() + (newer == null ? 0 : newer.heapBytes()) + 150;
  }
}
