package dev.headrace.replication.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.RepairReport;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.RepairMessage.Compare;
import dev.headrace.replication.message.RepairMessage.Compared;
import dev.headrace.replication.message.RepairMessage.Order;
import dev.headrace.replication.message.RepairMessage.RangeRepaired;
import dev.headrace.replication.message.RepairMessage.RepairRange;
import dev.headrace.replication.message.RepairMessage.Report;
import dev.headrace.replication.message.Replicate;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.store.Replica;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Three nodes on a network that loses only what a test wants to be lost. */
class RepairsTest {
  private static final String CACHE = "c";
  private static final long MILLIS = Peers.MILLIS;

  private int unanswered;

  @Test
  void equalReplicasCostOneQuestionPerBackup() {
    Peers peers = filled(100);
    RepairReport report = repaired(peers);
    assertThat(report.entries()).isEqualTo(100);
    assertThat(report.differences()).isZero();
    assertThat(peers.count(Compare.class)).isEqualTo(2);
    assertThat(peers.count(Compared.class)).isEqualTo(2);
    assertThat(peers.count(RepairRange.class)).isZero();
  }

  @Test
  void whatABackupHasOtherwiseIsNarrowedAndReplaced() {
    Peers peers = filled(5_000);
    damage(peers, 1, "k77", (replica, position) -> replica.remove(position, bytes("k77")));
    damage(
        peers,
        2,
        "k78",
        (replica, position) ->
            replica.put(position, bytes("k78"), bytes("x"), Long.MAX_VALUE, 9, 0));
    damage(
        peers,
        2,
        "extra",
        (replica, position) -> replica.put(position, bytes("extra"), bytes("x"), 1, 1, 0));
    RepairReport report = repaired(peers);
    assertThat(report.differences()).isEqualTo(3);
    assertThat(report.repaired()).isEqualTo(3);
    assertThat(report.newer()).isEqualTo(1);
    assertThat(peers.sent)
        .filteredOn(message -> message instanceof RepairRange)
        .hasSize(3)
        .allSatisfy(
            message -> assertThat(((RepairRange) message).entries()).hasSizeLessThan(2_048));
    assertEqual(peers);
    assertThat(repaired(peers).differences()).isZero();
  }

  @Test
  void aBackupThatHasLostEverythingGetsItBackInLargePieces() {
    Peers peers = filled(5_000);
    damage(peers, 1, "", (replica, position) -> replica.clear());
    RepairReport report = repaired(peers);
    assertThat(report.repaired()).isEqualTo(5_000);
    assertThat(peers.count(RepairRange.class)).isLessThan(200);
    assertEqual(peers);
  }

  @Test
  void aBackupThatIsElsewhereInTheHistoryComparesNothing() {
    Peers peers = filled(100);
    peers.lost = message -> message instanceof Replicate;
    put(peers, "k1", "newest");
    CompletableFuture<RepairReport> order = peers.peers.get(0).order();
    peers.run(50 * MILLIS);
    assertThat(peers.sent)
        .filteredOn(message -> message instanceof Compared)
        .isNotEmpty()
        .noneMatch(message -> ((Compared) message).level());
    peers.lost = message -> false;
    peers.run(1_000 * MILLIS);
    assertThat(order).isDone();
    assertThat(order.join().complete()).isTrue();
    assertThat(order.join().differences()).isZero();
    assertThat(unanswered).isZero();
  }

  @Test
  void lostMessagesAreSentAgain() {
    Peers peers = filled(3_000);
    damage(peers, 1, "k7", (replica, position) -> replica.remove(position, bytes("k7")));
    SplittableRandom random = new SplittableRandom(1);
    peers.lost =
        message -> {
          boolean repair =
              message instanceof Compare
                  || message instanceof Compared
                  || message instanceof RepairRange
                  || message instanceof RangeRepaired
                  || message instanceof Order
                  || message instanceof Report;
          return repair && random.nextInt(3) == 0;
        };
    RepairReport report = repaired(peers);
    assertThat(report.complete()).isTrue();
    assertThat(report.differences()).isPositive();
    assertEqual(peers);
  }

  @Test
  void expiredEntriesThatNobodyHasRemovedAreNoDifference() {
    Peers peers = filled(50);
    // The primary hides it, and is about to remove it.
    put(peers, "expired", "v", peers.nowNanos() / MILLIS + 1);
    CompletableFuture<RepairReport> order = peers.peers.get(1).order();
    peers.run(500 * MILLIS);
    assertThat(order).isDone();
    assertThat(order.join().differences()).isZero();
    assertThat(order.join().entries()).isBetween(50L, 51L);
    assertEqual(peers);
  }

  @Test
  void aSegmentWhosePrimaryChangesIsComparedByTheNextOne() {
    Peers peers = filled(3_000);
    peers.lost = message -> message instanceof Compared;
    CompletableFuture<RepairReport> order = peers.peers.get(0).order();
    peers.run(30 * MILLIS);
    RepairingNode before = peers.primary(0);
    peers.rotate();
    peers.run(200 * MILLIS);
    peers.lost = message -> false;
    peers.run(1_000 * MILLIS);
    assertThat(peers.primary(0)).isNotSameAs(before);
    assertThat(order).isDone();
    assertThat(order.join().complete()).isTrue();
    assertThat(peers.peers).allMatch(peer -> peer.repairs.idle());
  }

  @Test
  void damageToThePrimaryIsSpreadAndReported() {
    Peers peers = filled(100);
    RepairingNode primary = peers.primary(0);
    primary.lanes.visit(
        CACHE, 0, lane -> lane.replica().remove(position(peers, "k7"), bytes("k7")));
    RepairReport report = repaired(peers);
    assertThat(report.repaired()).as("the primary is right by definition").isEqualTo(2);
    assertEqual(peers);
  }

