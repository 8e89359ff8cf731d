package dev.headrace.stream.store;

import dev.headrace.stream.entry.EncodedEntry;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.StoredEntry;
import java.util.Objects;
import java.util.concurrent.locks.StampedLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one segment: a {@link Generation} (a table in hash order, and pages of entry
 * bytes), and during a rewrite a second one.
 *
 * <pre>
 * state      event        guard                               next       effects
 * whole      put, remove  over 4/5 of the table is used       rewriting  next: 15/8 slots per entry,
 *                                                                        5/2 in a row of puts
 * whole      put, remove  dead bytes over 1 KiB and 1/2 of    rewriting  next: 3/2 slots per entry
 *                         live ones (1/16 if memory is tight)
 * whole      maintain     over 1/4 lies out of hash order     rewriting  the same
 * whole      compact                                          rewriting  the same
 * rewriting  put, remove  more than a step is left            rewriting  one step; boundary rises
 *            maintain
 * rewriting  the same     nothing is left                     whole      current = next
 * </pre>
 *
 * <p>A rewrite that fits in one step begins and ends within one mutation.
 *
 * <p><b>The problem.</b> A segment has one writer, its lane, and any number of readers. It may hold
 * hundreds of megabytes. It must grow, drop dead bytes and bring entries back into hash order
 * without stopping the writer for a millisecond, without a lock for readers, and without a scan in
 * hash order missing an entry or meeting it twice.
 *
 * <p><b>Two generations, one boundary.</b> Growth and compaction are the same operation: entries
 * are copied in hash order into a new table and new pages. As in an incremental rehash, each
 * mutation copies a few. But here both tables lie in hash order, so one number divides them: tags
 * below {@link #boundary} live in {@link #next}, all others in {@link #current}. A look-up or
 * mutation needs one table only; a scan walks first {@code next}, then {@code current} from the
 * boundary on; and a cursor, being a position, means the same in both. What has moved stays behind
 * in the old table and is never looked at again. A boundary never divides a run of equal tags.
 *
 * <p><b>Steps.</b> A step ends after 128 entries, or after 64 KiB and eight entries of average
 * size. A mutation adds one entry at most, and a fifth of the table is free when a rewrite begins:
 * it ends long before the old table is full, so two generations are always enough. An entry with a
 * page of its own is not copied: the new generation adopts the page.
 *
 * <p><b>Readers validate.</b> The lock is used as a sequence lock. A reader takes a stamp, copies
 * what it looks up (a scan up to 128 entries, into its buffer), and validates the stamp. Only then
 * does the chunk count; otherwise it is read again from the position of the last good one. After
 * three failures in a row the reader takes the read lock for one chunk, which is the longest that a
 * writer ever waits for a reader. Until it has validated, a reader may see anything: a length from
 * one entry and bytes from another, a page that is gone. So every loop is bounded by its arrays'
 * lengths, and an exception counts only if the stamp is still valid. No memory is freed under a
 * reader: the garbage collector provides the grace period that RCU has to wait for.
 *
 * <p><b>What happens outside the lock.</b> Under the write lock the writer only changes slots,
 * overwrites one entry of the same length, counts, and publishes. All that takes long comes before,
 * where no reader with a valid stamp looks: a new entry is written to a part of a page to which no
 * slot refers yet, and a step copies to slots at or behind {@link Generation#tail}, with tags at or
 * above the boundary. Look-ups of lower tags stop before such slots, scans stop at the tail. {@link
 * Rewrite#publish} then moves tail and boundary together. Two things keep this true: the tail
 * follows a removal of the last entry, so no step copies to a place below it; and an array that has
 * become too short is replaced by a longer copy, never changed in place.
 *
 * <p>One mutator at a time. Fields are written under the write lock and read under a stamp, or by
 * the mutator.
 */
final class Segment {

  private static final int MIN_DEAD_BYTES = 1024;

  /** More dead bytes than this part of the live ones are too many. */
  private static final int MAX_DEAD_PART = 2;

  /** The same while memory is tight. */
  private static final int MAX_DEAD_PART_WHEN_TIGHT = 16;

  private static final int OPTIMISTIC_ATTEMPTS = 3;

  /** In a row of puts one of so many moves a rewrite on, if entries are small. */
  private static final int PUTS_PER_STEP = 4;

  /** Entries of fewer bytes on average are small. */
  private static final long SMALL_ENTRY_BYTES = 1024;

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
   * Stores an entry, after one step of a running rewrite.
   *
   * <p>An entry of the same length as its predecessor overwrites it, so such updates leave no dead
   * bytes and keep the hash order. A reader that sees it half-written fails to validate.
   *
   * @return whether the key was absent
   */
  boolean put(long position, EncodedEntry entry, long term, long counter) {
    advance();
    return putOnly(position, entry, term, counter, false);
  }

  /**
   * Stores one of many entries that are stored in a row. Only some of them move a rewrite on, since
   * a step takes longer than a put: so many puts keep the lane as long as they would without a
   * rewrite, or a few times that. A step of a segment of small entries moves so many that the
   * rewrite ends in time all the same.
   *
   * @param index the entry's place in the row
   * @return whether the key was absent
   */
  boolean putInRow(int index, long position, EncodedEntry entry, long term, long counter) {
    boolean small = liveBytes < entries * SMALL_ENTRY_BYTES;
    if (index % PUTS_PER_STEP == 0 || !small) {
      advance();
    }
    return putOnly(position, entry, term, counter, index > 0);
  }

  private boolean putOnly(
      long position, EncodedEntry entry, long term, long counter, boolean inRow) {
    Generation generation = generationOf(Generation.tag(position));
    int index = generation.search(position, entry.key(), entry.keyOffset(), entry.keyLength());
    int entryBytes = (int) entry.bytes(term, counter);
    boolean inPlace = index >= 0 && generation.canOverwrite(index, entryBytes);
    int ref = inPlace ? (int) generation.slots[index] : generation.pages.reserve(entryBytes);
    byte[] page = generation.pages.page(ref);
    if (!inPlace) {
      EntryLayout.write(page, Pages.offset(ref), entry, term, counter);
    }
    long stamp = writeLock();
    try {
      int replacedBytes = index < 0 ? 0 : forget(generation, index);
      if (inPlace) {
        EntryLayout.write(page, Pages.offset(ref), entry, term, counter);
      } else if (index >= 0) {
        generation.replace(index, Generation.slot(position, ref), entryBytes, replacedBytes);
      } else {
        generation.insert(~index, Generation.slot(position, ref), entryBytes);
      }
      entries++;
      liveBytes += entryBytes;
      expiring += entry.expiryMillis() == 0 ? 0 : 1;
      outOfOrderBytes += inPlace ? 0 : entryBytes;
    } finally {
      lock.unlockWrite(stamp);
    }
    beginIfDue(inRow);
    return index < 0;
  }

  /**
   * Removes a key, after one step of a running rewrite.
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
    beginIfDue(false);
    return true;
  }

  /** Removes an entry from the counts, and returns its length. */
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
            "two mutations of a segment ran at the same time; run them in the segment's lane");
      }
      // A reader that failed to validate too often holds the lock for one chunk.
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

  /**
   * @param inRow whether a row of puts is under way: a segment that is being loaded grows by a
   *     larger factor, so that its entries are copied less often
   */
  private void beginIfDue(boolean inRow) {
    if (next == null) {
      if (current.used() * 5L > current.capacity * 4L) {
        begin(inRow ? entries * 5 / 2 : entries * 15 / 8);
      } else if (tooManyDead()) {
        begin(entries * 3 / 2);
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

  /**
   * @param wanted how many slots the next table gets: 0.8 are used, and 1.5 times that or twice
   *     that are there to grow; a compaction leaves two thirds used
   */
  private void begin(long wanted) {
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
      // Also after a failure: the next step goes on where this one failed.
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
   * One bounded step of maintenance: a step of a running rewrite, or the begin of one if much of
   * the segment lies out of hash order.
   *
   * @return whether a rewrite is under way
   */
  boolean maintain() {
    if (next == null && outOfOrderBytes > Math.max(MIN_DEAD_BYTES, liveBytes / 4)) {
      begin(entries * 3 / 2);
    } else {
      advance();
    }
    return next != null;
  }

  /** Rewrites the whole segment, step by step. */
  void compact() {
    finish();
    begin(entries * 3 / 2);
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

  boolean contains(long position, byte[] key, int keyOffset, int keyBytes, LongSupplier clock) {
    return lookUp(position, key, keyOffset, keyBytes, clock, PRESENCE) != null;
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
        // A look-up that races with a write may see anything. Only an undisturbed one may fail.
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

  /** The size of all entries in bytes. */
  long liveBytes() {
    return counter(LIVE_BYTES);
  }

  /** The number of entries that have an expiry. */
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

  /** The bytes that rewrites have copied so far. For tests of their steps. */
  long movedBytes() {
    Rewrite running = rewrite;
    return movedBytes + (running == null ? 0 : running.movedBytes());
  }

  /** Whether a rewrite is under way. Only for the lane. */
  boolean rewriting() {
    return next != null;
  }

  /** The bytes of all arrays and objects. Only for the lane, or while nobody writes. */
  long heapBytes() {
    Generation newer = next;
    return current.heapBytes() + (newer == null ? 0 : newer.heapBytes()) + 150;
  }
}
