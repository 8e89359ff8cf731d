package dev.headrace.stream.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryView;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.KeyHash;
import dev.headrace.stream.entry.PositionRange;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.entry.StoredEntry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Two replicas have the same hash of a range exactly if they hold the same entries there. */
class RangeHasherTest {
  private static final int KEYS = 400;

  private final RangeHasher hasher = new RangeHasher();

  @Property(tries = 100)
  void replicasWithTheSameEntriesHaveTheSameHashes(@ForAll long seed) {
    compareAfterDifferentLives(OneSegmentHashes.GOOD, seed);
  }

  @Property(tries = 50)
  void soTheyHaveWhenHashesCollide(@ForAll long seed) {
    compareAfterDifferentLives(OneSegmentHashes.FEW_TAGS, seed);
    compareAfterDifferentLives(OneSegmentHashes.FEW_POSITIONS, seed);
    compareAfterDifferentLives(OneSegmentHashes.EXTREMES, seed);
  }

  @Property(tries = 100)
  void aChangeIsSeenInItsRangeAndInNoOther(@ForAll long seed) {
    Random random = new Random(seed);
    OneSegment one = segment(OneSegmentHashes.GOOD);
    OneSegment other = segment(OneSegmentHashes.GOOD);
    fill(one, keys(), random);
    fill(other, keys(), random);
    String key = "k" + random.nextInt(KEYS);
    change(other, key, random.nextInt(5));
    int depth = random.nextInt(8);
    PositionRange first = new PositionRange(depth, 0);
    for (int i = 0; i < 1 << depth; i++) {
      PositionRange range = first.following(i);
      boolean inside =
          !range.from().covers(one.position(key), OneSegment.bytes(key))
              && range.to().covers(one.position(key), OneSegment.bytes(key));
      long before = hasher.hash(one.replica, range);
      assertThat(hasher.hash(other.replica, range) != before).as("%s", range).isEqualTo(inside);
    }
  }

  private static void change(OneSegment segment, String key, int how) {
    long position = segment.position(key);
    byte[] bytes = OneSegment.bytes(key);
    StoredEntry entry = segment.find(key);
    long expiryMillis = entry.expiryMillis();
    switch (how) {
      case 0 -> segment.remove(key);
      case 1 -> {
        entry.value()[0]++;
        segment.replica.put(
            position, bytes, entry.value(), entry.term(), entry.counter(), expiryMillis);
      }
      case 2 ->
          segment.replica.put(
              position, bytes, entry.value(), entry.term() + 1, entry.counter(), expiryMillis);
      case 3 ->
          segment.replica.put(
              position, bytes, entry.value(), entry.term(), entry.counter() + 1, expiryMillis);
      default ->
          segment.replica.put(
              position, bytes, entry.value(), entry.term(), entry.counter(), expiryMillis + 5_000);
    }
  }

  @Test
  void everyEntryIsInOneRangeOfEveryDepth() {
    OneSegment segment = segment(OneSegmentHashes.GOOD);
    fill(segment, keys(), new Random(1));
    for (int depth = 0; depth < 12; depth++) {
      long entries = 0;
      long bytes = 0;
      for (int i = 0; i < 1 << depth; i++) {
        hasher.hash(segment.replica, new PositionRange(depth, 0).following(i));
        entries += hasher.entries();
        bytes += hasher.bytes();
      }
      assertThat(entries).isEqualTo(KEYS);
      assertThat(bytes).isEqualTo(segment.replica.bytes());
    }
  }

  @Test
  void expiredEntriesCountUntilTheyAreRemoved() {
    OneSegment one = segment(OneSegmentHashes.GOOD);
    one.put("k", "v", 2_000);
    long before = hasher.hash(one.replica, PositionRange.ALL);
    one.nowMillis = 3_000;
    assertThat(one.get("k")).isNull();
    assertThat(hasher.hash(one.replica, PositionRange.ALL)).isEqualTo(before);
    assertThat(hasher.entries()).isEqualTo(1);
  }

  @Test
  void anEmptyRangeHasTheHashOfAnEmptySegment() {
    OneSegment segment = segment(OneSegmentHashes.GOOD);
    assertThat(hasher.hash(segment.replica, PositionRange.ALL)).isZero();
    segment.put("k", "v");
    assertThat(hasher.hash(segment.replica, PositionRange.ALL)).isNotZero();
    segment.remove("k");
    assertThat(hasher.hash(segment.replica, PositionRange.ALL)).isZero();
  }

