package dev.headrace.stream.store;

import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryFilter;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.EntryReducer;
import dev.headrace.stream.entry.Projection;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a segment from a cursor up to a budget: the one operation that streams, migrations and
 * repairs share.
 *
 * <p>A reader belongs to one thread and may be used for any number of replicas. Between reads it
 * keeps nothing but the outcome of the last one.
 *
 * <p>It proceeds chunk by chunk ({@link ScanChunk}). Each chunk is copied without a lock, then
 * validated; only then does it count. If a write came in between, the chunk is read again from the
 * position that the last good one reached. After three failures in a row, one chunk is copied under
 * the read lock.
 */
public final class SegmentReader {

  private static final int OPTIMISTIC_ATTEMPTS = 3;

  private static final ByteBuffer NO_BUFFER = ByteBuffer.allocate(0);

  /** A search for expired entries ends after so many entries, whatever it has found. */
  private static final int EXPIRED_SEARCH_ENTRIES = 32 * ScanChunk.MAX_ENTRIES;

  private final ScanChunk chunk = new ScanChunk();

  // The outcome.
  private int entries;
  private int bytes;
  private int requiredBytes;
  private int examined;
  private Cursor next = Cursor.START;

  // What was asked for.
  private int maxEntries;
  private int maxBytes;
  private int maxExamined;
  private int outStart;
  private Projection projection = Projection.ENTRIES;

  /** What adds up entries; null if they are copied. */
  private @Nullable Addition addition;

  // Up to where chunks have been validated.
  private boolean started;
  private long position;
  private byte @Nullable [] runKey;
  private int failures;

  // Where the walk is; valid only under the stamp under which it was found.
  private @Nullable Generation generation;
  private int index;
  private boolean currentFollows;

  /** The number of entries that the last read appended. */
  public int entries() {
    return entries;
  }

  /** The number of bytes that the last read appended. */
  public int bytes() {
    return bytes;
  }

  /** The number of entries that the last read looked at, hidden and unwanted ones included. */
  public int examined() {
    return examined;
  }

  /** Where to continue. It lies behind hidden entries that were skipped, too. */
  public Cursor next() {
    return next;
  }

  /** After {@link ReadStatus#ENTRY_TOO_LARGE}: the room that the next entry needs. */
  public int requiredBytes() {
    return requiredBytes;
  }

  /**
   * Appends the entries behind a cursor to a buffer, in hash order, in the form of {@link
   * EntryLayout}.
   *
   * <p>Only whole entries are appended, and the buffer's position ends behind them. The outcome may
   * be {@link ReadStatus#MORE} although nothing follows; the next read is then empty and {@link
   * ReadStatus#DONE}. A search for {@link Projection#EXPIRED} entries may end with {@code MORE}
   * without having found any, so that it stays short.
   *
   * @param from the entries behind it are read
   * @param maxEntries the most entries to append, at least 1
   * @param maxBytes the most bytes to append, at least 1; the buffer's room is a bound too
   * @param projection which entries are appended, and which parts of them
   */
  public ReadStatus read(
      Replica replica,
      Cursor from,
      int maxEntries,
      int maxBytes,
      Projection projection,
      ByteBuffer out) {
    int most = projection == Projection.EXPIRED ? EXPIRED_SEARCH_ENTRIES : Integer.MAX_VALUE;
    return read(replica, from, new Budget(maxEntries, maxBytes, most), projection, null, out);
  }

  /**
   * What one read may take.
   *
   * @param entries the most entries to append, at least 1
   * @param bytes the most bytes to append, at least 1
   * @param examined the read ends with {@link ReadStatus#MORE} after it has looked at about as many
   *     entries, whatever it has found
   */
  public record Budget(int entries, int bytes, int examined) {}

  /**
   * As {@link #read(Replica, Cursor, int, int, Projection, ByteBuffer)}, of the entries that a
   * filter accepts.
   *
   * @param filter called with entries that a write may have torn; null for all entries. {@link
   *     Projection#REPLICA} and {@link Projection#EXPIRED} are not filtered
   */
  public ReadStatus read(
      Replica replica,
      Cursor from,
      Budget budget,
      Projection projection,
      @Nullable EntryFilter filter,
      ByteBuffer out) {
    int maxEntries = budget.entries();
    int maxBytes = budget.bytes();
    if (maxEntries < 1 || maxBytes < 1) {
      throw new IllegalArgumentException(
          "a read of "
              + maxEntries
              + " entries and "
              + maxBytes
              + " bytes; ask for at least one of each");
    }
    begin(from);
    this.maxEntries = maxEntries;
    this.maxBytes = Math.min(maxBytes, out.remaining());
    this.maxExamined = budget.examined();
    this.projection = projection;
    outStart = out.position();
    int word = replica.word();
    if (!Replica.stateOf(word).readable()) {
      return ReadStatus.UNREADABLE;
    }
    Segment segment = replica.content();
    ReadStatus status = ReadStatus.DONE;
    if (segment != null && (projection != Projection.EXPIRED || segment.expiring() != 0)) {
      chunk.begin(replica.store().clock(), filter);
      status = walk(segment, out);
      generation = null;
    }
    if (!replica.stillReadable(word)) {
      begin(from);
      return ReadStatus.UNREADABLE;
    }
    if (started) {
      next = Cursor.owning(position, runKey);
    }
    out.position(outStart + bytes);
    return status;
  }

