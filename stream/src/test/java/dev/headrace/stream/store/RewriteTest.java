package dev.headrace.stream.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.entry.Projection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Growth and compaction go forward in bounded steps. */
class RewriteTest {

  private final OneSegment segment = new OneSegment();

  @ParameterizedTest
  @CsvSource({"20000, 10", "20000, 100", "3000, 4000", "400, 60000"})
  void noMutationCopiesMoreThanAStep(int entries, int valueBytes) {
    String value = "v".repeat(valueBytes);
    long before = 0;
    int rewritesSeen = 0;
    long largestEntry = valueBytes + 40L;
    for (int i = 0; i < entries; i++) {
      segment.put("key" + i, value);
      Segment content = segment.replica.content();
      long moved = content.movedBytes() - before;
      before = content.movedBytes();
      long step = Math.max(Rewrite.STEP_BYTES, 8 * largestEntry);
      assertThat(moved).isLessThanOrEqualTo(Math.min(step, Rewrite.MAX_STEP_BYTES) + largestEntry);
      rewritesSeen += content.rewriting() ? 1 : 0;
    }
    assertThat(rewritesSeen).as("mutations during rewrites").isPositive();
    assertThat(before).as("bytes copied by all rewrites").isGreaterThan(segment.store.bytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100, 5_000, 60_000})
  void aRewriteIsOverBeforeTheOldTableIsFull(int valueBytes) {
    String value = "v".repeat(valueBytes);
    for (int i = 0; i < Math.min(30_000, 40_000_000 / (valueBytes + 20)); i++) {
      segment.put("key" + i, value);
      Generation current = segment.replica.content().current;
      assertThat(current.used()).isLessThan(current.capacity);
    }
  }

  @Test
  void largeEntriesAreHandedOnAndNotCopied() {
    String value = "v".repeat(Pages.SHARED_ENTRY_BYTES);
    for (int i = 0; i < 100; i++) {
      segment.put("key" + i, value);
    }
    assertThat(segment.replica.content().movedBytes()).isZero();
    assertThat(segment.get("key7")).isEqualTo(value);
  }

  @Test
  void replacingALargeEntryFreesItsPageAtOnce() {
    for (int i = 0; i < 1000; i++) {
      segment.put("key", "v".repeat(Pages.SHARED_ENTRY_BYTES + i));
    }
    assertThat(segment.replica.heapBytes()).isLessThan(2L * Pages.SHARED_ENTRY_BYTES);
    assertThat(segment.get("key")).hasSize(Pages.SHARED_ENTRY_BYTES + 999);
  }

  @Test
  void overwritingTheSameKeysForEverKeepsTheHeapBounded() {
    for (int round = 0; round < 40; round++) {
      for (int i = 0; i < 2000; i++) {
        segment.put("key" + i, "value of a hundred bytes or so, round " + round);
      }
    }
    long live = segment.store.bytes();
    assertThat(segment.replica.heapBytes()).isLessThan(live * 5 / 2);
  }

  @Test
  void anUpdateOfTheSameLengthLeavesNoDeadBytes() {
    for (int i = 0; i < 2000; i++) {
      segment.put("key" + i, "old" + i);
    }
    segment.replica.compact();
    long heapBytes = segment.replica.heapBytes();
    for (int i = 0; i < 2000; i++) {
      byte[] key = OneSegment.bytes("key" + i);
      byte[] value = OneSegment.bytes("new" + i);
      segment.replica.put(segment.position("key" + i), key, value, 3, i + 1, 0);
    }
    assertThat(segment.replica.heapBytes()).isEqualTo(heapBytes);
    assertThat(segment.replica.content().current.deadBytes()).isZero();
    for (int i = 0; i < 2000; i++) {
      assertThat(segment.get("key" + i)).isEqualTo("new" + i);
      assertThat(segment.find("key" + i).counter()).isEqualTo(i + 1);
    }
  }

  @Test
  void removingMostEntriesShrinksTheTable() {
    for (int i = 0; i < 50_000; i++) {
      segment.put("key" + i, "v");
    }
    for (int i = 10; i < 50_000; i++) {
      segment.remove("key" + i);
    }
    segment.replica.compact();
    assertThat(segment.replica.heapBytes()).isLessThan(4096);
    assertThat(segment.scanKeys(100, Projection.ENTRIES)).hasSize(10);
  }

  @Test
  void aScanIsInsideWhileTheTableGrowsManyTimes() {
    for (int i = 0; i < 500; i++) {
      segment.put("early" + i, "v".repeat(300));
    }
    Set<String> seen = new HashSet<>();
    Cursor cursor = Cursor.START;
    ReadStatus status = ReadStatus.MORE;
    for (int batch = 0; status == ReadStatus.MORE; batch++) {
      status = segment.read(cursor, 5, 1 << 20, Projection.ENTRIES);
      cursor = segment.reader.next();
      segment.seen().forEach(entry -> assertThat(seen.add(entry.key())).isTrue());
      for (int i = 0; i < 100 && batch < 150; i++) {
        segment.put("late" + batch + "." + i, "v".repeat(300));
      }
    }
    for (int i = 0; i < 500; i++) {
      assertThat(seen).contains("early" + i);
    }
    assertThat(segment.store.entries()).isGreaterThan(10_000);
  }

