package dev.headrace.stream.batch;

import dev.headrace.stream.batch.SegmentPart.Status;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryFilter;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.EntryReducer;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.entry.StoredEntry;
import dev.headrace.stream.function.EntryCalls;
import dev.headrace.stream.operator.EntryFrame;
import dev.headrace.stream.operator.GroupReducer;
import dev.headrace.stream.operator.GroupTable;
import dev.headrace.stream.operator.Operators;
import dev.headrace.stream.operator.RowWriter;
import dev.headrace.stream.store.ReadStatus;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.SegmentReader;
import dev.headrace.stream.store.SegmentReader.Budget;
import dev.headrace.stream.store.SegmentStore;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answers one request that has operators. Entries are chosen where they lie; those of which a row
 * or a result is made are copied first, so that no write tears them, and only a validated copy
 * counts.
 *
 * <p>Functions of the user are called with such copies, outside of everything. An answer with them
 * ends when they have run for long, or with what does not fit any more.
 *
 * <p>A result of a reduction covers all segments of the answer, up to their cursors: it counts if
 * the answer does, and never else. For one thread.
 */
final class OperatorReader {

  private static final int SCRATCH_BYTES = 64 << 10;

  private final Operators operators;
  private final SegmentStore store;
  private final SegmentReader reader;
  private final ByteBuffer out;
  private final EntryFrame frame;
  private final @Nullable EntryFilter filter;
  private final @Nullable EntryCalls calls;
  private final EntryFrame.@Nullable Writer writer;
  private final @Nullable GroupTable result;

  /** Adds up into the result where entries lie; null if functions have to see them first. */
  private final @Nullable EntryReducer reducer;

  private final int mostAdded;
  private ByteBuffer scratch = ByteBuffer.allocate(0);

  private int examinedLeft;

  /** For so many entries functions may still be called. */
  private int callsLeft;

  /** How many entries the state of a function has. */
  private int added;

  private int entriesLeft;
  private long bytesLeft;
  private boolean full;
  private boolean discarded;

  private long oversize;

  /** What the entry that had no room needs. */
  private long neededBytes;

  /** The same, if the answer says no more than that. */
  private long tooLargeBytes;

  /**
   * @param calls the functions that the program calls; null if it calls none
   * @param mostAdded the most entries that the state of a function may have
   */
  OperatorReader(
      SegmentStore store,
      SegmentReader reader,
      ReadRequest request,
      ByteBuffer out,
      @Nullable EntryCalls calls,
      int mostAdded) {
    this.operators = Objects.requireNonNull(request.operators(), "operators");
    this.store = store;
    this.reader = reader;
    this.out = out;
    frame = new EntryFrame(store.clock());
    filter = operators.filter(frame);
    this.calls = calls;
    this.mostAdded = mostAdded;
    boolean reduces = operators.reduces();
    boolean adds = calls != null && calls.reduces();
    writer = operators.transforms() && !reduces ? writer(request.projection()) : null;
    result = reduces && !adds ? new GroupTable(operators, store.space()) : null;
    examinedLeft = operators.mostExamined();
    callsLeft = calls == null ? Integer.MAX_VALUE : Math.min(mostAdded, EntryCalls.MOST_ENTRIES);
    entriesLeft = reduces ? 1 : request.maxEntries();
    bytesLeft = Math.min(request.maxBytes(), out.remaining());
    reducer =
        result != null && calls == null
            ? new GroupReducer(operators, frame, result, bytesLeft)
            : null;
  }

  private EntryFrame.Writer writer(Projection projection) {
    EntryCalls called = calls;
    if (called == null || operators.selects()) {
      return new RowWriter(operators, projection == Projection.ENTRIES);
    }
    return called.writer(projection != Projection.VALUES, projection != Projection.KEYS);
  }

  /** Whether something else than whole entries is answered. */
  boolean transforms() {
    return operators.transforms();
  }

