package dev.headrace.stream.store;

import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.stream.entry.EntryLayout;
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
 * {@link #compact}) are called in the segment's lane, one after the other; two at a time are an
 * error that is noticed. Look-ups and {@link SegmentReader} may run on any thread at any time. None
 * of them looks at the state except {@link SegmentReader}, which refuses a replica that is not
 * {@linkplain ReplicaState#readable readable}; a lane asks for the state itself.
 *
 * <p>Keys, values and positions are the caller's: {@code position} must be the {@link HashSpace}'s
 * position of {@code key}. Arrays are copied and never kept.
 */
public final class Replica {

  private static final int STATE_BITS = 2;
  private static final int STATE_MASK = (1 << STATE_BITS) - 1;

  private final SegmentStore store;
  private final int segment;
  private final int incarnation;

  /** How often it became COPYING, above the state's bits; written by the lane. */
  private volatile int word;

  /** Nothing until the first write, and after a clear; written by the lane. */
  private volatile @Nullable Segment content;

  /** What the budget has been told of; guarded by the lane. */
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
   * <p>A read that was under way while the replica was {@link ReplicaState#COPYING} does not count,
   * even if it is complete again by the time the read ends.
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

  /** Tells the budget what the content takes now. */
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

  /** What {@link #stillReadable} compares with: to be asked for before anything is read. */
  public int word() {
    return word;
  }

  /** Whether what was read since {@link #word} returned {@code before} counts. */
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
   * Stores an entry in place of any other of its key.
   *
   * @param expiryMillis cluster time in milliseconds, 0 for none
   * @return whether the key was absent (an expired entry is there)
   * @throws EntryTooLargeException above the store's limit; nothing has changed then
   * @throws IllegalStateException if the replica has been dropped
   */
  public boolean put(
      long position, byte[] key, byte[] value, long term, long counter, long expiryMillis) {
    checkHeld();
    checkSize(EntryLayout.entryBytes(key.length, value.length, term, counter, expiryMillis));
    Segment entries = content;
    if (entries == null) {
      entries = new Segment(store.space(), store.memory());
      // Published when it holds something, so that no reader sees a half-made segment.
      boolean added = entries.put(position, key, value, term, counter, expiryMillis);
      content = entries;
      count(entries);
      return added;
    }
    boolean added = entries.put(position, key, value, term, counter, expiryMillis);
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

  /** Removes everything, at once whatever the size. */
  public void clear() {
    checkHeld();
    content = null;
    count(0);
  }

  /** A copy of the value of a key, or null if it is absent or expired. */
  public byte @Nullable [] value(long position, byte[] key) {
    return value(position, key, 0, key.length);
  }

  /** The same for a key that is a part of an array. */
  public byte @Nullable [] value(long position, byte[] key, int keyOffset, int keyBytes) {
    Segment entries = content;
    return entries == null
        ? null
        : entries.value(position, key, keyOffset, keyBytes, store.clock());
  }

  /** What is stored for a key, or null if it is absent or expired. */
  public @Nullable StoredEntry find(long position, byte[] key) {
    Segment entries = content;
    return entries == null ? null : entries.find(position, key, store.clock());
  }

  /** Whether there is an entry of this key that has not expired. */
  public boolean contains(long position, byte[] key) {
    Segment entries = content;
    return entries != null && entries.contains(position, key, store.clock());
  }

  /** The number of entries, expired ones included. */
  public long entries() {
    Segment entries = content;
    return entries == null ? 0 : entries.entries();
  }

  /** The bytes of all entries as they would lie in a batch, expired ones included. */
  public long bytes() {
    Segment entries = content;
    return entries == null ? 0 : entries.liveBytes();
  }

  /** Whether any entry has an expiry, so that it is worth looking for expired ones. */
  public boolean hasExpiring() {
    Segment entries = content;
    return entries != null && entries.expiring() != 0;
  }

  /**
   * One bounded step (well below a millisecond) of putting entries in hash order and dropping dead
   * bytes. Called again and again by a background task, in the lane.
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
   * Puts all entries in hash order and drops all dead bytes. It runs to the end, in steps between
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
   * The heap that this replica takes, counted from its arrays and objects. In the lane, or while
   * nobody writes.
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
              + " has been dropped; ask the store for its present replica");
    }
  }

  @Override
  public String toString() {
    return "replica of segment " + segment + "." + incarnation + " " + state();
  }
}
