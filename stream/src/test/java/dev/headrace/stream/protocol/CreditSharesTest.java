package dev.headrace.stream.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How a stream divides its credit among nodes that answer differently. */
class CreditSharesTest {

  private static final int BATCH_SIZE = 1200;
  private static final int BATCH_BYTES = 60_000;
  private static final StreamOptions FIXED =
      StreamOptions.defaults(Runnable::run).withBatchSize(BATCH_SIZE).withBatchBytes(BATCH_BYTES);
  private static final StreamOptions ADAPTIVE = FIXED.withPace(StreamPace.FIXED.asAdaptive());

  private static void assertShares(long[] shares, long... expected) {
    assertThat(shares).hasSameSizeAs(expected);
    for (int i = 0; i < expected.length; i++) {
      assertThat(shares[i]).as(Arrays.toString(shares)).isCloseTo(expected[i], within(1L));
    }
    assertThat(LongStream.of(shares).sum()).isLessThanOrEqualTo(LongStream.of(expected).sum());
  }

  @Test
  void aNodeThatAnswersFasterGetsALargerShareOfTheSameTotal() {
    AskedNodes asked = new AskedNodes(2, ADAPTIVE);
    asked.answered(0, 100, 10_000, 1_000_000);
    asked.answered(1, 100, 10_000, 3_000_000);
    asked.askForWholeShares();
    assertShares(asked.heldEntries(), 900, 300);
    assertShares(asked.heldBytes(), 45_000, 15_000);
  }

  @Test
  void aNodeWithSmallerEntriesGetsMoreOfThemInAsManyBytes() {
    AskedNodes asked = new AskedNodes(2, ADAPTIVE);
    asked.answered(0, 300, 30_000, 1_000_000);
    asked.answered(1, 100, 30_000, 1_000_000);
    asked.askForWholeShares();
    assertShares(asked.heldEntries(), 900, 300);
    assertShares(asked.heldBytes(), 30_000, 30_000);
  }

  @Test
  void nodesThatAnswerAlikeHaveEqualShares() {
    AskedNodes asked = new AskedNodes(3, ADAPTIVE);
    for (int node = 0; node < 3; node++) {
      asked.answered(node, 100, 10_000, 2_000_000);
    }
    asked.askForWholeShares();
    assertShares(asked.heldEntries(), 400, 400, 400);
    assertShares(asked.heldBytes(), 20_000, 20_000, 20_000);
  }

  @Test
  void nodesWithoutHistoryHaveEqualShares() {
    AskedNodes asked = new AskedNodes(3, ADAPTIVE);
    asked.askForWholeShares();
    assertShares(asked.heldEntries(), 400, 400, 400);
    assertShares(asked.heldBytes(), 20_000, 20_000, 20_000);
  }

  @Test
  void aNodeWithoutHistoryHasAFairShareBesideOthers() {
    AskedNodes asked = new AskedNodes(4, ADAPTIVE);
    for (int node = 0; node < 3; node++) {
      asked.answered(node, 100, 10_000, 2_000_000);
    }
    asked.askForWholeShares();
    assertThat(asked.heldEntries()[3]).isBetween(BATCH_SIZE / 4L - 1, BATCH_SIZE / 4L);
    assertThat(asked.heldBytes()[3]).isBetween(BATCH_BYTES / 4L - 1, BATCH_BYTES / 4L);
    assertThat(LongStream.of(asked.heldEntries()).sum())
        .isBetween(BATCH_SIZE - 4L, (long) BATCH_SIZE);
  }

  @Test
  void withoutAdaptiveCreditAllHaveEqualShares() {
    AskedNodes asked = new AskedNodes(2, FIXED);
    asked.answered(0, 300, 10_000, 1_000_000);
    asked.answered(1, 100, 10_000, 3_000_000);
    asked.askForWholeShares();
    assertShares(asked.heldEntries(), 600, 600);
    assertShares(asked.heldBytes(), 30_000, 30_000);
  }

