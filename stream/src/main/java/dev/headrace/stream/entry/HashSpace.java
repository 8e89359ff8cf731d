package dev.headrace.stream.entry;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Objects;
import java.util.Set;

/**
 * The cluster's hash of keys, and its division into segments and positions.
 *
 * <p>The unsigned 128-bit product {@code hash × segments} has the segment in its high word and the
 * position within the segment in its low word; both grow with the hash. Immutable, for any thread.
 */
public final class HashSpace {

  private final int segments;
  private final KeyHash keyHash;

  /**
   * The space that a cluster uses: 64-bit XXH3 with a seed that outsiders do not know.
   *
   * @param segments at least 1
   */
  public HashSpace(int segments, long seed) {
    this(segments, xxh3(seed));
  }

  /**
   * A space with another hash. For tests that need keys with equal hashes.
   *
   * @param segments at least 1
   */
  public HashSpace(int segments, KeyHash keyHash) {
    if (segments < 1) {
      throw new IllegalArgumentException(
          "segments is " + segments + "; a cache needs at least one segment");
    }
    this.segments = segments;
    this.keyHash = Objects.requireNonNull(keyHash, "keyHash");
  }

  private static KeyHash xxh3(long seed) {
    Hasher64 hasher = Hashing.xxh3_64(seed);
    return hasher::hashBytesToLong;
  }

  public int segments() {
    return segments;
  }

  public long hash(byte[] key) {
    return keyHash.hash(key, 0, key.length);
  }

  public long hash(byte[] key, int offset, int length) {
    return keyHash.hash(key, offset, length);
  }

  /**
   * The hash of a region of a buffer. The buffer's position and limit neither matter nor change.
   */
  public long hash(ByteBuffer buffer, int index, int length) {
    if (buffer.hasArray()) {
      Objects.checkFromIndexSize(index, length, buffer.capacity());
      return keyHash.hash(buffer.array(), buffer.arrayOffset() + index, length);
    }
    byte[] key = new byte[length];
    buffer.get(index, key);
    return keyHash.hash(key, 0, length);
  }

  /**
   * Segments that a user has chosen.
   *
   * @throws IllegalArgumentException if there is no such segment
   */
  public BitSet choice(Set<Integer> chosen) {
    BitSet choice = new BitSet(segments);
    for (int segment : chosen) {
      if (segment < 0 || segment >= segments) {
        throw new IllegalArgumentException(
            "segments must be between 0 and " + (segments - 1) + ", but one is " + segment);
      }
      choice.set(segment);
    }
    return choice;
  }

  /** The segment of a hash: 0 to {@code segments() - 1}. */
  public int segment(long hash) {
    // The correction turns the signed high word into the unsigned one; segments is positive.
    return (int) (Math.multiplyHigh(hash, segments) + ((hash >> 63) & segments));
  }

  /** The position of a hash within its segment, an unsigned number. */
  public long position(long hash) {
    return hash * segments;
  }

  /** The position of the key in this region of an array. */
  public long positionOf(byte[] bytes, int keyOffset, int keyLength) {
    return keyHash.hash(bytes, keyOffset, keyLength) * segments;
  }
}