  @Test
  void onlyWhatIsNamedIsCompared() {
    Peers peers = filled(100);
    CompletableFuture<RepairReport> other = peers.peers.get(0).order("another cache");
    CompletableFuture<RepairReport> ours = peers.peers.get(0).order(CACHE, "another cache");
    peers.run(500 * MILLIS);
    assertThat(other).isDone();
    assertThat(ours).isDone();
    assertThat(other.join()).isEqualTo(new RepairReport(1, 1, 0, 0, 0, 0, 0, 0));
    assertThat(ours.join().entries()).isEqualTo(100);
  }

  @Test
  void whatWasNeverWrittenIsComparedAtOnce() {
    Peers peers = new Peers(1, 3, 64, false);
    peers.run(100 * MILLIS);
    RepairReport report = repaired(peers);
    assertThat(report).isEqualTo(new RepairReport(64, 64, 0, 0, 0, 0, 0, 0));
    assertThat(peers.count(Compare.class)).isZero();
  }

  @Test
  void anOrderThatNobodyCarriesOutEndsIncomplete() {
    Peers peers = filled(100);
    peers.lost = message -> message instanceof Order;
    RepairingNode asking = peers.backup(0, 1);
    CompletableFuture<RepairReport> order = asking.order();
    peers.run(70_000 * MILLIS);
    assertThat(order).isDone();
    assertThat(order.join().complete()).isFalse();
    assertThat(order.join().compared()).isZero();
  }

  @Test
  void thereIsAlwaysRoomForAnotherOrderWhenOthersAreOver() {
    Peers peers = filled(10);
    for (int i = 0; i < 3 * Repairs.MAX_JOBS; i++) {
      assertThat(repaired(peers).entries()).isEqualTo(10);
    }
  }

  @Test
  void moreOrdersAtOnceThanThereIsRoomForAreAllCarriedOut() {
    Peers peers = filled(10);
    List<CompletableFuture<RepairReport>> orders = new ArrayList<>();
    for (int i = 0; i < 3 * Repairs.MAX_JOBS; i++) {
      orders.add(peers.peers.get(i % 3).order());
    }
    peers.run(5_000 * MILLIS);
    assertThat(orders).allMatch(CompletableFuture::isDone);
    assertThat(orders).allMatch(order -> order.join().complete());
  }

  @Test
  void whoeverWaitsIsToldWhenTheNodeIsClosed() {
    Peers peers = filled(10);
    CompletableFuture<RepairReport> order = peers.peers.get(0).order();
    peers.peers.get(0).repairs.close(new IllegalStateException("closed"));
    assertThatThrownBy(order::join).hasMessageContaining("closed");
  }

  @Test
  void theScheduleComparesEverySegmentOncePerIntervalAndWaitsWhileSegmentsMove() {
    Peers peers = new Peers(1, 3, 8, false, 4_000);
    peers.run(100 * MILLIS);
    for (int i = 0; i < 400; i++) {
      put(peers, "k" + i, "v");
    }
    peers.run(500 * MILLIS);
    peers.sent.clear();
    peers.run(4_000 * MILLIS);
    assertThat(peers.count(Compare.class)).isBetween(2L * 7, 2L * 9);
    peers.peers.forEach(peer -> peer.busy = true);
    peers.run(100 * MILLIS);
    peers.sent.clear();
    peers.run(4_000 * MILLIS);
    assertThat(peers.count(Compare.class)).isZero();
    peers.peers.forEach(peer -> peer.busy = false);
    peers.run(1_000 * MILLIS);
    assertThat(peers.count(Compare.class)).as("what was left out is done now").isGreaterThan(2 * 7);
  }

  // ---- Helpers

  private Peers filled(int entries) {
    Peers peers = new Peers(1, 3, 1, false);
    peers.run(100 * MILLIS);
    for (int i = 0; i < entries; i++) {
      put(peers, "k" + i, "value " + i + "x".repeat(i % 50));
    }
    peers.run(500 * MILLIS);
    assertThat(unanswered).isZero();
    peers.sent.clear();
    return peers;
  }

  private void put(Peers peers, String key, String value) {
    put(peers, key, value, 0);
  }

  private void put(Peers peers, String key, String value, long expiryMillis) {
    unanswered++;
    peers
        .primary(0)
        .caller
        .submit(
            Request.set(Kind.PUT, CACHE, 0, bytes(key), bytes(value), expiryMillis, false),
            4_000 * MILLIS,
            new Completion() {
              @Override
              public void done(OperationReply reply) {
                unanswered--;
              }

              @Override
              public void failed(OperationFault fault) {
                throw new AssertionError(fault.message());
              }
            });
    if (unanswered == 200) {
      peers.run(20 * MILLIS);
    }
  }

  private static RepairReport repaired(Peers peers) {
    CompletableFuture<RepairReport> order = peers.peers.get(2).order();
    for (int i = 0; i < 1_000 && !order.isDone(); i++) {
      peers.run(10 * MILLIS);
    }
    assertThat(order).as("the repair").isDone();
    return order.join();
  }

  private static void damage(
      Peers peers, int backup, String key, BiConsumer<Replica, Long> damage) {
    long position = position(peers, key);
    peers.backup(0, backup).damage(CACHE, 0, replica -> damage.accept(replica, position));
  }

  private static long position(Peers peers, String key) {
    HashSpace space = peers.primary(0).space(CACHE);
    return space.position(space.hash(bytes(key)));
  }

  private static void assertEqual(Peers peers) {
    byte[] primary = peers.primary(0).content(CACHE, 0);
    for (RepairingNode peer : peers.peers) {
      assertThat(peer.content(CACHE, 0)).isEqualTo(primary);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