  @Test
  void aReaderBringsARangeInPartsAndNothingElse() {
    for (KeyHash hash : List.of(OneSegmentHashes.GOOD, OneSegmentHashes.FEW_POSITIONS)) {
      OneSegment segment = segment(hash);
      fill(segment, keys(), new Random(2));
      segment.put("large", "x".repeat(RangeReader.MAX_BYTES + 1));
      List<String> read = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        readRange(segment, new PositionRange(2, 0).following(i), read);
      }
      assertThat(read).containsExactlyElementsOf(segment.scanKeys(50, Projection.KEYS));
    }
  }

  private static void readRange(OneSegment segment, PositionRange range, List<String> keys) {
    RangeReader reader = new RangeReader();
    EntryView view = new EntryView();
    Cursor cursor = range.from();
    while (!cursor.equals(range.to())) {
      ByteBuffer batch = ByteBuffer.wrap(reader.read(segment.replica, range, cursor, 10));
      for (int at = 0; at < batch.limit(); ) {
        at = view.parse(batch, at, batch.limit());
        String key = OneSegment.text(view.key(batch));
        assertThat(range.to().covers(segment.position(key), view.key(batch))).isTrue();
        keys.add(key);
      }
      assertThat(reader.to()).isNotEqualTo(cursor);
      cursor = reader.to();
    }
  }

  @Test
  void thereAreOnlySoManyRanges() {
    PositionRange last = new PositionRange(3, 0).following(7);
    assertThat(last.last()).isEqualTo(-1);
    assertThat(last.remaining()).isEqualTo(1);
    assertThat(PositionRange.ALL.remaining()).isEqualTo(1);
    assertThatThrownBy(() -> last.following(1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new PositionRange(3, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new PositionRange(33, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  // ---- Helpers

  private void compareAfterDifferentLives(KeyHash hash, long seed) {
    Random random = new Random(seed);
    OneSegment one = segment(hash);
    OneSegment other = segment(hash);
    List<String> keys = keys();
    fill(one, keys, random);
    Collections.shuffle(keys, random);
    for (int i = 0; i < KEYS; i++) {
      other.put("gone" + i, "x".repeat(random.nextInt(80)));
      put(other, keys.get(i), "first" + "x".repeat(random.nextInt(80)));
    }
    for (int i = 0; i < KEYS; i++) {
      other.remove("gone" + i);
      put(other, keys.get(i), value(keys.get(i)));
      if (random.nextInt(20) == 0) {
        other.replica.maintain(); // Perhaps the comparison finds it in the middle of a rewrite.
      }
    }
    int depth = random.nextInt(10);
    for (int i = 0; i < 1 << depth; i++) {
      PositionRange range = new PositionRange(depth, 0).following(i);
      long expected = hasher.hash(one.replica, range);
      int entries = hasher.entries();
      assertThat(hasher.hash(other.replica, range)).isEqualTo(expected);
      assertThat(hasher.entries()).isEqualTo(entries);
    }
  }

  private static OneSegment segment(KeyHash hash) {
    return new OneSegment(
        new HashSpace(1, hash), StoreLimits.DEFAULT, ByteBuffer.allocate(1 << 20));
  }

  private static List<String> keys() {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      keys.add("k" + i);
    }
    return keys;
  }

  private static void fill(OneSegment segment, List<String> keys, Random random) {
    for (String key : keys) {
      put(segment, key, value(key));
      if (random.nextInt(50) == 0) {
        segment.replica.maintain();
      }
    }
  }

  private static String value(String key) {
    return key + "=" + "y".repeat(key.hashCode() & 63);
  }

  /** With a version and an expiry that only depend on the key. */
  private static void put(OneSegment segment, String key, String value) {
    int hash = key.hashCode() & 0xFFFF;
    long expiryMillis = hash % 3 == 0 ? 1_100 + hash % 200 : 0;
    segment.replica.put(
        segment.position(key),
        OneSegment.bytes(key),
        OneSegment.bytes(value),
        1,
        hash,
        expiryMillis);
  }
}
