package dev.headrace.stream.pull;

import static dev.headrace.stream.pull.Completeness.assertEverythingOnce;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.plan.StreamPlan;
import dev.headrace.stream.protocol.Streams;
import dev.headrace.stream.store.ReplicaState;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a stream does when something goes wrong, one sentence each. */
class StreamFaultsTest {

  private static final long SECOND = 1_000_000_000L;
  private final Collector<Map.Entry<String, String>> all = new Collector<>(Long.MAX_VALUE);

  @Test
  void anOwnerThatCrashesInTheMiddleOfABatchIsReplacedAtItsCursor() {
    SyntheticCluster cluster = new SyntheticCluster(1, 3, 12, 2);
    cluster.fill(2000);
    cluster.stream().batchSize(64).entries().subscribe(all);
    while (all.received.size() < 700) {
      cluster.step();
    }
    cluster.crash(1);
    cluster.settle();
    assertEverythingOnce(cluster, all);
  }

  @Test
  void aSegmentThatIsNotHeldIsPlannedAloneAndAtOnce() {
    SyntheticCluster cluster = new SyntheticCluster(2, 3, 9, 2);
    cluster.fill(900);
    cluster.node(cluster.view().owner(4, 0)).store.drop(4);
    cluster.stream().entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster, all);
    assertThat(cluster.sent.stream().filter(s -> contains(s.request().segments(), 4)).count())
        .isLessThanOrEqualTo(2);
  }

  @Test
  void aSegmentThatNobodyServesYetIsReadWhenTheTableChanges() {
    SyntheticCluster cluster = new SyntheticCluster(3, 3, 6, 1);
    cluster.fill(300);
    cluster.migrate(1, 1, 2);
    cluster.nodes.get(1).store.drop(1);
    cluster.own(1, 2);
    cluster.stream().entries().subscribe(all);
    cluster.advanceNanos(5_000_000);
    assertThat(all.isTerminated()).isFalse();
    int before = cluster.sent.size();
    cluster.publish();
    cluster.advanceNanos(2_000_000);
    assertThat(cluster.sent.size()).isEqualTo(before + 1);
    assertEverythingOnce(cluster, all);
  }

  @Test
  void aBrokenConnectionIsTriedAgainLaterWithoutANewTable() {
    SyntheticCluster cluster = new SyntheticCluster(4, 2, 6, 1);
    cluster.fill(300);
    cluster.nodes.get(1).alive = false;
    cluster.stream().entries().subscribe(all);
    cluster.advanceNanos(3 * SECOND);
    assertThat(all.isTerminated()).isFalse();
    assertThat(cluster.sent.size()).as("requests in three seconds").isBetween(8, 40);
    cluster.nodes.get(1).alive = true;
    cluster.settle();
    assertEverythingOnce(cluster, all);
  }

  @Test
  void aSegmentWithoutOwnersEndsAnExactlyOnceStreamAfterAllThatWasReceived() {
    SyntheticCluster cluster = new SyntheticCluster(5, 3, 9, 1);
    cluster.fill(900);
    Collector<Map.Entry<String, String>> slow = new Collector<>(1);
    cluster.stream().batchSize(120).entries().subscribe(slow);
    cluster.advanceNanos(SECOND / 10);
    cluster.crash(2);
    cluster.removeDead();
    cluster.publish();
    int buffered = cluster.bufferedEntries;
    slow.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(slow.received).hasSizeGreaterThanOrEqualTo(buffered);
    assertThat(slow.errors).hasSize(1);
    StreamInterruptedException failure = (StreamInterruptedException) slow.errors.get(0);
    assertThat(failure.segments()).containsExactly(2, 5, 8);
    assertThat(failure).hasMessageContaining("segment 2").hasMessageContaining("AT_MOST_ONCE");
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void whatAllOwnersOfAllSegmentsHoldIsNotTakenForNothing() {
    SyntheticCluster cluster = new SyntheticCluster(5, 2, 4, 1);
    cluster.fill(100);
    for (int s = 0; s < 4; s++) {
      cluster.own(s); // they wait for nodes that may come back
    }
    cluster.publish();
    Collector<Map.Entry<String, String>> all = new Collector<>(Long.MAX_VALUE);
    cluster.stream().entries().subscribe(all);
    cluster.settle();
    assertThat(all.completions).isZero();
    assertThat(all.errors).hasSize(1).allMatch(StreamInterruptedException.class::isInstance);
  }

  @Test
  void anAtMostOnceStreamLeavesLostSegmentsOutAndSaysSo() {
    SyntheticCluster cluster = new SyntheticCluster(6, 3, 9, 1);
    cluster.fill(900);
    cluster.crash(2);
    cluster.removeDead();
    cluster.publish();
    Set<Integer> skipped = new HashSet<>();
    cluster.stream()
        .delivery(Delivery.AT_MOST_ONCE)
        .listener(
            new StreamListener() {
              @Override
              public void segmentSkipped(int segment) {
                skipped.add(segment);
              }
            })
        .entries()
        .subscribe(all);
    cluster.settle();
    assertThat(all.completions).isEqualTo(1);
    assertThat(skipped).containsExactlyInAnyOrder(2, 5, 8);
    assertThat(all.received)
        .hasSize(
            (int)
                cluster.content.keySet().stream()
                    .filter(key -> !skipped.contains(cluster.segmentOf(key)))
                    .count());
  }

  @Test
  void aSegmentThatWasLostAndBegunAnewIsNotTakenForTheOldOne() {
    SyntheticCluster cluster = new SyntheticCluster(7, 3, 9, 1);
    cluster.fill(900);
    Collector<Map.Entry<String, String>> slow = new Collector<>(1);
    cluster.stream().batchSize(9).entries().subscribe(slow);
    cluster.advanceNanos(SECOND / 10);
    cluster.raiseIncarnation(8);
    cluster.nodes.get(0).store.open(8, 1, ReplicaState.OWNER);
    cluster.own(8, 0);
    cluster.publish();
    slow.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    StreamInterruptedException failure = (StreamInterruptedException) slow.errors.get(0);
    assertThat(failure.segments()).containsExactly(8);
    assertThat(failure).hasMessageContaining("began anew");
  }

  @Test
  void aSegmentThatCannotBeReadForTooLongEndsTheStream() {
    SyntheticCluster cluster = new SyntheticCluster(8, 2, 4, 1);
    cluster.fill(100);
    cluster.nodes.get(1).alive = false;
    cluster.stream().entries().subscribe(all);
    cluster.advanceNanos(Streams.STALL_LIMIT_NANOS / 2);
    assertThat(all.isTerminated()).isFalse();
    cluster.advanceNanos(Streams.STALL_LIMIT_NANOS);
    StreamInterruptedException failure = (StreamInterruptedException) all.errors.get(0);
    assertThat(failure).hasMessageContaining("60 s").hasRootCauseMessage(connectionEnded(1));
    assertThat(failure.segments()).isSubsetOf(1, 3);
  }

  @Test
  void howLongASegmentCouldNotBeReadIsWhatTheErrorSays() {
    SyntheticCluster cluster = new SyntheticCluster(8, 2, 4, 1);
    cluster.fill(100);
    cluster.maxDelayNanos = 6 * SECOND; // as long as a connection attempt to a silent node
    cluster.nodes.get(1).alive = false;
    cluster.stream().entries().subscribe(all);
    long begunNanos = cluster.nanoTime();
    while (!all.isTerminated()) {
      cluster.step();
    }
    long waitedSeconds = (cluster.nanoTime() - begunNanos) / SECOND;
    assertThat(waitedSeconds).isBetween(60L, 75L);
    assertThat(all.errors.get(0))
        .message()
        .matches(
            text ->
                IntStream.rangeClosed(-4, 0)
                    .anyMatch(off -> text.contains(" for " + (waitedSeconds + off) + " s")));
  }

  private static String connectionEnded(int node) {
    return "the connection to " + new dev.headrace.stream.NodeId(7, node) + " ended";
  }

  @Test
  void aNodeThatLeftTheTableIsNotWaitedForAndItsCreditReturnsWithItsConnection() {
    SyntheticCluster cluster = new SyntheticCluster(9, 3, 9, 2);
    cluster.fill(900);
    cluster.nodes.get(1).silent = true;
    cluster.stream().batchSize(60).entries().subscribe(all);
    cluster.advanceNanos(SECOND / 2);
    assertThat(all.isTerminated()).isFalse();
    cluster.crash(1);
    cluster.removeDead();
    cluster.publish();
    cluster.settle();
    assertEverythingOnce(cluster, all);
    assertThat(cluster.mostEntries).isLessThanOrEqualTo(60);
  }

  @Test
  void aSlowNodeDoesNotHoldBackTheCreditOfTheOthers() {
    SyntheticCluster cluster = new SyntheticCluster(10, 3, 9, 1);
    cluster.fill(900);
    cluster.nodes.get(1).silent = true;
    cluster.stream().batchSize(90).entries().subscribe(all);
    cluster.advanceNanos(SECOND);
    long ofOthers =
        cluster.content.keySet().stream().filter(k -> cluster.segmentOf(k) % 3 != 1).count();
    assertThat(all.received).hasSize((int) ofOthers);
  }

  @Test
  void aConsumerMayStallForAnHourWhileOwnershipChanges() {
    SyntheticCluster cluster = new SyntheticCluster(11, 3, 9, 2);
    cluster.fill(900);
    Collector<Map.Entry<String, String>> slow = new Collector<>(5);
    cluster.stream().batchSize(60).entries().subscribe(slow);
    for (int minute = 0; minute < 60; minute++) {
      cluster.advanceNanos(60 * SECOND);
      int segment = minute % 9;
      int[] owners = cluster.ownersOf(segment);
      int to = 3 - owners[0] - owners[1];
      cluster.migrate(segment, owners[0], to);
      cluster.nodes.get(owners[0]).store.drop(segment);
      cluster.own(segment, to, owners[1]);
      cluster.publish();
    }
    int requestsBefore = cluster.sent.size();
    assertThat(requestsBefore).as("requests while nobody pulls").isLessThan(10);
    assertThat(cluster.bufferedEntries).isLessThanOrEqualTo(60);
    slow.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(slow.received).hasSize(900);
    assertThat(slow.completions).isEqualTo(1);
  }

  @Test
  void theTableMayGrowWhileAScanIsInsideIt() {
    SyntheticCluster cluster = new SyntheticCluster(12, 1, 1, 1);
    cluster.fill(50);
    Collector<Map.Entry<String, String>> slow = new Collector<>(1);
    cluster.stream().batchSize(2).entries().subscribe(slow);
    int added = 0;
    while (!slow.isTerminated()) {
      for (int i = 0; i < 40; i++) {
        cluster.put("more-" + added++, "x");
      }
      slow.subscription.request(5);
      cluster.settle();
      assertThat(added).isLessThan(200_000);
      if (slow.received.size() > 5_000) {
        slow.subscription.request(Long.MAX_VALUE);
      }
    }
    Set<String> keys = new HashSet<>();
    slow.received.forEach(entry -> assertThat(keys.add(entry.getKey())).isTrue());
    for (int i = 0; i < 50; i++) {
      assertThat(keys).contains("key-" + i);
    }
  }

  @Test
  void theOwnNodesEndEndsTheStream() {
    SyntheticCluster cluster = new SyntheticCluster(21, 2, 4, 1);
    cluster.fill(10);
    StreamEnvironment open = cluster.environment();
    StreamEnvironment closed =
        new StreamEnvironment(
            cluster,
            (node, request, handler) -> handler.failed(new NodeClosedException("closed")),
            cluster,
            cluster,
            open.hashSpace(),
            open.clusterIdentity(),
            open.nodeName(),
            open.clusterMillis(),
            open.memory());
    StreamPlan.over(closed, new CacheSettings<>("quotes", Codecs.string(), Codecs.string()), 0)
        .entries()
        .subscribe(all);
    cluster.settle();
    assertThat(all.errors).hasSize(1).allMatch(NodeClosedException.class::isInstance);
  }

  private static boolean contains(int[] segments, int segment) {
    for (int s : segments) {
      if (s == segment) {
        return true;
      }
    }
    return false;
  }
}