  /** Whether nothing more may be added to the answer. */
  boolean isFull() {
    return full || examinedLeft <= 0 || entriesLeft <= 0 || callsLeft <= 0;
  }

  /** The size of the next entry if it was too large for the whole answer, else 0. */
  long tooLargeBytes() {
    return tooLargeBytes;
  }

  /**
   * Reads a segment from a cursor on.
   *
   * @param first whether nothing precedes it in the answer
   * @return null if nothing of the segment fits behind what precedes it
   */
  @Nullable SegmentPart append(Replica replica, Cursor from, Projection projection, boolean first) {
    GroupTable counted = result;
    if (counted != null && bytesLeft < GroupTable.leastRoomBytes()) {
      return tooLarge(replica, from, GroupTable.leastRoomBytes());
    } else if (counted != null && operators.countsOnly()) {
      return count(counted, replica, from);
    }
    EntryReducer adding = reducer;
    if (adding != null) {
      return add(adding, replica, from, first);
    }
    return operators.transforms()
        ? transform(replica, from, first)
        : copy(replica, from, projection, first);
  }

  private SegmentPart tooLarge(Replica replica, Cursor from, long bytes) {
    full = true;
    tooLargeBytes = bytes;
    return new SegmentPart(replica.segment(), 0, Status.TOO_LARGE, from);
  }

  private @Nullable SegmentPart copy(
      Replica replica, Cursor from, Projection projection, boolean first) {
    Budget budget = new Budget(entriesLeft, (int) Math.max(1, bytesLeft), examinedLeft);
    ReadStatus status = reader.read(replica, from, budget, projection, filter, out);
    examinedLeft -= Math.max(1, reader.examined());
    entriesLeft -= reader.entries();
    bytesLeft -= reader.bytes();
    Status part = BatchReader.statusOf(status);
    if (status == ReadStatus.ENTRY_TOO_LARGE) {
      if (!first) {
        return unmoved(replica, from);
      }
      SegmentPart skipped = unmoved(replica, from);
      return skipped == null ? tooLarge(replica, from, reader.requiredBytes()) : skipped;
    }
    full |= status == ReadStatus.MORE;
    return new SegmentPart(replica.segment(), reader.entries(), part, reader.next());
  }

  /** Where a segment continues if nothing of it fits; null if it has not been begun. */
  private @Nullable SegmentPart unmoved(Replica replica, Cursor from) {
    full = true;
    Cursor reached = reader.next();
    return reached.equals(from)
        ? null
        : new SegmentPart(replica.segment(), 0, Status.MORE, reached);
  }

  private SegmentPart count(GroupTable counted, Replica replica, Cursor from) {
    int word = replica.word();
    if (operators.countsAll() && from.isStart() && !replica.hasExpiring()) {
      long entries = replica.entries();
      if (!replica.state().readable() || !replica.stillReadable(word)) {
        return new SegmentPart(replica.segment(), 0, Status.NOT_HELD, from);
      }
      counted.addEntries(entries);
      return new SegmentPart(replica.segment(), 0, Status.DONE, from);
    }
    Budget budget = new Budget(Integer.MAX_VALUE, 1, examinedLeft);
    ReadStatus status = reader.read(replica, from, budget, Projection.NOTHING, filter, out);
    examinedLeft -= Math.max(1, reader.examined());
    full |= status == ReadStatus.MORE;
    counted.addEntries(reader.entries());
    return new SegmentPart(replica.segment(), 0, BatchReader.statusOf(status), reader.next());
  }

