package dev.headrace.cluster.process;

import org.jspecify.annotations.Nullable;

/**
 * The test's keys, and which values they may have.
 *
 * <p>Loaded keys never change. Written keys have versions that count from 1; each key belongs to
 * one hand of one writer. Most stay present once they are; every fourth is removed by its even
 * versions. Before version 1 a key is absent.
 */
final class Content {
  static final int LOADED = 25_000;
  static final int HANDS = 8;
  static final int KEYS_PER_HAND = 64;
  static final int WRITTEN = HANDS * KEYS_PER_HAND;
  static final int COUNTERS = 16;

  private static final String LOADED_PREFIX = "loaded-";
  private static final String WRITTEN_PREFIX = "written-";
  private static final String PADDING = "The quick brown fox. ".repeat(10);

  private Content() {}

  static String loadedKey(int number) {
    return LOADED_PREFIX + number;
  }

  static String loadedValue(int number) {
    return "value of " + number + ": " + PADDING;
  }

  static String writtenKey(int number) {
    return WRITTEN_PREFIX + number;
  }

  static String counterKey(int number) {
    return "counter-" + number;
  }

  /** The number of a loaded key, or -1 if it is none. */
  static int loadedNumber(String key) {
    return number(key, LOADED_PREFIX, LOADED);
  }

  /** The number of a written key, or -1 if it is none. */
  static int writtenNumber(String key) {
    return number(key, WRITTEN_PREFIX, WRITTEN);
  }

  private static int number(String key, String prefix, int end) {
    if (!key.startsWith(prefix)) {
      return -1;
    }
    int number = Integer.parseInt(key.substring(prefix.length()));
    return number >= 0 && number < end ? number : -1;
  }

  /** Whether a written key, once present, is never removed. */
  static boolean staysPresent(int number) {
    return number % 4 != 3;
  }

  /** Whether this version of a written key is one with a value. */
  static boolean isPresent(int number, long version) {
    return version > 0 && (staysPresent(number) || version % 2 == 1);
  }

  /** The value of a version; of a length that changes from one to the next. */
  static String writtenValue(int number, long version) {
    return version + "@" + number + PADDING.substring((int) (version * 31 % PADDING.length()));
  }

  /**
   * Why a written key cannot have this value while its version is one of a range; null if it can.
   *
   * @param value null if the key is absent
   */
  static @Nullable String objection(int number, long from, long to, @Nullable String value) {
    if (value == null) {
      for (long version = from; version <= to; version++) {
        if (!isPresent(number, version)) {
          return null;
        }
      }
      return "%s is absent, but should have a version between %d and %d"
          .formatted(writtenKey(number), from, to);
    }
    int end = value.indexOf('@');
    long version = end < 1 ? -1 : Long.parseLong(value.substring(0, end));
    if (version >= from
        && version <= to
        && isPresent(number, version)
        && value.equals(writtenValue(number, version))) {
      return null;
    }
    return "%s has the value \"%s...\", but should have a version between %d and %d"
        .formatted(writtenKey(number), value.substring(0, Math.min(value.length(), 20)), from, to);
  }
}
