package dev.headrace.rebalance.placement.ring;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.headrace.rebalance.placement.hash.Fnv1aHasher;
import dev.headrace.rebalance.placement.hash.KeyHasher;
import dev.headrace.rebalance.placement.hash.Md5Hasher;
import dev.headrace.rebalance.placement.hash.Murmur3Hasher;
import dev.headrace.rebalance.placement.hash.Xxh3Hasher;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Function;
import java.util.function.Supplier;

/** Where a ring's points lie, and how its keys are hashed. */
@SuppressWarnings("ImmutableEnumChecker") // the functions have no state
public enum RingAlgorithm {
  /**
   * Memcached's ketama: 160 points a node, four of each MD5 digest of {@code name-i}. Owners are
   * those of spymemcached and EVCache if nodes are named and ordered as there.
   */
  KETAMA_MD5("ketama-md5", 0, Md5Hasher::new, node -> words(Md5Hasher.digest(node))),

  /** Ketama with 128-bit MurmurHash3 in place of MD5. */
  KETAMA_MURMUR3(
      "ketama-murmur3", 0, Murmur3Hasher::new, node -> words(Murmur3Hasher.digest(node))),

  /** Ketama with 128-bit XXH3 for the points and the upper half of 64-bit XXH3 for the keys. */
  KETAMA_XXH3(
      "ketama-xxh3",
      32,
      () -> new Xxh3Hasher(0),
      node -> words(Hashing.xxh3_128().hashBytesTo128Bits(node.getBytes(UTF_8)).toByteArray())),

  /**
   * 40 points a node, the lower halves of 64-bit FNV-1a hashes. The fullest node of a ring has
   * three to five times the mean; it is here to be compared with.
   */
  SIMPLE_FNV1A(
      "simple-fnv1a", 0, Fnv1aHasher::new, node -> new int[] {(int) new Fnv1aHasher().hash(node)});

  /** Hashes of a node of average weight. */
  static final int HASHES_PER_NODE = 40;

  private final String label;
  private final int shift;
  private final Supplier<KeyHasher> hashers;
  private final Function<String, int[]> points;

  RingAlgorithm(
      String label, int shift, Supplier<KeyHasher> hashers, Function<String, int[]> points) {
    this.label = label;
    this.shift = shift;
    this.hashers = hashers;
    this.points = points;
  }

  public KeyHasher newHasher() {
    return hashers.get();
  }

  /** The points that one hash of a node gives, unsigned numbers. */
  int[] points(String node) {
    return points.apply(node);
  }

  /** The place on the ring of a key's hash, an unsigned number. */
  int position(long hash) {
    return (int) (hash >>> shift);
  }

  @Override
  public String toString() {
    return label;
  }

  private static int[] words(byte[] digest) {
    int[] words = new int[digest.length / Integer.BYTES];
    ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(words);
    return words;
  }
}
