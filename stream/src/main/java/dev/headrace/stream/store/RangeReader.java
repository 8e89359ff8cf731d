package dev.headrace.stream.store;

import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryView;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.PositionRange;
import dev.headrace.stream.entry.Projection;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Reads what a replica holds in a range of positions, expired entries included, as a batch for a
 * {@link RangeReplacement}. Used in the segment's lane. Reusable; belongs to one thread.
 */
public final class RangeReader {

  /** The most bytes of one batch, except for a single larger entry. */
  public static final int MAX_BYTES = 1 << 16;

  /** The most entries of one batch. */
  public static final int MAX_ENTRIES = 512;

  private final SegmentReader reader = new SegmentReader();
  private final EntryView view = new EntryView();
  private ByteBuffer room = ByteBuffer.allocate(0);
  private Cursor to = Cursor.START;

  /** Where the last batch ends; the range's end if nothing is left. */
  public Cursor to() {
    return to;
  }

  /**
   * Reads the next entries of a range as a batch.
   *
   * @param from the entries behind it are read
   * @param expectedEntries about how many entries there are
   * @throws IllegalStateException if the replica is not readable
   */
  public byte[] read(Replica replica, PositionRange range, Cursor from, int expectedEntries) {
    if (room.capacity() < MAX_BYTES) {
      room = ByteBuffer.allocate(MAX_BYTES);
    }
    // One more, to see that it lies beyond the range.
    int maxEntries = Math.max(1, Math.min(MAX_ENTRIES, expectedEntries + 1));
    ReadStatus status = read(replica, from, maxEntries, room);
    ByteBuffer batch = room;
    if (status == ReadStatus.ENTRY_TOO_LARGE) {
      batch = ByteBuffer.allocate(reader.requiredBytes());
      status = read(replica, from, 1, batch);
    }
    if (status == ReadStatus.UNREADABLE) {
      throw new IllegalStateException(replica + " cannot be read; wait until it is complete");
    }
    int end = endOf(range, replica.store().space(), batch);
    boolean all = end < batch.position() || status == ReadStatus.DONE;
    to = all || range.to().equals(reader.next()) ? range.to() : reader.next();
    return Arrays.copyOf(batch.array(), end);
  }

  private ReadStatus read(Replica replica, Cursor from, int maxEntries, ByteBuffer out) {
    out.clear();
    return reader.read(replica, from, maxEntries, out.capacity(), Projection.REPLICA, out);
  }

  /** The index of a batch at which the range ends. */
  private int endOf(PositionRange range, HashSpace space, ByteBuffer batch) {
    int end = batch.position();
    for (int at = 0; at < end; ) {
      int behind = view.parse(batch, at, end);
      long position = space.position(space.hash(batch, view.keyOffset(), view.keyLength()));
      if (Long.compareUnsigned(position, range.last()) > 0) {
        return at;
      }
      at = behind;
    }
    return end;
  }
}
