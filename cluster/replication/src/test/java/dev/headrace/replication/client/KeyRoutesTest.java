package dev.headrace.replication.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class KeyRoutesTest {
  private static final long EPOCH = 1L << 40;
  private static final int MEMBERS = 7;
  private static final NodeId STRANGER = new NodeId(9, 9);

  /** A table in which some segments have lost all their owners. */
  private static SegmentTable table(int segments, int members, Random random) {
    List<Member> all = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      all.add(new Member(new NodeId(0, i + 1), "n" + i, "localhost", 1, "", 1));
    }
    int[][] rows = new int[segments][];
    for (int segment = 0; segment < segments; segment++) {
      int primary = random.nextInt(members);
      int backup = (primary + 1 + random.nextInt(members - 1)) % members;
      rows[segment] = random.nextInt(10) == 0 ? new int[0] : new int[] {primary, backup};
    }
    return SegmentTable.of(new TableHeader(EPOCH, 1, 1, 3, segments, 2, 1 << 20), all, rows);
  }

  private static EncodedKeys keys(int count, Random random) {
    int[] ends = new int[count];
    int end = 0;
    for (int key = 0; key < count; key++) {
      end += random.nextInt(20);
      ends[key] = end;
    }
    byte[] bytes = new byte[end];
    random.nextBytes(bytes);
    return new EncodedKeys(bytes, ends);
  }

  private static HashSpace space(SegmentTable table) {
    return new HashSpace(table.segments(), table.hashSeed());
  }

  @Property(tries = 300)
  void everyKeyIsInTheGroupOfTheNodeThatReadsIt(
      @ForAll long seed,
      @ForAll @IntRange(max = 300) int count,
      @ForAll @IntRange(min = 1, max = 70) int segments,
      @ForAll boolean member) {
    Random random = new Random(seed);
    SegmentTable table = table(segments, MEMBERS, random);
    EncodedKeys keys = keys(count, random);
    NodeId self = member ? table.members().get(random.nextInt(MEMBERS)).id() : STRANGER;

    KeyRoutes routes = KeyRoutes.reading(keys, space(table), table, self);

    checkGroups(routes, keys, table, self);
  }

  @Property(tries = 300)
  void everyKeyIsInTheGroupOfThePrimaryThatWritesIt(
      @ForAll long seed,
      @ForAll @IntRange(max = 300) int count,
      @ForAll @IntRange(min = 1, max = 70) int segments) {
    Random random = new Random(seed);
    SegmentTable table = table(segments, MEMBERS, random);
    EncodedKeys keys = keys(count, random);

    KeyRoutes routes = KeyRoutes.writing(keys, space(table), table);

    checkGroups(routes, keys, table, STRANGER);
  }

  @Property(tries = 300)
  void keysOfAGroupAreReadElsewhereIfTheyHaveOtherOwners(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 300) int count,
      @ForAll @IntRange(min = 1, max = 70) int segments) {
    Random random = new Random(seed);
    SegmentTable table = table(segments, MEMBERS, random);
    EncodedKeys keys = keys(count, random);
    KeyRoutes routes = KeyRoutes.reading(keys, space(table), table, STRANGER);
    int group = random.nextInt(routes.groups());
    NodeId slow = routes.node(group);
    int from = routes.start(group) + random.nextInt(routes.end(group) - routes.start(group));

    KeyRoutes others = routes.elsewhere(keys, group, from, routes.end(group));

    Set<Integer> some = new HashSet<>();
    for (int place = from; place < routes.end(group); place++) {
      some.add(routes.order()[place]);
    }
    boolean all = true;
    for (int other = 0; other < others.groups(); other++) {
      for (int place = others.start(other); place < others.end(other); place++) {
        int key = others.order()[place];
        HashSpace space = space(table);
        List<NodeId> owners =
            new ArrayList<>(table.owners(space.segment(space.hash(keys.key(key)))));
        owners.remove(slow);
        assertThat(some.remove(key)).isTrue();
        if (owners.isEmpty()) {
          assertThat(others.node(other)).isNull();
          all = false;
        } else {
          assertThat(others.node(other)).isIn(owners);
        }
      }
    }
    assertThat(some).isEmpty();
    if (routes.hasOthers(group)) {
      assertThat(all).isTrue();
    }
  }

  private static void checkGroups(
      KeyRoutes routes, EncodedKeys keys, SegmentTable table, NodeId near) {
    boolean[] met = new boolean[keys.count()];
    List<NodeId> nodes = new ArrayList<>();
    for (int group = 0; group < routes.groups(); group++) {
      nodes.add(routes.node(group));
      int before = -1;
      assertThat(routes.end(group)).as("no group is empty").isGreaterThan(routes.start(group));
      for (int place = routes.start(group); place < routes.end(group); place++) {
        int key = routes.order()[place];
        assertThat(key).as("keys of a group keep their order").isGreaterThan(before);
        before = key;
        assertThat(met[key]).as("key %d was met before", key).isFalse();
        met[key] = true;
        assertThat(routes.node(group)).isEqualTo(expected(table, near, keys.key(key)));
      }
      assertThat(routes.segmentEpoch(group)).isEqualTo(EPOCH);
    }
    assertThat(met).doesNotContain(false);
    assertThat(nodes).doesNotHaveDuplicates();
    if (nodes.contains(near)) {
      assertThat(nodes).as("others are asked before").endsWith(near);
    }
    assertThat(routes.epoch()).isEqualTo(EPOCH);
  }

  private static NodeId expected(SegmentTable table, NodeId near, byte[] key) {
    HashSpace space = space(table);
    int segment = space.segment(space.hash(key));
    return table.isOwner(segment, near) ? near : table.primary(segment);
  }

  @Test
  void aGroupHasTheNewestEpochOfItsSegments() {
    SegmentTable before = table(64, 2, new Random(3));
    NodeId gone = before.members().get(0).id();
    NodeId left = before.members().get(1).id();
    SegmentTable table = before.withoutMembers(EPOCH + 5, Set.of(gone));
    EncodedKeys keys = keys(1000, new Random(4));

    KeyRoutes routes = KeyRoutes.writing(keys, space(table), table);

    assertThat(routes.node(0)).isEqualTo(left);
    assertThat(routes.segmentEpoch(0)).isEqualTo(EPOCH + 5);
    assertThat(routes.epoch()).isEqualTo(EPOCH + 5);
  }

  @Test
  void noObjectIsMadeForAKey() {
    SegmentTable table = table(256, MEMBERS, new Random(1));
    HashSpace space = space(table);
    NodeId self = table.members().get(2).id();
    EncodedKeys few = keys(10, new Random(2));
    EncodedKeys many = keys(100_000, new Random(2));

    long fixed = allocatedBytes(() -> KeyRoutes.reading(few, space, table, self));
    long bytes = allocatedBytes(() -> KeyRoutes.reading(many, space, table, self));

    // Two numbers of 4 bytes; the smallest object would have 16.
    assertThat((bytes - fixed) / (double) many.count()).isBetween(7.9, 9.0);
  }

  @Test
  void noObjectIsMadeForAKeyOfAMessage() {
    EncodedKeys many = keys(100_000, new Random(2));
    int[] order = new int[many.count()];
    for (int place = 0; place < order.length; place++) {
      order[place] = order.length - 1 - place;
    }

    long bytes = allocatedBytes(() -> many.select(order, 0, order.length));

    // Where each ends, and its bytes.
    assertThat(bytes - many.bytes().length).isBetween(4L * order.length, 5L * order.length);
  }

  /** What the work allocates when nothing is loaded any more. */
  private static long allocatedBytes(Runnable work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
      work.run();
      long after = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
      least = Math.min(least, after - before);
    }
    return least;
  }
}
