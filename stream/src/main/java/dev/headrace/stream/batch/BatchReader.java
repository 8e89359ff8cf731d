package dev.headrace.stream.batch;

import dev.headrace.stream.batch.SegmentPart.Status;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.entry.StoredEntry;
import dev.headrace.stream.function.EntryCalls;
import dev.headrace.stream.function.FunctionFault;
import dev.headrace.stream.function.FunctionTable;
import dev.headrace.stream.operator.Operators;
import dev.headrace.stream.store.ReadStatus;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.SegmentReader;
import dev.headrace.stream.store.SegmentStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests from this node's store. It walks the segments from their cursors and copies
 * entries straight into the outgoing buffer.
 *
 * <p>Nothing of a request outlives its answer. Reusable, by one thread at a time.
 */
public final class BatchReader {

  private static final byte[] NOTHING = new byte[0];

  /** The next entries may be larger than the mean of their segments. */
  private static final double ROOM_FOR_LARGER_ENTRIES = 1.5;

  /** Room for what a function's fault says. */
  private static final int FAULT_BYTES = 4 << 10;

  private final FunctionTable functions;
  private final SegmentReader reader = new SegmentReader();
  private int entriesLeft;
  private int bytesLeft;
  private long entryBytes;
  private @Nullable OperatorReader operated;
  private IntPredicate mayRead = BatchReader::any;

  /** Of a node that knows no functions. */
  public BatchReader() {
    this(FunctionTable.NONE);
  }

  /**
   * @param functions what requests may call
   */
  public BatchReader(FunctionTable functions) {
    this.functions = functions;
  }

  /**
   * Appends entries to a buffer until the request's credit or the buffer's room is used up.
   *
   * @param store what this node holds of the cache; null if it does not know the cache, which
   *     refuses all segments
   * @param format the 32-bit hash of the formats of the store's keys and values; 0 if not known
   * @return one part for each segment that the answer reached, in the request's order
   */
  public List<SegmentPart> answer(
      @Nullable SegmentStore store, int format, ReadRequest request, ByteBuffer out) {
    return answer(store, BatchReader::any, format, request, out);
  }

  /**
   * The same for a node that may have replicas of which it is no owner any more.
   *
   * @param owned the segments that may be read
   */
  public List<SegmentPart> answer(
      @Nullable SegmentStore store,
      IntPredicate owned,
      int format,
      ReadRequest request,
      ByteBuffer out) {
    mayRead = owned;
    try {
      return answerOwned(store, format, request, out);
    } finally {
      mayRead = BatchReader::any;
    }
  }

  private static boolean any(int segment) {
    return true;
  }

  private List<SegmentPart> answerOwned(
      @Nullable SegmentStore store, int format, ReadRequest request, ByteBuffer out) {
    Operators operators = request.operators();
    if (store == null || operators == null) {
      operated = null;
      return read(store, format, request, out);
    }
    int start = out.position();
    int mostAdded = Integer.MAX_VALUE;
    try {
      while (true) {
        EntryCalls calls =
            operators.callsFunctions() ? functions.bind(operators, request.format()) : null;
        OperatorReader operating =
            new OperatorReader(store, reader, request, out, calls, mostAdded);
        operated = operating;
        List<SegmentPart> parts = read(store, format, request, out);
        endOperated(operating, parts);
        long oversize = operating.oversize();
        if (calls == null || oversize == 0) {
          return parts;
        }
        boolean ofOne = operating.added() == 1;
        boolean allowed = oversize <= functions.maxResultBytes();
        out.position(start);
        if (allowed && (ofOne || oversize <= request.maxBytes())) {
          return tooLarge(request, oversize); // in a larger buffer, or in a request of its own
        } else if (ofOne) {
          throw calls.tooLarge(oversize);
        }
        // Of fewer entries it may be smaller.
        mostAdded = operating.added() / 2;
      }
    } catch (FunctionFault fault) {
      out.position(start);
      return failed(fault, request, out);
    } finally {
      operated = null;
    }
  }

