package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.store.MemoryBudget;
import dev.headrace.stream.store.ReplicaState;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What an owner tells of many keys, and what it leaves to a GET for each. */
class BulkReadsTest {
  private static final int SEGMENTS = 8;
  private static final int FORMAT = 5;
  private static final NodeId SELF = Tables.node(0);
  private static final NodeId OTHER = Tables.node(1);
  private static final NodeId CALLER = Tables.node(2);

  private final List<Message> sent = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private boolean lease = true;

  /** A table that comes with the lease; null if there is none. */
  private @Nullable SegmentTable newer;

  /** Every other segment is this node's. */
  private SegmentTable table = Tables.written(Tables.unwritten(2, 1, SEGMENTS, 1));

  private final Lanes lanes =
      new Lanes(
          LaneSettings.of(SELF, 1),
          MemoryBudget.unlimited(),
          space -> new SegmentStore(space, () -> 1, new StoreLimits(1 << 20)),
          (to, message) -> sent.add(message),
          CalmHost.NO_READS,
          new CalmHost() {
            @Override
            public void outdated(NodeId node, long itsEpoch) {
              told.add(node + " is outdated");
            }
          },
          this::hasLease);

  /** A node that was excluded and is back gets its lease together with a table. */
  private boolean hasLease() {
    if (newer != null) {
      lanes.tableChanged(newer, null);
    }
    return lease;
  }

  private void install(SegmentTable newer) {
    table = newer;
    lanes.tableChanged(newer, null);
    lanes.changeRoles(Integer.MAX_VALUE);
  }

  private HashSpace space() {
    return new HashSpace(table.segments(), table.hashSeed());
  }

  /** The n-th key of a segment. */
  private byte[] key(int segment, int number) {
    HashSpace space = space();
    int left = number;
    for (int i = 0; ; i++) {
      byte[] key = ("key-" + i).getBytes(StandardCharsets.US_ASCII);
      if (space.segment(space.hash(key)) == segment && left-- == 0) {
        return key;
      }
    }
  }

  private void store(byte[] key, int valueBytes) {
    HashSpace space = space();
    long hash = space.hash(key);
    byte[] value = new byte[valueBytes];
    Arrays.fill(value, (byte) valueBytes);
    lanes.store("c").replica(space.segment(hash)).put(space.position(hash), key, value, 1, 1, 0);
  }

  private static EncodedKeys encoded(byte[]... keys) {
    int[] ends = new int[keys.length];
    int end = 0;
    for (int i = 0; i < keys.length; i++) {
      end += keys[i].length;
      ends[i] = end;
    }
    byte[] bytes = new byte[end];
    for (int i = 0; i < keys.length; i++) {
      System.arraycopy(keys[i], 0, bytes, ends[i] - keys[i].length, keys[i].length);
    }
    return new EncodedKeys(bytes, ends);
  }

  private BulkReadReply read(SegmentTable known, byte[]... keys) {
    return read(new BulkRead(3, "c", FORMAT, known.epoch(), known.epoch(), encoded(keys)));
  }

  private BulkReadReply read(BulkRead read) {
    sent.clear();
    lanes.receive(CALLER, read);
    assertThat(sent).hasSize(1);
    BulkReadReply reply = (BulkReadReply) sent.get(0);
    assertThat(reply.number()).isEqualTo(3);
    return reply;
  }

  @Test
  void valuesLieInTheOrderOfTheirKeys() {
    install(table);
    store(key(0, 0), 3);
    store(key(2, 0), 0);
    store(key(4, 0), 5);

    BulkReadReply reply = read(table, key(4, 0), key(0, 1), key(2, 0), key(0, 0), key(4, 0));

    assertThat(reply.lengths()).containsExactly(5, BulkReadReply.ABSENT, 0, 3, 5);
    assertThat(reply.values()).containsExactly(5, 5, 5, 5, 5, 3, 3, 3, 5, 5, 5, 5, 5);
    assertThat(reply.epoch()).isEqualTo(table.epoch());
  }

  @Test
  void ofACacheThatNobodyHasWrittenEverythingIsAbsent() {
    install(table);
    assertThat(read(table, key(0, 0), key(2, 0)).lengths())
        .containsExactly(BulkReadReply.ABSENT, BulkReadReply.ABSENT);
  }

  @Test
  void keysOfOthersAreAskedForAlone() {
    install(table);
    store(key(0, 0), 3);
    assertThat(read(table, key(1, 0), key(0, 0)).lengths()).containsExactly(BulkReadReply.ALONE, 3);
    assertThat(told).isEmpty();
  }

