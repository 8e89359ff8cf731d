package dev.headrace.stream.store;

import dev.headrace.api.error.WireException;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryView;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.StoredEntry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Replaces all that a replica holds in a range of its hash order by a batch: an entry that is in
 * the range but not in the batch is removed.
 *
 * <p>It proceeds in bounded {@linkplain #step steps}, which first remove and then store. In between
 * the range is neither as it was nor as it will be, so the replica must not be {@linkplain
 * ReplicaState#readable readable}. A {@linkplain #repair repair} is the exception: it changes only
 * wrong entries, each at once, so readers see each key as it was or as it should be. Everything
 * runs in the segment's lane.
 */
public final class RangeReplacement {

  /** The most entries that one step looks at. */
  static final int STEP_ENTRIES = 128;

  private final Replica replica;
  private final Cursor to;
  private final boolean toEnd;
  private final ByteBuffer batch;
  private final boolean repairing;
  private final EntryView view = new EntryView();

  // Removing: how far the range has been compared with the batch.
  private Cursor reached;
  private boolean removed;
  private int compareAt;

  // Storing.
  private int storeAt;

  // What a repair has found.
  private int extraEntries;
  private int wrongEntries;
  private int newerEntries;

  /**
   * Checks the batch. Changes nothing yet.
   *
   * @param from the range begins behind it
   * @param to the range ends with it; null for the end of the segment
   * @param entries a batch of whole entries, in hash order; must not change before the replacement
   *     ends
   * @throws WireException if an entry is damaged, belongs elsewhere or is out of order
   */
  public RangeReplacement(Replica replica, Cursor from, @Nullable Cursor to, ByteBuffer entries) {
    this(replica, from, to, entries, false);
    if (replica.state().readable()) {
      throw new IllegalStateException(
          replica + " serves readers; let it become COPYING before a range of it is replaced");
    }
  }

  /**
   * A replacement of a range of which only a few entries may be wrong, and which may be read
   * meanwhile. Checks the batch; changes nothing yet. The parameters are those of the constructor.
   *
   * @throws WireException if an entry is damaged, belongs elsewhere or is out of order
   */
  public static RangeReplacement repair(
      Replica replica, Cursor from, @Nullable Cursor to, byte[] entries) {
    return new RangeReplacement(replica, from, to, ByteBuffer.wrap(entries), true);
  }

  private RangeReplacement(
      Replica replica, Cursor from, @Nullable Cursor to, ByteBuffer entries, boolean repairing) {
    this.replica = replica;
    this.repairing = repairing;
    this.reached = from;
    this.to = to == null ? Cursor.START : to;
    this.toEnd = to == null;
    this.batch = entries.slice();
    check(from, batch.limit());
  }

  private void check(Cursor from, int end) {
    HashSpace space = replica.store().space();
    Cursor last = from;
    for (int at = 0; at < end; ) {
      at = view.parse(batch, at, end);
      byte[] key = view.key(batch);
      long hash = space.hash(key);
      long position = space.position(hash);
      boolean inside = !last.covers(position, key) && (toEnd || to.covers(position, key));
      if (space.segment(hash) != replica.segment() || !inside) {
        throw new WireException(
            "an entry of segment %d lies outside of its range or comes out of order; the message is damaged"
                .formatted(replica.segment()));
      }
      last = Cursor.owning(position, key);
    }
  }

  /**
   * Takes the next step, over at most {@value #STEP_ENTRIES} entries.
   *
   * @return whether more steps are to be taken
   * @throws EntryTooLargeException if an entry is above the store's limit; the range is half
   *     replaced then
   * @throws IllegalStateException if the replica has been dropped
   */
  public boolean step() {
    if (!removed) {
      remove();
      return true;
    }
    return store();
  }

  private void remove() {
    Segment content = replica.content();
    List<byte[]> keys = new ArrayList<>();
    if (content != null) {
      RangeKeys.collect(content, reached, STEP_ENTRIES, keys);
    }
    removed = keys.size() < STEP_ENTRIES;
    for (byte[] key : keys) {
      long position = position(key);
      if (!toEnd && !to.covers(position, key)) {
        removed = true;
        return;
      }
      reached = Cursor.owning(position, key);
      if (!batchHas(position, key) && replica.remove(position, key)) {
        extraEntries++;
      }
    }
  }

  /** Whether the batch has a key. Keys must be asked for in hash order. */
  private boolean batchHas(long position, byte[] key) {
    Cursor wanted = Cursor.owning(position, key);
    while (compareAt < batch.limit()) {
      int behind = view.parse(batch, compareAt, batch.limit());
      byte[] candidate = view.key(batch);
      long candidatePosition = position(candidate);
      if (!wanted.covers(candidatePosition, candidate)) {
        return false;
      }
      compareAt = behind;
      if (candidatePosition == position && Arrays.equals(candidate, key)) {
        return true;
      }
    }
    return false;
  }

  private boolean store() {
    int end = batch.limit();
    for (int count = 0; count < STEP_ENTRIES && storeAt < end; count++) {
      int behind = view.parse(batch, storeAt, end);
      byte[] key = view.key(batch);
      long term = view.term(batch);
      StoredEntry wanted =
          new StoredEntry(view.value(batch), term, view.counter(batch), view.expiryMillis());
      long position = position(key);
      if (!repairing || isWrong(position, key, wanted)) {
        replica.put(position, key, wanted.value(), term, wanted.counter(), wanted.expiryMillis());
      }
      storeAt = behind;
    }
    return storeAt < end;
  }

  /** Whether a repair has to store an entry, because it is missing or differs. */
  private boolean isWrong(long position, byte[] key, StoredEntry wanted) {
    Segment content = replica.content();
    // Earlier than any expiry, so that expired entries are found too.
    StoredEntry present =
        content == null ? null : content.find(position, key, () -> Long.MIN_VALUE);
    if (present == null) {
      wrongEntries++;
      return true;
    }
    boolean same =
        present.term() == wanted.term()
            && present.counter() == wanted.counter()
            && present.expiryMillis() == wanted.expiryMillis()
            && Arrays.equals(present.value(), wanted.value());
    boolean newer =
        present.term() > wanted.term()
            || (present.term() == wanted.term() && present.counter() > wanted.counter());
    wrongEntries += same ? 0 : 1;
    newerEntries += newer ? 1 : 0;
    return !same;
  }

  /** How many entries were removed because the batch lacks them. */
  public int extraEntries() {
    return extraEntries;
  }

  /** How many entries a repair has stored because they were missing or differed. */
  public int wrongEntries() {
    return wrongEntries;
  }

  /** How many of the stored entries replaced one with a higher version. */
  public int newerEntries() {
    return newerEntries;
  }

  private long position(byte[] key) {
    HashSpace space = replica.store().space();
    return space.position(space.hash(key));
  }
}