  private List<SegmentPart> tooLarge(ReadRequest request, long bytes) {
    entryBytes = bytes;
    int segment = request.segments()[0];
    return List.of(new SegmentPart(segment, 0, Status.TOO_LARGE, request.firstCursor()));
  }

  private List<SegmentPart> failed(FunctionFault fault, ReadRequest request, ByteBuffer out) {
    byte[] bytes = fault.encode();
    if (bytes.length > Math.min(request.maxBytes(), out.remaining())) {
      return tooLarge(request, bytes.length);
    }
    entryBytes = 0;
    out.put(bytes);
    int segment = request.segments()[0];
    return List.of(new SegmentPart(segment, 0, Status.FUNCTION_FAILED, request.firstCursor()));
  }

  private List<SegmentPart> read(
      @Nullable SegmentStore store, int format, ReadRequest request, ByteBuffer out) {
    List<SegmentPart> parts = new ArrayList<>();
    entriesLeft = request.maxEntries();
    bytesLeft = Math.min(request.maxBytes(), out.remaining());
    entryBytes = 0;
    int[] segments = request.segments();
    if (format != 0 && request.format() != 0 && format != request.format()) {
      parts.add(new SegmentPart(segments[0], 0, Status.WRONG_FORMAT, request.firstCursor()));
      return parts;
    }
    Cursor from = request.firstCursor();
    for (int i = 0; i < segments.length && entriesLeft > 0; i++) {
      if (!appendSegment(store, request, i, from, out, parts)) {
        break;
      }
      from = Cursor.START;
    }
    return parts;
  }

  /** The result of a reduction belongs to the last segment of which anything was read. */
  private static void endOperated(OperatorReader reduced, List<SegmentPart> parts) {
    if (!reduced.appendResult()) {
      return;
    }
    for (int i = parts.size() - 1; i >= 0; i--) {
      SegmentPart part = parts.get(i);
      if (part.status() == Status.DONE || part.status() == Status.MORE) {
        parts.set(i, new SegmentPart(part.segment(), 1, part.status(), part.cursor()));
        return;
      }
    }
  }

  /**
   * How large a buffer to allocate for an answer: the bytes that this node holds of the segments,
   * as far as the request may take them, estimated from the mean size of the entries. If the
   * estimate is too low, the answer ends earlier; nothing is lost.
   */
  public static int roomBytes(@Nullable SegmentStore store, ReadRequest request) {
    if (store == null) {
      return 0;
    }
    Operators operators = request.operators();
    if (operators != null && operators.reduces()) {
      return Math.min(request.maxBytes(), operators.roomBytes());
    }
    byte[][] keys = request.keys();
    int most = keys == null ? request.maxEntries() : Math.min(request.maxEntries(), keys.length);
    long entries = 0;
    long bytes = 0;
    for (int segment : request.segments()) {
      Replica replica = replica(store, segment);
      if (replica != null) {
        entries += replica.entries();
        bytes += replica.bytes();
      }
      if (entries >= most || bytes >= request.maxBytes()) {
        break;
      }
    }
    if (entries > most) {
      bytes = (long) (ROOM_FOR_LARGER_ENTRIES * bytes * ((double) most / entries));
    }
    boolean called = operators != null && operators.callsFunctions();
    return (int) Math.min(request.maxBytes(), called ? Math.max(bytes, FAULT_BYTES) : bytes);
  }

  /**
   * The size in bytes of the next entry if the last part of the last answer is {@code TOO_LARGE},
   * else 0.
   */
  public long entryBytes() {
    return entryBytes;
  }

