package dev.headrace.stream.store;

import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.stream.entry.EncodedEntry;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.StoredEntry;
import org.jspecify.annotations.Nullable;

/**
 * This node's copy of one segment, from the moment it is opened until it is dropped.
 *
 * <pre>
 * state     event             guard             next      effects
 * (none)    open(state)       state not ABSENT  state     the segment's earlier replica is dropped
 * COPYING   become(OWNER)                       OWNER     reads are served
 * OWNER     become(COPYING)                     COPYING   reads are refused; those under way do not
 *                                                         count, even if they end after the copy
 * COPYING   become(COPYING)                     COPYING   the copy begins anew; the entries stay
 * OWNER     become(OWNER)                       OWNER     none
 * any       drop, or open of                    ABSENT    the memory is given back; every mutation
 *           another replica                               fails from now on
 * </pre>
 *
 * <p>Mutations ({@link #put}, {@link #remove}, {@link #clear}, {@link #become}, {@link #maintain},
 * {@link #compact}) are called in the segment's lane, one after the other; two at a time are
 * detected and fail. Look-ups and {@link SegmentReader} may run on any thread at any time. Only
 * {@link SegmentReader} checks the state: it refuses a replica that is not {@linkplain
 * ReplicaState#readable readable}. A lane checks it before it looks up.
 *
 * <p>The caller passes each key with its position, which must be the one that {@link HashSpace}
 * gives it. Arrays are copied, never kept.
 */
public final class Replica {

  private static final int STATE_BITS = 2;
  private static final int STATE_MASK = (1 << STATE_BITS) - 1;

  private final SegmentStore store;
  private final int segment;
  private final int incarnation;

  /** How often it became COPYING, above the state's bits; written by the lane. */
  private volatile int word;

  /** Null before the first write and after a clear; written by the lane. */
  private volatile @Nullable Segment content;

  /** The bytes that the budget counts for this replica; guarded by the lane. */
  private long countedBytes;

  Replica(SegmentStore store, int segment, int incarnation, ReplicaState state) {
    this.store = store;
    this.segment = segment;
    this.incarnation = incarnation;
    this.word = state.code;
  }

  public int segment() {
    return segment;
  }

  public int incarnation() {
    return incarnation;
  }

  public ReplicaState state() {
    return stateOf(word);
  }

  /**
   * Changes the state.
   *
   * <p>A read during which the replica becomes {@link ReplicaState#COPYING} does not count, even if
   * the replica is complete again when the read ends.
   *
   * @throws IllegalStateException if the replica has been dropped
   */
  public void become(ReplicaState state) {
    checkHeld();
    if (state == ReplicaState.ABSENT) {
      throw new IllegalArgumentException(
          "segment " + segment + " becomes absent only when the store drops it");
    }
    int copies = (word >>> STATE_BITS) + (state == ReplicaState.COPYING ? 1 : 0);
    word = (copies << STATE_BITS) | state.code;
  }

  void dropped() {
    word = (word & ~STATE_MASK) | ReplicaState.ABSENT.code;
    count(0);
  }

  /** Tells the budget how much heap the content takes now. */
  private void count(@Nullable Segment entries) {
    count(entries == null ? 0 : entries.heapBytes());
  }

  private void count(long heapBytes) {
    long more = heapBytes - countedBytes;
    if (more != 0) {
      countedBytes = heapBytes;
      store.memory().count(more);
    }
  }

  /** A mark of the present state, for {@link #stillReadable}. Get it before reading anything. */
  public int word() {
    return word;
  }

  /**
   * Whether what was read since {@link #word} returned {@code before} counts: the replica is
   * readable, and has not been copied in between.
   */
  public boolean stillReadable(int before) {
    int now = word;
    return stateOf(now).readable() && now >>> STATE_BITS == before >>> STATE_BITS;
  }

  static ReplicaState stateOf(int word) {
    return ReplicaState.of(word & STATE_MASK);
  }

  @Nullable Segment content() {
    return content;
  }

  SegmentStore store() {
    return store;
  }

  /**
   * Stores an entry, replacing the key's earlier one.
   *
   * @param expiryMillis when the entry expires, in milliseconds of cluster time; 0 for never
   * @return whether the key was absent; an expired entry counts as present
   * @throws EntryTooLargeException if the entry is above the store's limit; nothing has changed
   *     then
   * @throws IllegalStateException if the replica has been dropped
   */
  public boolean put(
      long position, byte[] key, byte[] value, long term, long counter, long expiryMillis) {
    return put(0, position, EncodedEntry.of(key, value, expiryMillis), term, counter);
  }

