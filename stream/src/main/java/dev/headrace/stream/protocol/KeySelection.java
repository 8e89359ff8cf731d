package dev.headrace.stream.protocol;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.error.CodecException;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.token.ResumeToken;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** The keys that a user has chosen for a stream, encoded and in hash order. Immutable. */
public final class KeySelection {

  /** The most bytes of keys in one request; a single longer key is an exception. */
  public static final int MAX_CHUNK_BYTES = 512 << 10;

  private final HashSpace space;
  private final Key[] keys; // in hash order, which is segment order
  private final long fingerprint;

  @SuppressWarnings("ArrayRecordComponent") // Never compared as a record.
  private record Key(int segment, long position, byte[] bytes) {}

  private KeySelection(HashSpace space, Key[] keys) {
    this.space = space;
    this.keys = keys;
    this.fingerprint = fingerprint(keys);
  }

  private static long fingerprint(Key[] keys) {
    long mixed = keys.length;
    for (Key key : keys) {
      mixed = (mixed ^ key.position ^ key.segment) * 0x9E37_79B9_7F4A_7C15L;
      mixed ^= mixed >>> 32;
    }
    return mixed == ResumeToken.ALL_KEYS ? 1 : mixed;
  }

  /** A number that differs between choices; never {@link ResumeToken#ALL_KEYS}. */
  public long fingerprint() {
    return fingerprint;
  }

  /**
   * Encodes and orders keys.
   *
   * @throws NullPointerException if one is null
   * @throws CodecException if one cannot be encoded
   */
  public static <K> KeySelection of(
      Collection<? extends K> chosen, Codec<K> codec, HashSpace space) {
    ByteOutput out = new ByteOutput();
    List<byte[]> encoded = new ArrayList<>(chosen.size());
    for (K key : chosen) {
      Objects.requireNonNull(key, "a key is null");
      out.reset();
      encode(codec, key, out);
      encoded.add(out.toByteArray());
    }
    return ofEncoded(encoded, space);
  }

  /** Orders keys that are already encoded. */
  public static KeySelection ofEncoded(List<byte[]> encoded, HashSpace space) {
    Key[] keys = new Key[encoded.size()];
    for (int i = 0; i < keys.length; i++) {
      byte[] bytes = encoded.get(i);
      long hash = space.hash(bytes);
      keys[i] = new Key(space.segment(hash), space.position(hash), bytes);
    }
    Arrays.sort(
        keys,
        Comparator.comparingInt(Key::segment)
            .thenComparing(Key::position, Long::compareUnsigned)
            .thenComparing(Key::bytes, Arrays::compareUnsigned));
    return new KeySelection(space, withoutRepetitions(keys));
  }

  /** Removes duplicates: different objects with the same bytes are one key. */
  private static Key[] withoutRepetitions(Key[] sorted) {
    int count = 0;
    for (Key key : sorted) {
      if (count == 0 || !Arrays.equals(sorted[count - 1].bytes, key.bytes)) {
        sorted[count++] = key;
      }
    }
    return Arrays.copyOf(sorted, count);
  }

  private static <K> void encode(Codec<K> codec, K key, ByteOutput out) {
    try {
      codec.encode(key, out);
    } catch (ClassCastException e) {
      throw e; // what a map throws for a key of another type
    } catch (RuntimeException e) {
      throw new CodecException(
          "A key of the class "
              + key.getClass().getName()
              + " cannot be encoded as \""
              + codec.format()
              + '"',
          e);
    }
  }

  /** The segments that the keys belong to. */
  public BitSet segments() {
    BitSet segments = new BitSet();
    for (Key key : keys) {
      segments.set(key.segment);
    }
    return segments;
  }

  /**
   * The next keys of a segment behind a cursor: as many as fit in a request, at least one if any is
   * left.
   */
  byte[][] behind(int segment, Cursor cursor) {
    int start = firstBehind(segment, cursor);
    int end = start;
    long bytes = 0;
    while (end < keys.length
        && end - start < ReadRequest.MAX_KEYS
        && keys[end].segment == segment) {
      bytes += keys[end].bytes.length;
      if (bytes > MAX_CHUNK_BYTES && end > start) {
        break;
      }
      end++;
    }
    byte[][] chunk = new byte[end - start][];
    for (int i = start; i < end; i++) {
      chunk[i - start] = keys[i].bytes;
    }
    return chunk;
  }

  /** Whether an encoded key is among them. */
  public boolean contains(byte[] key) {
    int segment = space.segment(space.hash(key));
    long position = space.position(space.hash(key));
    for (int at = Math.max(0, lowerBound(segment, Cursor.after(position)));
        isAt(at, segment, position);
        at++) {
      if (Arrays.equals(keys[at].bytes, key)) {
        return true;
      }
    }
    return false;
  }

  /** All keys of a segment behind a cursor. */
  public List<byte[]> allBehind(int segment, Cursor cursor) {
    List<byte[]> behind = new ArrayList<>();
    for (int at = firstBehind(segment, cursor);
        at < keys.length && keys[at].segment == segment;
        at++) {
      behind.add(keys[at].bytes);
    }
    return behind;
  }

  /** The cursor behind a key. */
  Cursor cursorBehind(byte[] key) {
    return Cursor.after(space.position(space.hash(key)), key);
  }

  private int firstBehind(int segment, Cursor cursor) {
    int at = lowerBound(segment, cursor);
    int runStart = at;
    while (!cursor.isStart() && isAt(at, segment, cursor.position())) {
      at++;
      if (cursor.insideRun()
          && cursor.equals(Cursor.after(cursor.position(), keys[at - 1].bytes))) {
        return at;
      }
    }
    // A cursor inside a run names one of its keys. If that is not chosen, none of the run was read.
    return cursor.insideRun() ? runStart : at;
  }

  /** The first key of the segment that is not before the cursor's position. */
  private int lowerBound(int segment, Cursor cursor) {
    int low = 0;
    int high = keys.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      Key key = keys[middle];
      boolean before =
          key.segment < segment
              || (key.segment == segment
                  && !cursor.isStart()
                  && Long.compareUnsigned(key.position, cursor.position()) < 0);
      if (before) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private boolean isAt(int index, int segment, long position) {
    return index < keys.length
        && keys[index].segment == segment
        && keys[index].position == position;
  }
}
