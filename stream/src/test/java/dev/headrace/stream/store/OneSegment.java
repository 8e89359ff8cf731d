package dev.headrace.stream.store;

import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryView;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.KeyHash;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.entry.StoredEntry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A store of one segment that this node owns, and a clock that stands still. */
final class OneSegment {

  /** An entry as a batch has it. */
  record Seen(String key, String value, long term, long counter, long expiryMillis) {}

  final HashSpace space;
  final SegmentStore store;
  final SegmentReader reader = new SegmentReader();
  final ByteBuffer out;
  long nowMillis = 1_000;

  /** Runs whenever a read asks for the time, which lies in the middle of a chunk. */
  Runnable whenTimeIsAsked = () -> {};

  Replica replica;
  private long counter;

  OneSegment(KeyHash hash) {
    this(new HashSpace(1, hash), StoreLimits.DEFAULT, ByteBuffer.allocateDirect(1 << 20));
  }

  OneSegment() {
    this(new HashSpace(1, 42), StoreLimits.DEFAULT, ByteBuffer.allocate(1 << 20));
  }

  OneSegment(HashSpace space, StoreLimits limits, ByteBuffer out) {
    this.space = space;
    this.out = out;
    this.store = new SegmentStore(space, this::time, limits);
    this.replica = store.open(0, 7, ReplicaState.OWNER);
  }

  private long time() {
    whenTimeIsAsked.run();
    return nowMillis;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  long position(String key) {
    return space.position(space.hash(bytes(key)));
  }

  boolean put(String key, String value) {
    return put(key, value, 0);
  }

  boolean put(String key, String value, long expiryMillis) {
    return replica.put(position(key), bytes(key), bytes(value), 3, ++counter, expiryMillis);
  }

  boolean remove(String key) {
    return replica.remove(position(key), bytes(key));
  }

  String get(String key) {
    byte[] value = replica.value(position(key), bytes(key));
    return value == null ? null : text(value);
  }

  StoredEntry find(String key) {
    return replica.find(position(key), bytes(key));
  }

  ReadStatus read(Cursor from, int maxEntries, int maxBytes, Projection projection) {
    out.clear();
    return reader.read(replica, from, maxEntries, maxBytes, projection, out);
  }

  /** What the last {@link #read} brought. */
  List<Seen> seen() {
    List<Seen> seen = new ArrayList<>();
    EntryView view = new EntryView();
    for (int at = 0; at < out.position(); ) {
      at = view.parse(out, at, out.position());
      seen.add(
          new Seen(
              text(view.key(out)),
              text(view.value(out)),
              view.term(out),
              view.counter(out),
              view.expiryMillis()));
    }
    return seen;
  }

  /** All keys, read in batches of a size, each cursor going through its binary form. */
  List<String> scanKeys(int maxEntries, Projection projection) {
    List<String> keys = new ArrayList<>();
    Cursor cursor = Cursor.START;
    ReadStatus status = ReadStatus.MORE;
    while (status == ReadStatus.MORE) {
      status = read(cursor, maxEntries, out.capacity(), projection);
      seen().forEach(entry -> keys.add(entry.key()));
      ByteBuffer binary = ByteBuffer.allocate(reader.next().encodedBytes());
      reader.next().write(binary);
      cursor = Cursor.read(binary.flip());
    }
    if (status != ReadStatus.DONE) {
      throw new AssertionError("a scan ended with " + status);
    }
    return keys;
  }
}