  @Test
  void beforeTheFirstTableNothingIsTold() {
    assertThat(read(table, key(0, 0)).lengths()).containsExactly(BulkReadReply.ALONE);
  }

  @Test
  void aCallerWithAnOlderTableLearnsOnlyWhatHasNotChanged() {
    SegmentTable before = table;
    install(table);
    store(key(0, 0), 3);
    store(key(2, 0), 4);
    install(before.apply(before.edit(Tables.next(before)).owners(2, List.of(SELF, OTHER)).delta()));

    assertThat(read(before, key(0, 0), key(2, 0)).lengths())
        .containsExactly(3, BulkReadReply.ALONE);
    assertThat(told).containsExactly(CALLER + " is outdated");
  }

  @Test
  void aCallerWithANewerTableOfTheKeysIsNotAnswered() {
    install(table);
    store(key(0, 0), 3);
    long newer = Tables.next(table);
    EncodedKeys keys = encoded(key(0, 0));
    assertThat(read(new BulkRead(3, "c", FORMAT, newer, newer, keys)).lengths())
        .containsExactly(BulkReadReply.ALONE);
    assertThat(read(new BulkRead(3, "c", FORMAT, table.epoch(), newer, keys)).lengths())
        .as("its newer table is about other segments")
        .containsExactly(3);
  }

  @Test
  void withoutALeaseAfterTheReadNothingIsTold() {
    install(table);
    store(key(0, 0), 3);
    lease = false;
    BulkReadReply reply = read(table, key(0, 0), key(2, 0));
    assertThat(reply.lengths()).containsExactly(BulkReadReply.ALONE, BulkReadReply.ALONE);
    assertThat(reply.values()).isEmpty();
  }

  @Test
  void aLeaseThatComesWithATableOfOtherOwnersIsNoneForWhatWasReadBefore() {
    install(table);
    store(key(0, 0), 3);
    store(key(2, 0), 4);
    SegmentTable before = table;
    newer = Tables.without(table, SELF);
    BulkReadReply reply = read(before, key(0, 0), key(2, 0));
    assertThat(reply.lengths()).containsExactly(BulkReadReply.ALONE, BulkReadReply.ALONE);
    assertThat(reply.values()).isEmpty();
  }

  @Test
  void aGetIsNotAnsweredByATableThatHasBeenReplacedMeanwhile() {
    install(table);
    store(key(0, 0), 3);
    assertThat(lanes.readHere("c", FORMAT, key(0, 0), true)).isNotNull();
    newer = Tables.without(table, SELF);
    assertThat(lanes.readHere("c", FORMAT, key(0, 0), true)).isNull();
  }

  @Test
  void aReplicaThatIsBeingCopiedIsNotRead() {
    install(table);
    store(key(0, 0), 3);
    store(key(2, 0), 4);
    lanes.store("c").replica(0).become(ReplicaState.COPYING);
    assertThat(read(table, key(0, 0), key(2, 0)).lengths()).containsExactly(BulkReadReply.ALONE, 4);
  }

  @Test
  void anotherFormatIsToldByAGet() {
    install(table);
    store(key(0, 0), 3);
    lanes.visit("c", 0, visit -> visit.learn(FORMAT));
    EncodedKeys keys = encoded(key(0, 0));
    assertThat(read(new BulkRead(3, "c", FORMAT + 1, 1, table.epoch(), keys)).lengths())
        .containsExactly(BulkReadReply.ALONE);
    assertThat(read(new BulkRead(3, "c", FORMAT, 1, table.epoch(), keys)).lengths())
        .containsExactly(3);
  }

  @Test
  void anAnswerEndsWhereItIsFull() {
    install(table);
    byte[][] keys = IntStream.range(0, 10).mapToObj(i -> key(0, i)).toArray(byte[][]::new);
    int valueBytes = BulkReadReply.MAX_VALUE_BYTES / 4 - 10;
    for (byte[] key : keys) {
      store(key, valueBytes);
    }
    BulkReadReply reply = read(table, keys);
    assertThat(reply.lengths()).containsExactly(valueBytes, valueBytes, valueBytes, valueBytes);
    assertThat(reply.values()).hasSize(4 * valueBytes);
  }

  @Test
  void aValueThatFillsAnAnswerIsToldAndALargerOneIsNot() {
    install(table);
    store(key(0, 0), BulkReadReply.MAX_VALUE_BYTES + 1);
    store(key(0, 1), BulkReadReply.MAX_VALUE_BYTES);
    store(key(0, 2), 1);
    assertThat(read(table, key(0, 0), key(0, 1), key(0, 2)).lengths())
        .containsExactly(BulkReadReply.ALONE, BulkReadReply.MAX_VALUE_BYTES);
  }
}