  @Test
  void maintenancePutsEverythingInHashOrderInBoundedSteps() {
    for (int i = 0; i < 20_000; i++) {
      segment.put("key" + i, "v".repeat(60));
    }
    segment.replica.compact();
    for (int i = 0; i < 20_000; i += 3) {
      segment.put("key" + i, "w".repeat(61));
    }
    Segment content = segment.replica.content();
    long before = content.movedBytes();
    int steps = 0;
    while (segment.replica.maintain()) {
      long moved = content.movedBytes() - before;
      before = content.movedBytes();
      assertThat(moved).isLessThanOrEqualTo(Rewrite.STEP_BYTES + 200);
      steps++;
    }
    assertThat(steps).isGreaterThan(10);
    assertThat(segment.replica.maintain()).isFalse();
    assertThat(content.current.deadBytes()).isZero();
    assertThat(segment.scanKeys(1000, Projection.ENTRIES)).hasSize(20_000);
  }

  @Test
  void readersDoNotSeeWhatAStepCopiesBeforeItIsPublished() {
    HashSpace space = new HashSpace(1, 42);
    Generation older = new Generation(space, 32_000, 0);
    for (int i = 0; i < 20_000; i++) {
      insert(older, space, OneSegment.bytes("key" + i));
    }
    Generation newer = new Generation(space, 32_000, 0);
    Rewrite rewrite = new Rewrite(older, newer);
    long boundary = 0;
    int steps = 0;
    for (; boundary != Generation.END_TAG; steps++) {
      rewrite.copyStep(boundary);
      for (int index = 0; index < newer.tail; index++) {
        long slot = newer.slots[index];
        assertThat(slot == 0 || Generation.tagOf(slot) < boundary).as("step %d", steps).isTrue();
      }
      boundary = rewrite.publish();
      int last = newer.tail - 1;
      newer.remove(last, newer.entryBytes((int) newer.slots[last]));
    }
    assertThat(steps).isGreaterThan(30);
  }

  /** A page that is out of reach stands for an allocation that fails. */
  @Test
  void aStepThatFailsWithinARunOfEqualTagsIsContinuedAndCopiesNothingTwice() {
    OneSegment crafted = new OneSegment((key, offset, length) -> 0x1234_5678_9ABC_DEF0L);
    List<String> keys = IntStream.range(10, 30).mapToObj(i -> "key" + i).toList();
    for (String key : keys) {
      crafted.put(key, key.equals("key17") ? "v".repeat(Pages.SHARED_ENTRY_BYTES) : "v");
    }
    Generation older = crafted.replica.content().current;
    long hash = crafted.position("key17");
    int page = older.find(hash, OneSegment.bytes("key17"), 0, 5) >>> Pages.OFFSET_BITS;
    byte[] content = older.pages.pages[page];
    older.pages.pages[page] = null;
    assertThatThrownBy(crafted.replica::compact).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(crafted.replica::maintain).isInstanceOf(IndexOutOfBoundsException.class);
    older.pages.pages[page] = content;

    assertThat(crafted.scanKeys(7, Projection.KEYS)).as("in between").isEqualTo(keys);
    assertThat(crafted.replica.maintain()).as("it is under way").isFalse();
    assertThat(crafted.scanKeys(7, Projection.KEYS)).as("at its end").isEqualTo(keys);
    assertThat(crafted.replica.content().current.used()).isEqualTo(keys.size());
    for (String key : keys) {
      assertThat(crafted.remove(key)).isTrue();
      assertThat(crafted.get(key)).isNull();
    }
  }

  private static void insert(Generation generation, HashSpace space, byte[] key) {
    long position = space.position(space.hash(key));
    int entryBytes = (int) EntryLayout.entryBytes(key.length, 1, 1, 1, 0);
    int ref = generation.pages.reserve(entryBytes);
    EntryLayout.write(generation.pages.page(ref), Pages.offset(ref), key, new byte[1], 1, 1, 0);
    int index = ~generation.search(position, key);
    generation.insert(index, Generation.slot(position, ref), entryBytes);
  }

  @Test
  void keysCraftedToShareAHashAreStoredAndFoundAndStreamed() {
    OneSegment crafted = new OneSegment((key, offset, length) -> 0x1234_5678_9ABC_DEF0L);
    for (int i = 0; i < 3000; i++) {
      crafted.put("key" + i, "value" + i);
    }
    for (int i = 0; i < 3000; i += 3) {
      assertThat(crafted.remove("key" + i)).isTrue();
    }
    for (int i = 0; i < 3000; i++) {
      assertThat(crafted.get("key" + i)).isEqualTo(i % 3 == 0 ? null : "value" + i);
    }
    assertThat(crafted.scanKeys(1, Projection.ENTRIES)).hasSize(2000).doesNotHaveDuplicates();
    assertThat(crafted.scanKeys(130, Projection.KEYS)).hasSize(2000).isSorted();
  }
}
