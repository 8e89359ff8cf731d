package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codecs;
import dev.headrace.cluster.call.QuietLaneHost;
import dev.headrace.cluster.read.ReadReply;
import dev.headrace.cluster.service.Foreground;
import dev.headrace.cluster.service.ServedReads;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.role.LeaseView;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.function.FunctionTable;
import dev.headrace.stream.store.MemoryBudget;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a node makes for an answer is what is there, not what the request claims. */
@Timeout(120)
class ServedReadsTest {
  private static final NodeId SELF = new NodeId(0, 1);
  private static final NodeId OTHER = new NodeId(0, 2);

  @Test
  void theRoomForAnAnswerIsWhatIsThereAndBounded() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      HeadraceNode node = cluster.node(0);
      Cache<String, byte[]> cache =
          node.cache(new CacheSettings<>("bytes", Codecs.string(), Codecs.bytes()));
      ServedReads reads = reads(node);
      assertThat(ask(reads, Integer.MAX_VALUE, Integer.MAX_VALUE).largestRoom).isZero();
      for (int i = 0; i < 5000; i++) {
        cache.put("key-" + i, new byte[100]);
      }
      Answer few = ask(reads, 5, Integer.MAX_VALUE);
      assertThat(few.entries()).isEqualTo(5);
      assertThat(few.largestRoom).isLessThan(2000);
      Answer all = ask(reads, Integer.MAX_VALUE, Integer.MAX_VALUE);
      assertThat(all.entries()).isEqualTo(5000);
      assertThat(all.largestRoom).isLessThan(5000 * 150);
      for (int i = 0; i < 100; i++) {
        cache.put("large-" + i, new byte[200_000]);
      }
      Answer most = ask(reads, Integer.MAX_VALUE, Integer.MAX_VALUE);
      assertThat(most.largestRoom).isEqualTo(ServedReads.MAX_ANSWER_BYTES);
      assertThat(most.entries()).isPositive();
    }
  }

  @Test
  void anEntryLargerThanTheRoomIsAnsweredInOneOfItsSize() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      HeadraceNode node = cluster.node(0);
      Cache<String, byte[]> cache =
          node.cache(new CacheSettings<>("bytes", Codecs.string(), Codecs.bytes()));
      cache.put("large", new byte[6 << 20]);
      ServedReads reads = reads(node);
      Answer large = ask(reads, 10, Integer.MAX_VALUE);
      assertThat(large.entries()).isEqualTo(1);
      assertThat(large.largestRoom).isBetween(6 << 20, (8 << 20) + 100);
      Answer refused = ask(reads, 10, 1000);
      assertThat(refused.entries()).isZero();
      assertThat(refused.entryBytes).isGreaterThan(6 << 20);
      assertThat(refused.largestRoom).isLessThanOrEqualTo(1000);
    }
  }

  @Test
  void aLearnerGetsAWholeSmallSegmentAndIsToldWhichMutationsItMayContain() {
    try (NodeCluster cluster = NodeCluster.of(1)) {
      HeadraceNode node = cluster.node(0);
      Cache<String, byte[]> cache =
          node.cache(new CacheSettings<>("bytes", Codecs.string(), Codecs.bytes()));
      for (int i = 0; i < 2000; i++) {
        cache.put("key-" + i, new byte[20]);
      }
      ServedReads reads = reads(node);
      long epoch = node.lanes().table().epoch();
      long mutations = 0;
      for (int segment = 0; segment < 256; segment++) {
        Answer answer = new Answer();
        reads.read(copied(segment, epoch), answer);
        assertThat(answer.answered)
            .singleElement()
            .matches(part -> part.status() == SegmentPart.Status.DONE);
        if (answer.entries() > 0) { // a segment that was never written may have no history yet
          assertThat(answer.sequence).isEqualTo(answer.entries());
          mutations += answer.sequence;
        }
      }
      assertThat(mutations).isEqualTo(2000);
      Answer older = new Answer();
      reads.read(copied(0, -1), older);
      assertThat(older.sequence).as("of owners from before").isEqualTo(Batch.NO_SEQUENCE);
    }
  }

  private static ReadRequest copied(int segment, long epoch) {
    return new ReadRequest(
        "bytes",
        0,
        epoch,
        new int[] {segment},
        new int[] {0},
        Cursor.START,
        Integer.MAX_VALUE,
        1 << 16,
        false,
        Projection.REPLICA,
        null);
  }

  @Test
  void aReplicaThatTheNodeOwnsNoLongerIsNotRead() {
    Lanes lanes = lanes(() -> true);
    SegmentTable own = ownedBySelf(lanes);
    ServedReads reads = reads(SELF, lanes);
    assertThat(statusOfFirst(reads, own)).isEqualTo(SegmentPart.Status.DONE);
    // The lanes know the table and have not changed their roles yet: the replica can be read.
    giveAway(lanes, own);
    assertThat(lanes.store("bytes").replica(0).state().readable()).isTrue();
    assertThat(statusOfFirst(reads, own)).isEqualTo(SegmentPart.Status.NOT_HELD);
  }

  /** A node that was excluded and is back gets its lease together with the table of the others. */
  @Test
  void whatWasReadBeforeTheOwnersChangedIsNotAnswered() {
    AtomicReference<Runnable> beforeTheLease = new AtomicReference<>(() -> {});
    Lanes lanes =
        lanes(
            () -> {
              beforeTheLease.get().run();
              return true;
            });
    SegmentTable own = ownedBySelf(lanes);
    ServedReads reads = reads(SELF, lanes);
    assertThat(statusOfFirst(reads, own)).isEqualTo(SegmentPart.Status.DONE);
    beforeTheLease.set(() -> giveAway(lanes, own));
    assertThat(statusOfFirst(reads, own)).isEqualTo(SegmentPart.Status.NOT_HELD);
  }

  /** Lanes whose roles are those of a written table. */
  private static SegmentTable ownedBySelf(Lanes lanes) {
    List<Member> members =
        List.of(
            new Member(SELF, "node", "localhost", 1, "", 1),
            new Member(OTHER, "other", "localhost", 2, "", 1));
    TableHeader header = new TableHeader(Epoch.first(1, SELF), 5, 0, 7, 1, 1, 1 << 20);
    SegmentTable unwritten = SegmentTable.of(header, members, new int[][] {{0}});
    Images.install(lanes, unwritten);
    assertThat(lanes.visit("bytes", 0, lane -> {})).as("begins the lane").isTrue();
    SegmentTable written = unwritten.written(unwritten.epoch() + 1, 9);
    Images.install(lanes, written);
    assertThat(lanes.changeRoles(Integer.MAX_VALUE)).isFalse();
    return written;
  }

  private static void giveAway(Lanes lanes, SegmentTable own) {
    TableDelta delta = own.edit(own.epoch() + 1).owners(0, List.of(OTHER)).delta();
    lanes.onTable(delta, own.apply(delta));
  }

  private static SegmentPart.Status statusOfFirst(ServedReads reads, SegmentTable known) {
    Answer answer = new Answer();
    reads.read(
        new ReadRequest(
            "bytes",
            0,
            known.epoch(),
            new int[] {0},
            new int[] {0},
            Cursor.START,
            10,
            1 << 16,
            false,
            Projection.ENTRIES,
            null),
        answer);
    assertThat(answer.answered).hasSize(1);
    return answer.answered.get(0).status();
  }

  private static Lanes lanes(LeaseView lease) {
    return new Lanes(
        LaneSettings.of(SELF, 1),
        MemoryBudget.unlimited(),
        space -> new SegmentStore(space, () -> 1, new StoreLimits(1 << 20)),
        (to, message) -> {},
        (node, request, handler) -> handler.failed(new AssertionError("nothing is copied")),
        new QuietLaneHost(),
        lease);
  }

  private static ServedReads reads(HeadraceNode node) {
    return reads(node.lanes().table().members().get(0).id(), node.lanes());
  }

  private static ServedReads reads(NodeId self, Lanes lanes) {
    ServedReads.Functions none = new ServedReads.Functions(FunctionTable.NONE, Runnable::run);
    return new ServedReads(self, lanes, () -> null, new Foreground(0), none);
  }

  private static Answer ask(ServedReads reads, int maxEntries, int maxBytes) {
    Answer answer = new Answer();
    reads.read(
        new ReadRequest(
            "bytes",
            0,
            0,
            IntStream.range(0, 256).toArray(),
            new int[256],
            Cursor.START,
            maxEntries,
            maxBytes,
            false,
            Projection.ENTRIES,
            null),
        answer);
    return answer;
  }

  private static final class Answer implements ReadReply {
    private final List<SegmentPart> answered = new ArrayList<>();
    private int largestRoom;
    private long entryBytes;
    private long sequence;

    int entries() {
      return answered.stream().mapToInt(SegmentPart::entries).sum();
    }

    @Override
    public ByteBuffer entries(int capacityBytes) {
      largestRoom = Math.max(largestRoom, capacityBytes);
      return ByteBuffer.allocateDirect(capacityBytes);
    }

    @Override
    public void answer(long epoch, List<SegmentPart> parts, long nextEntryBytes, long mutation) {
      answered.addAll(parts);
      entryBytes = nextEntryBytes;
      sequence = mutation;
    }

    @Override
    public void fail(String reason) {
      throw new AssertionError(reason);
    }
  }
}