  /** Appends one segment. Returns whether the next one may follow. */
  private boolean appendSegment(
      @Nullable SegmentStore store,
      ReadRequest request,
      int index,
      Cursor from,
      ByteBuffer out,
      List<SegmentPart> parts) {
    int segment = request.segments()[index];
    boolean first = entriesLeft == request.maxEntries();
    if (bytesLeft < 1 && !first) {
      return false;
    }
    Replica replica = store == null || !mayRead.test(segment) ? null : replica(store, segment);
    if (store == null
        || replica == null
        || replica.incarnation() != request.incarnations()[index]) {
      parts.add(new SegmentPart(segment, 0, Status.NOT_HELD, from));
      return true;
    }
    byte[][] keys = request.keys();
    if (keys != null) {
      parts.add(
          operated != null && operated.transforms()
              ? appendKeys(operated, replica, keys, from)
              : appendKeys(store, replica, keys, request.projection(), from, out));
      return true;
    } else if (operated != null) {
      return appendOperated(operated, replica, request.projection(), from, parts);
    }
    ReadStatus status =
        reader.read(replica, from, entriesLeft, Math.max(1, bytesLeft), request.projection(), out);
    if (status == ReadStatus.ENTRY_TOO_LARGE && !first) {
      return false;
    }
    parts.add(new SegmentPart(segment, reader.entries(), statusOf(status), reader.next()));
    entriesLeft -= reader.entries();
    bytesLeft -= reader.bytes();
    entryBytes = status == ReadStatus.ENTRY_TOO_LARGE ? reader.requiredBytes() : 0;
    return status == ReadStatus.DONE || status == ReadStatus.UNREADABLE;
  }

  private boolean appendOperated(
      OperatorReader operating,
      Replica replica,
      Projection projection,
      Cursor from,
      List<SegmentPart> parts) {
    boolean first = parts.stream().allMatch(part -> part.entries() == 0);
    SegmentPart part = operating.append(replica, from, projection, first);
    if (part != null) {
      parts.add(part);
      entryBytes = operating.tooLargeBytes();
    }
    return !operating.isFull();
  }

  private SegmentPart appendKeys(
      OperatorReader operating, Replica replica, byte[][] keys, Cursor from) {
    SegmentPart part = operating.appendKeys(replica, keys, from);
    entryBytes = operating.tooLargeBytes();
    return part;
  }

  private static @Nullable Replica replica(SegmentStore store, int segment) {
    return segment >= 0 && segment < store.segments() ? store.replica(segment) : null;
  }

  static Status statusOf(ReadStatus status) {
    return switch (status) {
      case MORE -> Status.MORE;
      case DONE -> Status.DONE;
      case ENTRY_TOO_LARGE -> Status.TOO_LARGE;
      case UNREADABLE -> Status.NOT_HELD;
    };
  }

  /**
   * Looks up single keys. The replica's state is checked again after everything has been copied.
   */
  private SegmentPart appendKeys(
      SegmentStore store,
      Replica replica,
      byte[][] keys,
      Projection projection,
      Cursor from,
      ByteBuffer out) {
    int start = out.position();
    int segment = replica.segment();
    Cursor reached = from;
    Status status = Status.DONE;
    int entries = 0;
    int word = replica.word();
    boolean readable = replica.stillReadable(word);
    for (int i = 0; i < keys.length && readable; i++) {
      byte[] key = keys[i];
      long position = store.space().position(store.space().hash(key));
      StoredEntry found = replica.find(position, key);
      if (found != null && (operated == null || operated.accepts(key, found))) {
        byte[] storedKey =
            projection == Projection.VALUES && found.expiryMillis() == 0 ? NOTHING : key;
        byte[] value = projection == Projection.KEYS ? NOTHING : found.value();
        long bytes = entryBytes(storedKey, value, found);
        if (entries == entriesLeft || bytes > bytesLeft - (out.position() - start)) {
          status = entries == 0 ? Status.TOO_LARGE : Status.MORE;
          entryBytes = entries == 0 ? bytes : 0;
          break;
        }
        EntryLayout.append(
            out, storedKey, value, found.term(), found.counter(), found.expiryMillis());
        entries++;
      }
      reached = Cursor.after(position, key);
    }
    if (!readable || !replica.stillReadable(word)) {
      out.position(start);
      return new SegmentPart(segment, 0, Status.NOT_HELD, from);
    }
    entriesLeft -= entries;
    return new SegmentPart(segment, entries, status, reached);
  }

  private static long entryBytes(byte[] key, byte[] value, StoredEntry found) {
    return EntryLayout.entryBytes(
        key.length, value.length, found.term(), found.counter(), found.expiryMillis());
  }
}