  @Test
  void whileAnEntryWaitsForRoomAllHaveEqualShares() {
    AskedNodes asked = new AskedNodes(2, ADAPTIVE);
    asked.answered(0, 100, 10_000, 1_000_000);
    asked.answered(1, 100, 10_000, 3_000_000);
    asked.nodes.get(1).nextEntryBytes = 20_000;
    asked.advance();
    assertShares(asked.heldEntries(), 300, 300); // A request asks for half of a share,
    assertShares(asked.heldBytes(), 15_000, 30_000); // or for all the room that an entry needs.
  }

  @Test
  void whileEntriesAreLargerThanAShareFewerNodesAreAskedAtOnce() {
    AskedNodes asked = new AskedNodes(4, FIXED);
    asked.advance();
    asked.answerNothing();
    asked.nodes.forEach(node -> node.nextEntryBytes = BATCH_BYTES / 4 + 1);
    asked.advance();
    assertThat(asked.nodes).filteredOn(node -> node.inFlight != null).hasSize(3);
    assertShares(asked.heldBytes(), 20_000, 20_000, 20_000, 0);
    asked.answerNothing();
    asked.nodes.forEach(node -> node.nextEntryBytes = 0);
    asked.advance();
    assertThat(asked.nodes).as("all, when they are small again").allMatch(n -> n.inFlight != null);
  }

  @Test
  void aNodeWithALargeEntryIsAskedBeforeThoseWithSmallOnes() {
    AskedNodes asked = new AskedNodes(4, FIXED);
    asked.advance();
    asked.answerNothing(asked.nodes.get(3));
    asked.nodes.get(3).nextEntryBytes = BATCH_BYTES / 4 + 1;
    asked.advance();
    assertThat(asked.nodes.get(3).inFlight).as("the others hold too much").isNull();
    asked.answerNothing(asked.nodes.get(0));
    asked.advance();
    assertThat(asked.nodes.get(3).inFlight).isNotNull();
    assertThat(asked.nodes.get(0).inFlight).as("fewer are asked now").isNull();
  }

