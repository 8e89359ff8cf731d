package dev.headrace.benchmarks.store;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.store.ReadStatus;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.ReplicaState;
import dev.headrace.stream.store.SegmentReader;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.nio.ByteBuffer;
import java.util.NoSuchElementException;

/** The segment store, used as a node uses it: encode, hash, find the replica. */
final class StoreHolder implements Holder {

  private static final int SEGMENTS = 256;
  private static final int BUFFER_BYTES = 256 << 10;
  private static final long TERM = 1;

  private final Codec<String> keys = Codecs.string();
  private final Codec<byte[]> values = Codecs.bytes();
  private final ByteOutput encoded = new ByteOutput();
  private final HashSpace space = new HashSpace(SEGMENTS, 42);
  private final SegmentStore store =
      new SegmentStore(space, System::currentTimeMillis, StoreLimits.DEFAULT);
  private final SegmentReader reader = new SegmentReader();
  private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private long counter;

  StoreHolder() {
    for (int segment = 0; segment < SEGMENTS; segment++) {
      store.open(segment, 0, ReplicaState.OWNER);
    }
  }

  private <T> byte[] encode(Codec<T> codec, T value) {
    encoded.reset();
    codec.encode(value, encoded);
    return encoded.toByteArray();
  }

  private Replica replica(int segment) {
    Replica replica = store.replica(segment);
    if (replica == null) {
      throw new IllegalStateException("segment " + segment + " is not open");
    }
    return replica;
  }

  @Override
  public void put(String key, byte[] value) {
    byte[] encodedKey = encode(keys, key);
    long hash = space.hash(encodedKey);
    replica(space.segment(hash))
        .put(space.position(hash), encodedKey, encode(values, value), TERM, ++counter, 0);
  }

  @Override
  public byte[] get(String key) {
    byte[] encodedKey = encode(keys, key);
    long hash = space.hash(encodedKey);
    byte[] found = replica(space.segment(hash)).value(space.position(hash), encodedKey);
    if (found == null) {
      throw new NoSuchElementException("the store has lost " + key);
    }
    return values.decode(ByteInput.of(found));
  }

  @Override
  public long scan() {
    long entries = 0;
    for (int segment = 0; segment < SEGMENTS; segment++) {
      Replica replica = replica(segment);
      Cursor cursor = Cursor.START;
      ReadStatus status = ReadStatus.MORE;
      while (status == ReadStatus.MORE) {
        out.clear();
        status =
            reader.read(replica, cursor, Integer.MAX_VALUE, BUFFER_BYTES, Projection.ENTRIES, out);
        entries += reader.entries();
        cursor = reader.next();
      }
      if (status != ReadStatus.DONE) {
        throw new IllegalStateException("the scan of segment " + segment + " ended " + status);
      }
    }
    return entries;
  }

  @Override
  public void compact() {
    for (int segment = 0; segment < SEGMENTS; segment++) {
      replica(segment).compact();
    }
  }

  @Override
  public long accountedBytes() {
    return store.heapBytes();
  }
}
