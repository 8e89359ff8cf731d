package dev.headrace.benchmarks.store;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;

/** What one would write without a store: a concurrent map from keys to encoded values. */
final class MapHolder implements Holder {

  private static final int BUFFER_BYTES = 256 << 10;

  private final Codec<String> keys = Codecs.string();
  private final Codec<byte[]> values = Codecs.bytes();
  private final ByteOutput encoded = new ByteOutput();
  private final ConcurrentHashMap<String, byte[]> map = new ConcurrentHashMap<>();
  private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);

  @Override
  public void put(String key, byte[] value) {
    encoded.reset();
    values.encode(value, encoded);
    map.put(key, encoded.toByteArray());
  }

  @Override
  public byte[] get(String key) {
    byte[] found = map.get(key);
    if (found == null) {
      throw new NoSuchElementException("the map has lost " + key);
    }
    return values.decode(ByteInput.of(found));
  }

  @Override
  public long scan() {
    long entries = 0;
    out.clear();
    for (Map.Entry<String, byte[]> entry : map.entrySet()) {
      encoded.reset();
      keys.encode(entry.getKey(), encoded);
      if (encoded.size() + entry.getValue().length + 2 * Integer.BYTES > out.remaining()) {
        out.clear();
      }
      out.putInt(encoded.size()).put(encoded.array(), 0, encoded.size());
      out.putInt(entry.getValue().length).put(entry.getValue());
      entries++;
    }
    return entries;
  }

  @Override
  public void compact() {
    // A map has no order to restore.
  }

  @Override
  public long accountedBytes() {
    return 0;
  }
}