  @Test
  void theSumNeverExceedsTheTotal() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int batchSize = 1 + random.nextInt(random.nextBoolean() ? 8 : 2000);
      int batchBytes = 1 + random.nextInt(random.nextBoolean() ? 8 : 200_000);
      StreamOptions options = ADAPTIVE.withBatchSize(batchSize).withBatchBytes(batchBytes);
      AskedNodes asked = new AskedNodes(1 + random.nextInt(6), options);
      for (int turn = 0; turn < 60; turn++) {
        asked.advance();
        long entries = LongStream.of(asked.heldEntries()).sum();
        long bytes = LongStream.of(asked.heldBytes()).sum();
        assertThat(entries).as("seed %d", seed).isLessThanOrEqualTo(batchSize);
        assertThat(bytes).as("seed %d", seed).isLessThanOrEqualTo(batchBytes);
        asked.answerSome(random, batchBytes);
      }
      assertThat(asked.requests).as("seed %d", seed).isPositive();
    }
  }

  /** A stream's nodes, each with segments enough, and the credit that it has given them. */
  private static final class AskedNodes implements StreamMachine.Effects, ReadPlanner.Effects {
    private static final NodeId SELF = new NodeId(1, 0); // It owns nothing.
    private static final int SEGMENTS_OF_EACH = 4;

    final List<NodeRead> nodes;
    int requests;
    private final AnswerTimes times = new AnswerTimes();
    private final CreditShares shares;
    private final ReadPlanner plan;
    private final Progress progress;
    private final ArrayDeque<Unread> unread = new ArrayDeque<>();

    private record Unread(NodeRead node, int entries, int bytes) {}

    AskedNodes(int count, StreamOptions options) {
      OwnedInTurn view = new OwnedInTurn(SEGMENTS_OF_EACH * count, count);
      progress = new Progress(view.segments());
      plan = new ReadPlanner(SELF, view, progress, this);
      for (int s = 0; s < view.segments(); s++) {
        progress.add(s, 0, Cursor.START);
        plan.assign(s, 0);
      }
      nodes = plan.nodes();
      StreamSource source = new StreamSource("quotes", 0, Projection.ENTRIES, 1);
      StreamMemory memory = new StreamMemory(1L << 30);
      shares = new CreditShares(options, source, memory.new Account(() -> {}), this);
    }

    /** A node has answered a request earlier, and what it brought was consumed. */
    void answered(int node, int entries, int bytes, long tookNanos) {
      times.answered(nodes.get(node).rate, entries, bytes, tookNanos);
    }

    void advance() {
      shares.advance(plan, progress, 0);
    }

    /** Each node answers with all that it is asked for, and nothing of it is consumed. */
    void askForWholeShares() {
      for (int half = 0; half < 2; half++) {
        advance();
        for (NodeRead node : nodes) {
          node.inFlight = null;
        }
      }
    }

    /** All nodes that were asked answer without an entry. */
    void answerNothing() {
      nodes.forEach(this::answerNothing);
    }

    void answerNothing(NodeRead node) {
      PendingRead read = node.inFlight;
      if (read != null) {
        node.inFlight = null;
        shares.credit().giveBack(node, read.request().maxEntries(), read.request().maxBytes());
      }
    }

    long[] heldEntries() {
      return nodes.stream().mapToLong(node -> node.heldEntries).toArray();
    }

    long[] heldBytes() {
      return nodes.stream().mapToLong(node -> node.heldBytes).toArray();
    }

    /**
     * Some nodes answer, at any pace, and some of what has come is consumed.
     *
     * @param mostBytes as large a next entry may be
     */
    void answerSome(Random random, int mostBytes) {
      Credit credit = shares.credit();
      for (NodeRead node : nodes) {
        PendingRead read = node.inFlight;
        if (read != null && random.nextBoolean()) {
          ReadRequest request = read.request();
          int entries = random.nextInt(request.maxEntries() + 1);
          int bytes = random.nextInt(request.maxBytes() + 1);
          node.inFlight = null;
          node.bufferedBatches++;
          node.nextEntryBytes = random.nextInt(4) == 0 ? 1 + random.nextInt(mostBytes) : 0;
          times.answered(node.rate, entries, bytes, random.nextInt(1_000_000));
          credit.giveBack(node, request.maxEntries() - entries, request.maxBytes() - bytes);
          unread.add(new Unread(node, entries, bytes));
        }
      }
      while (!unread.isEmpty() && random.nextBoolean()) {
        Unread first = unread.remove();
        credit.giveBack(first.node(), first.entries(), first.bytes());
        first.node().bufferedBatches--;
        shares.consumed(first.entries(), first.bytes());
      }
    }

    @Override
    public PendingRead send(NodeRead node, ReadRequest request) {
      requests++;
      return new PendingRead(node, request, () -> {});
    }

    @Override
    public void abandon(PendingRead read) {
      throw new AssertionError("a request was abandoned");
    }

    @Override
    public void awaitNewerThan(long epoch) {
      throw new AssertionError("the ownership is settled");
    }

    @Override
    public void memoryFreed() {
      throw new AssertionError("nobody waits for memory");
    }

    @Override
    public void wakeAt(long nanos) {
      throw new AssertionError("there is memory enough");
    }

    @Override
    public void lost(int segment, String why, @Nullable Throwable cause) {
      throw new AssertionError("segment " + segment + " " + why);
    }

    @Override
    public void pause(long epoch, long untilNanos) {
      throw new AssertionError("every segment can be read");
    }
  }

  /** Each segment has one owner, in turn. */
  private record OwnedInTurn(int segments, int nodes) implements Ownership.View {
    @Override
    public long epoch() {
      return 1;
    }

    @Override
    public int ownerCount(int segment) {
      return 1;
    }

    @Override
    public NodeId owner(int segment, int index) {
      return new NodeId(7, segment % nodes);
    }

    @Override
    public int incarnation(int segment) {
      return 0;
    }

    @Override
    public boolean written() {
      return true;
    }
  }
}
