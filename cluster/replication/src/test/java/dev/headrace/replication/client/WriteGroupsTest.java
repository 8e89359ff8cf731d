package dev.headrace.replication.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.replication.message.EncodedEntries;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class WriteGroupsTest {
  private static final int MEMBERS = 5;

  private static SegmentTable table(int segments) {
    List<Member> all = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      all.add(new Member(new NodeId(0, i + 1), "n" + i, "localhost", 1, "", 1));
    }
    int[][] rows = new int[segments][];
    for (int segment = 0; segment < segments; segment++) {
      rows[segment] =
          segment % 7 == 6 ? new int[0] : new int[] {segment % MEMBERS, (segment + 1) % MEMBERS};
    }
    return SegmentTable.of(new TableHeader(1L << 40, 1, 1, 3, segments, 2, 1 << 20), all, rows);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Property(tries = 200)
  void everyWriteIsInOneOperationOfItsSegmentAndWithinTheBounds(
      @ForAll long seed,
      @ForAll @IntRange(max = 700) int count,
      @ForAll @IntRange(min = 1, max = 60) int segments) {
    Random random = new Random(seed);
    SegmentTable table = table(segments);
    HashSpace space = new HashSpace(segments, table.hashSeed());
    EncodedWrites writes = new EncodedWrites();
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] key = text(Integer.toString(random.nextInt(2 * count)));
      keys.add(key);
      int length = random.nextInt(20) == 0 ? random.nextInt(20_000) : random.nextInt(200);
      writes.add(key, Arrays.copyOf(text("v" + i + ","), 10 + length), random.nextInt(3));
    }
    WriteGroups groups = WriteGroups.of(writes, space, table);
    int[] seen = new int[count];
    int lastNode = Integer.MIN_VALUE;
    for (int group = 0; group < groups.count(); group++) {
      Request request = groups.request(group, "c", 5, false);
      int segment = space.segment(space.hash(keys.get(groups.index(group, 0))));
      int node = table.primaryOrdinal(segment);
      assertThat(node).isGreaterThanOrEqualTo(lastNode);
      lastNode = node;
      for (int entry = 0; entry < groups.size(group); entry++) {
        seen[groups.index(group, entry)]++;
      }
      if (groups.size(group) == 1) {
        assertThat(request.kind()).isEqualTo(Kind.PUT);
        assertThat(request.key()).isEqualTo(keys.get(groups.index(group, 0)));
      } else {
        check(request, groups, group, keys, space, segment);
      }
    }
    assertThat(seen).containsOnly(count == 0 ? new int[0] : new int[] {1});
  }

  private static void check(
      Request request,
      WriteGroups groups,
      int group,
      List<byte[]> keys,
      HashSpace space,
      int segment) {
    assertThat(request.kind()).isEqualTo(Kind.PUT_ALL);
    assertThat(request.segment()).isEqualTo(segment);
    EncodedEntries entries = new EncodedEntries(Objects.requireNonNull(request.value()));
    assertThat(entries.count()).isEqualTo(groups.size(group));
    assertThat(entries.keyAndValueBytes()).isLessThanOrEqualTo(EncodedEntries.MAX_BYTES);
    entries.positions(space, segment); // checks that they belong there, in order
    for (int entry = 0; entry < entries.count(); entry++) {
      int index = groups.index(group, entry);
      assertThat(entries.key(entry)).isEqualTo(keys.get(index));
      assertThat(new String(entries.value(entry), StandardCharsets.UTF_8))
          .startsWith("v" + index + ",");
    }
  }

  @Test
  void aKeyThatComesTwiceIsWrittenByTwoOperationsInTheirOrder() {
    SegmentTable table = table(1);
    EncodedWrites writes = new EncodedWrites();
    writes.add(text("a"), text("1"), 0);
    writes.add(text("b"), text("1"), 0);
    writes.add(text("a"), text("2"), 0);
    WriteGroups groups = WriteGroups.of(writes, new HashSpace(1, table.hashSeed()), table);
    List<Integer> leaving = new ArrayList<>();
    for (int group = 0; group < groups.count(); group++) {
      for (int entry = 0; entry < groups.size(group); entry++) {
        leaving.add(groups.index(group, entry));
      }
    }
    assertThat(groups.count()).isEqualTo(2);
    assertThat(leaving.indexOf(0)).isLessThan(leaving.indexOf(2));
  }

  @Test
  void keysOfOneHashAreOrderedByTheirBytes() {
    SegmentTable table = table(2);
    HashSpace space = new HashSpace(2, (key, offset, length) -> 1L << 40);
    EncodedWrites writes = new EncodedWrites();
    for (String key : List.of("d", "a", "c", "b")) {
      writes.add(text(key), text("v"), 0);
    }
    WriteGroups groups = WriteGroups.of(writes, space, table);
    assertThat(groups.count()).isEqualTo(1);
    Request request = groups.request(0, "c", 0, true);
    assertThat(request.kind()).isEqualTo(Kind.PUT_ALL_IF_ABSENT);
    EncodedEntries entries = new EncodedEntries(Objects.requireNonNull(request.value()));
    entries.positions(space, 0);
    assertThat(entries.key(0)).isEqualTo(text("a"));
    assertThat(entries.key(3)).isEqualTo(text("d"));
  }

  @Test
  void whereNobodyKnowsTheSegmentsEachWriteIsAnOperation() {
    EncodedWrites writes = new EncodedWrites();
    writes.add(text("a"), text("1"), 7);
    writes.add(text("b"), text("2"), 0);
    WriteGroups groups = WriteGroups.alone(writes);
    assertThat(groups.count()).isEqualTo(2);
    Request first = groups.request(0, "c", 0, false);
    assertThat(first.key()).isEqualTo(text("a"));
    assertThat(first.expiryMillis()).isEqualTo(7);
  }
}
