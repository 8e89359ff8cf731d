package dev.headrace.stream.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.WireException;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.KeyHash;
import dev.headrace.stream.entry.Projection;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * A range of a replica is replaced by a batch, against a sorted map of which a part is replaced.
 */
class RangeReplacementTest {
  private static final int KEYS = 600;

  @Property(tries = 150)
  void aRangeHoldsTheBatchAndNothingElseAfterwards(@ForAll long seed) {
    new Run(OneSegmentHashes.GOOD, seed).play();
  }

  @Property(tries = 100)
  void soItDoesWhenHashesCollide(@ForAll long seed) {
    new Run(OneSegmentHashes.FEW_TAGS, seed).play();
  }

  @Property(tries = 100)
  void soItDoesWhenPositionsAreEqualAndARangeEndsInsideARun(@ForAll long seed) {
    new Run(OneSegmentHashes.FEW_POSITIONS, seed).play();
  }

  @Test
  void aStepLooksAtABoundedNumberOfEntries() {
    OneSegment segment = new OneSegment();
    for (int key = 0; key < 1_000; key++) {
      segment.put("k" + key, "v");
    }
    segment.replica.become(ReplicaState.COPYING);
    RangeReplacement range =
        new RangeReplacement(segment.replica, Cursor.START, null, ByteBuffer.allocate(0));
    long before = segment.replica.entries();
    while (range.step()) {
      long now = segment.replica.entries();
      assertThat(before - now).isLessThanOrEqualTo(RangeReplacement.STEP_ENTRIES);
      before = now;
    }
    assertThat(segment.replica.entries()).isZero();
  }

