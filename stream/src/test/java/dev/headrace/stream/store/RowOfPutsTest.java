package dev.headrace.stream.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.stream.entry.EncodedEntry;
import dev.headrace.stream.entry.HashSpace;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Entries that are put several in a row, in the order of their positions, out of one array. */
class RowOfPutsTest {
  private static final int ROW = 128;
  private static final HashSpace SPACE = new HashSpace(1, 7);

  private static Replica replica() {
    SegmentStore store = new SegmentStore(SPACE, () -> 0L, new StoreLimits(1 << 20));
    store.open(0, 0, ReplicaState.OWNER);
    return Objects.requireNonNull(store.replica(0));
  }

  private static long position(String key) {
    return SPACE.position(SPACE.hash(bytes(key)));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Rows of keys of which some come again, with values of some lengths, now and then large ones.
   */
  private static void check(int rows, int largeOfHundred) {
    Random random = new Random(rows);
    Replica inRows = replica();
    Replica single = replica();
    Map<String, byte[]> expected = new HashMap<>();
    long counter = 0;
    for (int row = 0; row < rows; row++) {
      List<String> keys = new ArrayList<>();
      while (keys.size() < ROW) {
        String key = "key-" + random.nextInt(rows * ROW);
        if (!keys.contains(key)) {
          keys.add(key);
        }
      }
      keys.sort((one, other) -> Long.compareUnsigned(position(one), position(other)));
      for (int i = 0; i < ROW; i++) {
        String key = keys.get(i);
        int most = random.nextInt(100) < largeOfHundred ? 8_000 : 100;
        byte[] value = new byte[random.nextInt(most)];
        random.nextBytes(value);
        byte[] source = bytes("before" + key + "behind");
        EncodedEntry entry =
            new EncodedEntry(source, 6, bytes(key).length, value, 0, value.length, 0);
        counter++;
        boolean added = inRows.put(i, position(key), entry, 3, counter);
        assertThat(added).isEqualTo(expected.put(key, value) == null);
        single.put(position(key), bytes(key), value, 3, counter, 0);
      }
    }
    assertThat(inRows.entries()).isEqualTo(expected.size());
    assertThat(inRows.bytes()).isEqualTo(single.bytes());
    expected.keySet().stream()
        .sorted(Comparator.naturalOrder())
        .forEach(
            key ->
                assertThat(inRows.value(position(key), bytes(key))).isEqualTo(expected.get(key)));
  }

  @Test
  void smallEntriesAreAllThereHoweverTheTableGrowsMeanwhile() {
    check(150, 0);
  }

  @Test
  void soAreLargeOnes() {
    check(40, 50);
  }
}