  /**
   * Adds up a replica's entries behind a cursor, where they lie.
   *
   * <p>What the reducer counts are the entries up to {@link #next}, also if the replica becomes
   * unreadable on the way. {@link ReadStatus#ENTRY_TOO_LARGE} says that the reducer had no room for
   * the first of its entries.
   *
   * @param examined as {@link Budget#examined}
   */
  public ReadStatus add(Replica replica, Cursor from, int examined, EntryReducer reducer) {
    begin(from);
    maxEntries = Integer.MAX_VALUE;
    maxExamined = examined;
    int word = replica.word();
    if (!Replica.stateOf(word).readable()) {
      return ReadStatus.UNREADABLE;
    }
    Segment segment = replica.content();
    ReadStatus status = replica.stillReadable(word) ? ReadStatus.DONE : ReadStatus.UNREADABLE;
    if (segment != null) {
      chunk.begin(replica.store().clock(), null);
      addition = new Addition(reducer, replica, word);
      try {
        status = walk(segment, NO_BUFFER);
      } finally {
        addition = null;
        generation = null;
      }
    }
    if (started) {
      next = Cursor.owning(position, runKey);
    }
    return status;
  }

  /**
   * A read that adds up.
   *
   * @param word the replica's before anything was read
   */
  private record Addition(EntryReducer reducer, Replica replica, int word) {}

  private void begin(Cursor from) {
    entries = 0;
    bytes = 0;
    requiredBytes = 0;
    next = from;
    started = !from.isStart();
    position = from.position();
    runKey = from.key();
    failures = 0;
    examined = 0;
  }

  private ReadStatus walk(Segment segment, ByteBuffer out) {
    while (true) {
      ReadStatus status =
          failures < OPTIMISTIC_ATTEMPTS
              ? walkOptimistically(segment, out)
              : readLocked(segment, out);
      if (status != null) {
        return status;
      }
    }
  }

  /** Reads on under one stamp, until the read is over or a write has come in between. */
  private @Nullable ReadStatus walkOptimistically(Segment segment, ByteBuffer out) {
    long stamp = segment.lock.tryOptimisticRead();
    generation = null;
    ReadStatus status = null;
    while (status == null) {
      try {
        if (stamp != 0) {
          readChunk(segment, out);
        }
      } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
        // A walk that races with a write may see anything. Only an undisturbed one may fail.
        if (segment.lock.validate(stamp)) {
          throw e;
        }
      }
      if (!segment.lock.validate(stamp)) {
        failures++;
        Thread.onSpinWait();
        return null;
      }
      failures = 0;
      status = commit();
    }
    return status;
  }

  private @Nullable ReadStatus readLocked(Segment segment, ByteBuffer out) {
    long stamp = segment.lock.readLock();
    try {
      generation = null;
      readChunk(segment, out);
    } finally {
      segment.lock.unlockRead(stamp);
    }
    failures = 0;
    return commit();
  }

  private void readChunk(Segment segment, ByteBuffer out) {
    Generation walked = generation;
    if (walked == null) {
      walked = locate(segment);
    } else if (chunk.ends) {
      walked = enterCurrent(segment);
    }
    Addition adding = addition;
    if (adding != null) {
      chunk.add(walked, index, adding.reducer());
      return;
    }
    chunk.read(
        walked, index, maxEntries - entries, maxBytes - bytes, projection, out, outStart + bytes);
  }

  /** Finds the first slot behind the validated position. */
  private Generation locate(Segment segment) {
    Generation newer = segment.next;
    long tag = started ? Generation.tag(position) : 0;
    if (newer == null || tag >= segment.boundary) {
      Generation current = segment.current;
      currentFollows = false;
      // Below the boundary the old table still holds what has moved.
      index = started ? firstIndexBehind(current, tag) : 0;
      generation = current;
      return current;
    }
    index = started ? firstIndexBehind(newer, tag) : 0;
    if (newer.isEmptyFrom(index)) {
      return enterCurrent(segment);
    }
    currentFollows = true;
    generation = newer;
    return newer;
  }

  private Generation enterCurrent(Segment segment) {
    Generation current = segment.current;
    currentFollows = false;
    index = current.firstIndexOf(segment.boundary);
    generation = current;
    return current;
  }

  private int firstIndexBehind(Generation walked, long tag) {
    long[] slots = walked.slots;
    int at = walked.home(tag);
    for (; at < slots.length; at++) {
      long slot = slots[at];
      if (slot == 0 || Generation.tagOf(slot) > tag) {
        break;
      }
      if (Generation.tagOf(slot) == tag && isBehind(walked, (int) slot)) {
        break;
      }
    }
    return at;
  }

  private boolean isBehind(Generation walked, int ref) {
    byte[] key = runKey;
    if (key != null) {
      return walked.compare(ref, position, key) > 0;
    }
    return Long.compareUnsigned(walked.position(ref), position) > 0;
  }

  /** Counts the validated chunk, and returns the status if the read is over. */
  private @Nullable ReadStatus commit() {
    Addition adding = addition;
    if (adding != null && !adding.replica().stillReadable(adding.word())) {
      return ReadStatus.UNREADABLE; // a sum cannot be taken back later
    } else if (adding != null) {
      adding.reducer().count();
    }
    entries += chunk.entries;
    bytes += chunk.bytes;
    index = chunk.nextIndex;
    examined += chunk.examined;
    if (chunk.examined > 0) {
      started = true;
      position = chunk.position;
      runKey = chunk.runKey;
    }
    if (chunk.tooLargeBytes != 0) {
      requiredBytes = entries == 0 ? chunk.tooLargeBytes : 0;
      return entries == 0 ? ReadStatus.ENTRY_TOO_LARGE : ReadStatus.MORE;
    }
    if (chunk.ends && !currentFollows) {
      return ReadStatus.DONE;
    }
    return entries == maxEntries || examined >= maxExamined ? ReadStatus.MORE : null;
  }
}