  @Test
  void aReplicaThatIsReadIsNotTouched() {
    OneSegment segment = new OneSegment();
    assertThatThrownBy(
            () -> new RangeReplacement(segment.replica, Cursor.START, null, ByteBuffer.allocate(0)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("serves readers");
  }

  @Property(tries = 100)
  void aRepairMakesAReplicaThatIsReadEqualAndCountsWhatWasWrong(@ForAll long seed) {
    Random random = new Random(seed);
    OneSegment sound = new OneSegment();
    OneSegment damaged = new OneSegment();
    for (int key = 0; key < 300; key++) {
      long expiryMillis = key % 3 == 0 ? 500 + key * 5 : 0; // Some have expired.
      sound.put("k" + key, "v" + key, expiryMillis);
      damaged.put("k" + key, "v" + key, expiryMillis);
    }
    int extra = random.nextInt(200);
    for (int key = 0; key < extra; key++) {
      damaged.put("extra" + key, "v");
    }
    int wrong = random.nextInt(100);
    for (int key = 0; key < wrong; key++) {
      if (key % 2 == 0) {
        damaged.remove("k" + key);
      } else {
        damaged.put("k" + key, "w" + key); // With a higher version.
      }
    }
    sound.read(Cursor.START, 1_000, 1 << 18, Projection.REPLICA);
    RangeReplacement repair =
        RangeReplacement.repair(damaged.replica, Cursor.START, Cursor.after(-1), batch(sound));
    while (repair.step()) {
      assertThat(damaged.get("k298")).as("right, and never away").isEqualTo("v298");
    }
    assertThat(repair.extraEntries()).isEqualTo(extra);
    assertThat(repair.wrongEntries()).isEqualTo(wrong);
    assertThat(repair.newerEntries()).isEqualTo(wrong / 2);
    damaged.read(Cursor.START, 1_000, 1 << 18, Projection.REPLICA);
    assertThat(batch(damaged)).isEqualTo(batch(sound));
  }

  @Test
  void anEntryOutsideOfTheRangeIsRefused() {
    OneSegment segment = new OneSegment();
    segment.put("a", "v");
    segment.read(Cursor.START, 10, 1000, Projection.REPLICA);
    byte[] batch = batch(segment);
    Cursor behind = segment.reader.next();
    segment.replica.become(ReplicaState.COPYING);
    assertThatThrownBy(
            () -> new RangeReplacement(segment.replica, behind, null, ByteBuffer.wrap(batch)))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("lies outside of its range");
    assertThat(segment.replica.entries()).isEqualTo(1);
  }

  private static byte[] batch(OneSegment segment) {
    byte[] batch = new byte[segment.out.position()];
    segment.out.get(0, batch);
    return batch;
  }

  /** Two versions of a segment, of which ranges go from the one to the other. */
  private static final class Run {
    private final Random random;
    private final OneSegment source;
    private final OneSegment target;
    private final NavigableMap<String, String> from;
    private final NavigableMap<String, String> to;

    Run(KeyHash hash, long seed) {
      random = new Random(seed);
      source =
          new OneSegment(new HashSpace(1, hash), StoreLimits.DEFAULT, ByteBuffer.allocate(1 << 20));
      target =
          new OneSegment(new HashSpace(1, hash), StoreLimits.DEFAULT, ByteBuffer.allocate(1 << 20));
      Comparator<String> byPosition =
          (a, b) -> Long.compareUnsigned(source.position(a), source.position(b));
      from = new TreeMap<>(byPosition.thenComparing(Comparator.naturalOrder()));
      to = new TreeMap<>(byPosition.thenComparing(Comparator.naturalOrder()));
    }

    void play() {
      mutate(source, from, 1 + random.nextInt(KEYS * 2));
      mutate(target, to, 1 + random.nextInt(KEYS * 2));
      target.replica.become(ReplicaState.COPYING);
      Cursor cursor = Cursor.START;
      boolean more = true;
      while (more) {
        int entries = 1 + random.nextInt(200);
        ReadStatus status = source.read(cursor, entries, 1 << 18, Projection.REPLICA);
        byte[] batch = batch(source);
        Cursor end = source.reader.next();
        more = status == ReadStatus.MORE;
        if (random.nextInt(5) > 0) {
          replace(cursor, more ? end : null, batch);
        }
        cursor = end;
      }
      target.replica.become(ReplicaState.OWNER);
      assertThat(target.scanKeys(7, Projection.REPLICA)).containsExactlyElementsOf(to.keySet());
      for (Map.Entry<String, String> entry : to.entrySet()) {
        assertThat(target.get(entry.getKey())).isEqualTo(entry.getValue());
      }
    }

    private void mutate(OneSegment segment, Map<String, String> model, int times) {
      for (int i = 0; i < times; i++) {
        String key = "k" + random.nextInt(KEYS);
        if (random.nextInt(4) == 0) {
          segment.remove(key);
          model.remove(key);
        } else {
          String value = "v" + i + "x".repeat(random.nextInt(100));
          segment.put(key, value);
          model.put(key, value);
        }
        if (random.nextInt(50) == 0) {
          segment.replica.maintain();
        }
      }
    }

    private void replace(Cursor begin, Cursor end, byte[] batch) {
      RangeReplacement range =
          new RangeReplacement(target.replica, begin, end, ByteBuffer.wrap(batch));
      while (range.step()) {
        if (random.nextInt(8) == 0) {
          target.replica.maintain();
        }
      }
      to.keySet().removeIf(key -> inside(key, begin, end));
      for (Map.Entry<String, String> entry : from.entrySet()) {
        if (inside(entry.getKey(), begin, end)) {
          to.put(entry.getKey(), entry.getValue());
        }
      }
    }

    private boolean inside(String key, Cursor begin, Cursor end) {
      long position = source.position(key);
      byte[] bytes = OneSegment.bytes(key);
      return !begin.covers(position, bytes) && (end == null || end.covers(position, bytes));
    }
  }

  @Test
  void aCursorCoversWhatLiesHereOrBefore() {
    byte[] a = OneSegment.bytes("a");
    byte[] b = OneSegment.bytes("b");
    assertThat(Cursor.START.covers(0, a)).isFalse();
    assertThat(Cursor.after(5).covers(5, b)).isTrue();
    assertThat(Cursor.after(5).covers(6, a)).isFalse();
    assertThat(Cursor.after(-1).covers(5, a)).as("positions are unsigned").isTrue();
    assertThat(List.of(Cursor.after(5, a).covers(5, a), Cursor.after(5, a).covers(5, b)))
        .containsExactly(true, false);
  }
}