  /** Adds up entries where they lie. */
  private @Nullable SegmentPart add(
      EntryReducer adding, Replica replica, Cursor from, boolean first) {
    ReadStatus status = reader.add(replica, from, examinedLeft, adding);
    examinedLeft -= Math.max(1, reader.examined());
    Cursor reached = reader.next();
    full |= status == ReadStatus.MORE;
    return switch (status) {
      case DONE -> new SegmentPart(replica.segment(), 0, Status.DONE, reached);
      case MORE -> new SegmentPart(replica.segment(), 0, Status.MORE, reached);
      case UNREADABLE -> {
        SegmentPart counted = unmoved(replica, from);
        full = counted != null;
        yield counted != null
            ? counted
            : new SegmentPart(replica.segment(), 0, Status.NOT_HELD, from);
      }
      case ENTRY_TOO_LARGE -> {
        SegmentPart skipped = unmoved(replica, from);
        yield skipped != null || !first || !isNothingYet()
            ? skipped
            : tooLarge(replica, from, reader.requiredBytes());
      }
    };
  }

  private @Nullable SegmentPart transform(Replica replica, Cursor from, boolean first) {
    Cursor reached = from;
    int before = entriesLeft;
    while (true) {
      ReadStatus status = readScratch(replica, reached);
      if (status == ReadStatus.UNREADABLE) {
        boolean progress = !reached.equals(from);
        full |= progress;
        return new SegmentPart(
            replica.segment(),
            before - entriesLeft,
            progress ? Status.MORE : Status.NOT_HELD,
            reached);
      }
      Cursor behind = reader.next();
      Cursor stopped = transformScratch(reached);
      if (stopped != null) {
        full = true;
        if (!stopped.equals(from)) {
          return new SegmentPart(replica.segment(), before - entriesLeft, Status.MORE, stopped);
        }
        return first && isNothingYet() ? tooLarge(replica, from, neededBytes) : null;
      }
      reached = behind;
      if (status == ReadStatus.DONE) {
        return new SegmentPart(replica.segment(), before - entriesLeft, Status.DONE, reached);
      } else if (isFull()) {
        full = true;
        return new SegmentPart(replica.segment(), before - entriesLeft, Status.MORE, reached);
      }
    }
  }

  private boolean isNothingYet() {
    return (result == null || result.isEmpty()) && added == 0;
  }

  private boolean timeIsUp() {
    EntryCalls called = calls;
    return called != null && called.timeIsUp();
  }

  private ReadStatus readScratch(Replica replica, Cursor from) {
    if (scratch.capacity() == 0) {
      scratch = ByteBuffer.allocate((int) Math.min(SCRATCH_BYTES, Math.max(512, replica.bytes())));
    }
    int most = Math.min(callsLeft, writer == null ? Integer.MAX_VALUE : entriesLeft);
    while (true) {
      scratch.clear();
      Budget budget = new Budget(most, scratch.capacity(), examinedLeft);
      ReadStatus status = reader.read(replica, from, budget, Projection.ENTRIES, filter, scratch);
      if (status != ReadStatus.ENTRY_TOO_LARGE) {
        examinedLeft -= Math.max(1, reader.examined());
        callsLeft -= calls == null ? 0 : reader.entries();
        return status;
      }
      scratch = ByteBuffer.allocate(reader.requiredBytes());
    }
  }

  /** Returns null, or, if there was no room for all, the cursor behind the last that was taken. */
  private @Nullable Cursor transformScratch(Cursor from) {
    byte[] copied = scratch.array();
    int end = scratch.position();
    int last = -1;
    for (int at = 0; at < end; ) {
      int length = EntryLayout.entryBytes(copied, at);
      frame.turnTo(copied, at, length);
      if (!take()) {
        return last < 0 ? from : behind(copied, last);
      }
      last = at;
      at += length;
      if (timeIsUp()) {
        return behind(copied, last);
      }
    }
    return null;
  }

  private Cursor behind(byte[] copied, int at) {
    frame.turnTo(copied, at, EntryLayout.entryBytes(copied, at));
    byte[] key = Arrays.copyOfRange(copied, frame.keyOffset(), frame.keyEnd());
    return Cursor.owning(store.space().position(store.space().hash(key)), key);
  }

