package dev.headrace.benchmarks.harness;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * The entries that every system holds: random hexadecimal keys of {@value #KEY_CHARS} characters,
 * and values of random hexadecimal digits, drawn with seed {@value #SEED}.
 *
 * <p>The shapes and the seed are those of the iteration benchmark in the public repository {@code
 * infinispan/infinispan-benchmarks}. Immutable; the values are made when asked for, and are the
 * same each time.
 */
public final class Entries {

  /** Characters of a key. */
  public static final int KEY_CHARS = 10;

  private static final int SEED = 17;

  /** So many keys are drawn, and kept; drawn keys of more entries would not all differ. */
  private static final int MOST_DRAWN = 1_000_000;

  /** An odd factor, so that multiples of it differ in their last bits as their numbers do. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private static final long LAST_DIGITS = (1L << (4 * KEY_CHARS)) - 1;

  private static final byte[] DIGITS = "0123456789abcdef".getBytes(ISO_8859_1);

  private final int count;
  private final String[] keys; // none where they are computed
  private final int valueBytes;

  /**
   * Draws the keys, or of more than {@value #MOST_DRAWN} computes them when asked for.
   *
   * @param count number of entries
   * @param valueBytes length of each value
   */
  public Entries(int count, int valueBytes) {
    this.count = count;
    this.keys = new String[count > MOST_DRAWN ? 0 : count];
    this.valueBytes = valueBytes;
    Random random = new Random(SEED);
    for (int i = 0; i < keys.length; i++) {
      keys[i] = new String(hexDigits(random, KEY_CHARS), ISO_8859_1);
    }
  }

  /** Number of entries. */
  public int count() {
    return count;
  }

  /** Length of each value. */
  public int valueBytes() {
    return valueBytes;
  }

  /** The key at an index. */
  public String key(int index) {
    return keys.length > 0 ? keys[index] : computed(index);
  }

  private static String computed(int index) {
    long digits = ((index + 1) * SPREAD) & LAST_DIGITS;
    String shortest = Long.toHexString(digits);
    return "0".repeat(KEY_CHARS - shortest.length()) + shortest;
  }

  /** A new copy of the value at an index. */
  public byte[] value(int index) {
    return hexDigits(new Random(SEED + 1L + index), valueBytes);
  }

  /**
   * Passes on all entries, some at a time.
   *
   * @param batchEntries how many, but for the last ones
   * @param putAll takes them; the map is used again for the next ones
   */
  public void inBatches(int batchEntries, Consumer<Map<String, byte[]>> putAll) {
    Map<String, byte[]> batch = new HashMap<>();
    for (int i = 0; i < count(); i++) {
      batch.put(key(i), value(i));
      if (batch.size() == batchEntries || i == count() - 1) {
        putAll.accept(batch);
        batch.clear();
      }
    }
  }

  private static byte[] hexDigits(Random random, int length) {
    byte[] digits = new byte[length];
    for (int i = 0; i < length; i++) {
      digits[i] = DIGITS[random.nextInt(DIGITS.length)];
    }
    return digits;
  }
}
