package dev.headrace.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class EntriesTest {

  @Test
  void theLargestContentHasNoKeyTwice() {
    Entries entries = new Entries(250_000, 10);
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < entries.count(); i++) {
      keys.add(entries.key(i));
    }
    assertThat(keys).hasSize(250_000);
  }

  @Test
  void keysAndValuesAreHexadecimalDigitsOfTheLengthsAskedFor() {
    Entries entries = new Entries(3, 100);
    assertThat(entries.key(2)).matches("[0-9a-f]{10}");
    assertThat(new String(entries.value(2), java.nio.charset.StandardCharsets.ISO_8859_1))
        .matches("[0-9a-f]{100}");
  }

  @Test
  void everySystemGetsTheSameEntries() {
    Entries one = new Entries(100, 10);
    Entries other = new Entries(100, 10);
    assertThat(one.key(99)).isEqualTo(other.key(99)).isNotEqualTo(one.key(98));
    assertThat(one.value(99)).isEqualTo(other.value(99)).isNotEqualTo(one.value(98));
  }

  @Test
  void ofMoreThanAMillionEntriesAllKeysDiffer() {
    Entries entries = new Entries(3_000_000, 10);
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < entries.count(); i++) {
      keys.add(entries.key(i));
    }
    assertThat(keys.size()).isEqualTo(entries.count());
    assertThat(entries.key(1)).matches("[0-9a-f]{10}");
  }

  @Test
  void batchesContainEachEntryOnce() {
    Entries entries = new Entries(250, 10);
    List<Integer> sizes = new ArrayList<>();
    Map<String, byte[]> all = new HashMap<>();
    entries.inBatches(
        100,
        batch -> {
          sizes.add(batch.size());
          all.putAll(batch);
        });
    assertThat(sizes).containsExactly(100, 100, 50);
    assertThat(all).hasSize(250).containsEntry(entries.key(249), entries.value(249));
  }
}