  /** Takes the frame's entry. Returns false, and says how much it needs, if there is no room. */
  private boolean take() {
    EntryCalls called = calls;
    if (called != null && !called.accepts(frame)) {
      return true;
    } else if (called != null && called.reduces()) {
      if (added == mostAdded) {
        return false;
      }
      called.add();
      added++;
      return true;
    }
    GroupTable counted = result;
    if (counted != null) {
      neededBytes = counted.add(frame, bytesLeft);
      return neededBytes == 0;
    }
    EntryFrame.Writer made = writer;
    if (made == null) {
      throw new IllegalStateException("nothing is made of the entries");
    }
    long bytes = made.measure(frame);
    if (bytes == 0) {
      return true;
    } else if (bytes > bytesLeft || entriesLeft <= 0) {
      neededBytes = bytes;
      return false;
    }
    made.append(frame, out);
    bytesLeft -= bytes;
    entriesLeft--;
    return true;
  }

  /**
   * Looks up single keys, in a request that transforms. The replica's state is checked again after
   * everything has been copied.
   */
  SegmentPart appendKeys(Replica replica, byte[][] keys, Cursor from) {
    if (result != null && bytesLeft < GroupTable.leastRoomBytes()) {
      return tooLarge(replica, from, GroupTable.leastRoomBytes());
    }
    int start = out.position();
    int before = entriesLeft;
    int word = replica.word();
    boolean readable = replica.stillReadable(word);
    Cursor reached = from;
    Status status = Status.DONE;
    for (int i = 0; i < keys.length && readable; i++) {
      long position = store.space().position(store.space().hash(keys[i]));
      StoredEntry found = replica.find(position, keys[i]);
      if (found != null && accepts(keys[i], found) && !take(page(keys[i], found))) {
        status = i == 0 ? Status.TOO_LARGE : Status.MORE;
        tooLargeBytes = i == 0 ? neededBytes : 0;
        break;
      }
      reached = Cursor.after(position, keys[i]);
      if (i < keys.length - 1 && timeIsUp()) {
        status = Status.MORE;
        break;
      }
    }
    if (!readable || !replica.stillReadable(word)) {
      out.position(start);
      discarded = true;
      tooLargeBytes = 0;
      return new SegmentPart(replica.segment(), 0, Status.NOT_HELD, from);
    }
    return new SegmentPart(replica.segment(), before - entriesLeft, status, reached);
  }

  private boolean take(byte[] page) {
    frame.turnTo(page, 0, page.length);
    return take();
  }

  /** Whether a single entry that was looked up is wanted. */
  boolean accepts(byte[] key, StoredEntry found) {
    if (filter == null) {
      return true;
    }
    byte[] page = page(key, found);
    return filter.accepts(page, 0, page.length);
  }

  private static byte[] page(byte[] key, StoredEntry found) {
    byte[] value = found.value();
    long bytes =
        EntryLayout.entryBytes(
            key.length, value.length, found.term(), found.counter(), found.expiryMillis());
    byte[] page = new byte[Math.toIntExact(bytes)];
    EntryLayout.write(page, 0, key, value, found.term(), found.counter(), found.expiryMillis());
    return page;
  }

  /** Appends the result, if there is one. Returns whether. */
  boolean appendResult() {
    byte[] encoded = encoded();
    if (encoded == null) {
      return false;
    }
    long bytes = GroupTable.entryBytes(encoded);
    if (calls != null && bytes > bytesLeft) {
      oversize = bytes;
      return false;
    }
    EntryLayout.append(out, new byte[0], encoded, 0, 0, 0);
    return true;
  }

  private byte @Nullable [] encoded() {
    GroupTable counted = result;
    if (discarded || isNothingYet()) {
      return null;
    } else if (counted != null) {
      return counted.encode();
    }
    return calls == null ? null : calls.state();
  }

  /**
   * The bytes of a function's state that had no room in the answer, which is to be made anew then
   * of fewer entries; 0 if it had.
   */
  long oversize() {
    return oversize;
  }

  /** How many entries that state has. */
  int added() {
    return added;
  }
}
