package dev.headrace.replication.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.stream.entry.EncodedEntry;
import dev.headrace.stream.entry.HashSpace;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class EncodedEntriesTest {
  private static final int KEY_BYTES = 3;

  private static byte[] written(int count, Random random) {
    int[] valueLengths = new int[count];
    long[] expiries = new long[count];
    int bytes = 0;
    for (int i = 0; i < count; i++) {
      valueLengths[i] = random.nextInt(200);
      expiries[i] = random.nextBoolean() ? 0 : 1 + random.nextInt(1_000);
      bytes += EncodedEntries.bytesOf(KEY_BYTES, valueLengths[i], expiries[i]);
    }
    EncodedEntries.Writer writer = new EncodedEntries.Writer(count, bytes);
    for (int i = 0; i < count; i++) {
      byte[] source = new byte[1 + KEY_BYTES + valueLengths[i]];
      Arrays.fill(source, (byte) i);
      writer.add(source, 1, KEY_BYTES, valueLengths[i], expiries[i]);
    }
    return writer.bytes();
  }

  @Property(tries = 200)
  void whatIsWrittenIsRead(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = EncodedEntries.MAX_ENTRIES) int count) {
    EncodedEntries read = new EncodedEntries(written(count, new Random(seed)));
    Random again = new Random(seed);
    assertThat(read.count()).isEqualTo(count);
    for (int i = 0; i < count; i++) {
      EncodedEntry entry = read.entry(i);
      assertThat(entry.keyLength()).isEqualTo(KEY_BYTES);
      assertThat(entry.valueLength()).isEqualTo(again.nextInt(200));
      assertThat(entry.expiryMillis())
          .isEqualTo(again.nextBoolean() ? 0 : 1 + again.nextInt(1_000));
      assertThat(read.key(i)).containsOnly(i);
    }
  }

  @Property(tries = 1000)
  void whatIsDamagedIsRefusedOrRead(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] bytes = written(1 + random.nextInt(10), random);
    for (int i = random.nextInt(4); i >= 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    byte[] damaged = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
    try {
      EncodedEntries read = new EncodedEntries(damaged);
      assertThat(read.keyAndValueBytes()).isLessThan(damaged.length);
      read.positions(new HashSpace(1, 7), 0);
    } catch (IllegalArgumentException refused) {
      assertThat(refused).hasMessageContaining("entries of one operation");
    }
  }

  @Test
  void tooManyAreRefused() {
    byte[] bytes = written(EncodedEntries.MAX_ENTRIES + 1, new Random(1));
    assertThatThrownBy(() -> new EncodedEntries(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("129 entries");
  }

  @Test
  void setsOfThoseThatAreLeftTellEachEntry() {
    byte[] left = EncodedEntries.noneLeft(20);
    EncodedEntries.leave(left, 0);
    EncodedEntries.leave(left, 7);
    EncodedEntries.leave(left, 19);
    for (int i = 0; i < 20; i++) {
      assertThat(EncodedEntries.isLeft(left, i)).isEqualTo(i == 0 || i == 7 || i == 19);
    }
    assertThat(EncodedEntries.isLeft(null, 3)).isFalse();
  }
}