  /**
   * Stores one of several entries in a row, which are not many and come in the order of their
   * positions.
   *
   * @param index the entry's place in the row
   * @return whether the key was absent; an expired entry counts as present
   * @throws EntryTooLargeException if the entry is above the store's limit; nothing has changed
   *     then
   * @throws IllegalStateException if the replica has been dropped
   */
  public boolean put(int index, long position, EncodedEntry entry, long term, long counter) {
    checkHeld();
    checkSize(entry.bytes(term, counter));
    Segment entries = content;
    if (entries == null) {
      entries = new Segment(store.space(), store.memory());
      // Published once it holds the entry, so that no reader sees a half-made segment.
      boolean added = entries.put(position, entry, term, counter);
      content = entries;
      count(entries);
      return added;
    }
    boolean added = entries.putInRow(index, position, entry, term, counter);
    count(entries);
    return added;
  }

  private void checkSize(long entryBytes) {
    int limit = store.maxEntryBytes();
    if (entryBytes > limit) {
      throw new EntryTooLargeException(
          "an entry of "
              + entryBytes
              + " bytes for segment "
              + segment
              + " is above the limit of "
              + limit
              + "; split the value or raise the limit on every node");
    }
  }

  /**
   * Removes a key, expired or not.
   *
   * @return whether it was there
   * @throws IllegalStateException if the replica has been dropped
   */
  public boolean remove(long position, byte[] key) {
    checkHeld();
    Segment entries = content;
    if (entries == null) {
      return false;
    }
    boolean removed = entries.remove(position, key);
    if (removed && entries.entries() == 0) {
      content = null;
    }
    count(content);
    return removed;
  }

  /** Removes all entries, in constant time. */
  public void clear() {
    checkHeld();
    content = null;
    count(0);
  }

  /** A copy of the value of a key, or null if it is absent or expired. */
  public byte @Nullable [] value(long position, byte[] key) {
    return value(position, key, 0, key.length);
  }

  /** As {@link #value(long, byte[])}, but what has expired is present until it is removed. */
  public byte @Nullable [] valueEvenIfExpired(long position, byte[] key) {
    return valueEvenIfExpired(position, key, 0, key.length);
  }

  /** The same for a key that is a region of an array. */
  public byte @Nullable [] valueEvenIfExpired(
      long position, byte[] key, int keyOffset, int keyBytes) {
    Segment entries = content;
    return entries == null
        ? null
        : entries.value(position, key, keyOffset, keyBytes, () -> Long.MIN_VALUE);
  }

  /** As {@link #value(long, byte[])}, for a key that is a region of an array. */
  public byte @Nullable [] value(long position, byte[] key, int keyOffset, int keyBytes) {
    Segment entries = content;
    return entries == null
        ? null
        : entries.value(position, key, keyOffset, keyBytes, store.clock());
  }

  /** The entry of a key, or null if it is absent or expired. */
  public @Nullable StoredEntry find(long position, byte[] key) {
    Segment entries = content;
    return entries == null ? null : entries.find(position, key, store.clock());
  }

  /** Whether a key is present and has not expired. */
  public boolean contains(long position, byte[] key) {
    return contains(position, key, 0, key.length);
  }

  /** As {@link #contains(long, byte[])}, for a key that is a region of an array. */
  public boolean contains(long position, byte[] key, int keyOffset, int keyBytes) {
    Segment entries = content;
    return entries != null && entries.contains(position, key, keyOffset, keyBytes, store.clock());
  }

  /** The number of entries, expired ones included. */
  public long entries() {
    Segment entries = content;
    return entries == null ? 0 : entries.entries();
  }

  /** The size of all entries in a batch, in bytes, expired ones included. */
  public long bytes() {
    Segment entries = content;
    return entries == null ? 0 : entries.liveBytes();
  }

  /** Whether any entry has an expiry, so that a search for expired ones can find something. */
  public boolean hasExpiring() {
    Segment entries = content;
    return entries != null && entries.expiring() != 0;
  }

  /**
   * One bounded step, well below a millisecond, towards entries in hash order and no dead bytes. A
   * background task calls it repeatedly, in the lane.
   *
   * @return whether there is more to do now
   */
  public boolean maintain() {
    Segment entries = content;
    if (entries == null) {
      return false;
    }
    boolean more = entries.maintain();
    count(entries);
    return more;
  }

  /**
   * Brings all entries into hash order and drops all dead bytes. Runs to the end, in steps between
   * which readers are served.
   */
  public void compact() {
    Segment entries = content;
    if (entries != null) {
      entries.compact();
      count(entries);
    }
  }

  /**
   * The heap that this replica takes, counted from its arrays and objects. Called in the lane, or
   * while nobody writes.
   */
  public long heapBytes() {
    Segment entries = content;
    return 32 + (entries == null ? 0 : entries.heapBytes());
  }

  private void checkHeld() {
    if (stateOf(word) == ReplicaState.ABSENT) {
      throw new IllegalStateException(
          "segment "
              + segment
              + " of incarnation "
              + incarnation
              + " has been dropped; get the present replica from the store");
    }
  }

  @Override
  public String toString() {
    return "replica of segment " + segment + "." + incarnation + " " + state();
  }
}
