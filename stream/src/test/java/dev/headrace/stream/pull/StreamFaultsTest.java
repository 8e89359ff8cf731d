package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.batch.SuspendedException;
import dev.headrace.stream.store.ReplicaState;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
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
    assertEverythingOnce(cluster);
  }

  @Test
  void aSegmentThatIsNotHeldIsPlannedAloneAndAtOnce() {
    SyntheticCluster cluster = new SyntheticCluster(2, 3, 9, 2);
    cluster.fill(900);
    cluster.node(cluster.view().owner(4, 0)).store.drop(4);
    cluster.stream().entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster);
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
    assertEverythingOnce(cluster);
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
    assertEverythingOnce(cluster);
  }

  /** Streams whose node is suspended as soon as it is told to. */
  private static CacheStream<String, String> suspendable(
      SyntheticCluster cluster, AtomicBoolean suspended) {
    StreamEnvironment inner = cluster.environment();
    StreamEnvironment environment =
        new StreamEnvironment(
            inner.ownership(),
            (node, request, handler) -> {
              if (suspended.get()) {
                handler.failed(new SuspendedException("too few nodes are reached"));
              } else {
                inner.port().read(node, request, handler);
              }
            },
            inner.timer(),
            inner.executor(),
            inner.hashSpace(),
            inner.clusterIdentity(),
            inner.nodeName());
    return StreamPlan.over(
        environment,
        new CacheSettings<>(SyntheticCluster.CACHE, Codecs.string(), Codecs.string()),
        0);
  }

  @Test
  void aSuspendedNodeEndsAnExactlyOnceStreamAtOnce() {
    SyntheticCluster cluster = new SyntheticCluster(7, 3, 9, 2);
    cluster.fill(900);
    AtomicBoolean suspended = new AtomicBoolean();
    suspendable(cluster, suspended).batchSize(60).entries().subscribe(all);
    while (all.received.size() < 300) {
      cluster.step();
    }
    suspended.set(true);
    cluster.advanceNanos(SECOND / 10);
    assertThat(all.errors)
        .singleElement()
        .isInstanceOfSatisfying(
            StreamInterruptedException.class,
            e -> {
              assertThat(e).hasMessageContaining("too few nodes are reached");
              assertThat(e).hasCauseInstanceOf(SuspendedException.class);
              assertThat(e.segments()).isNotEmpty();
            });
    suspended.set(false);
    int before = all.received.size();
    Collector<Map.Entry<String, String>> rest = new Collector<>(Long.MAX_VALUE);
    suspendable(cluster, suspended)
        .resumeFrom(((StreamInterruptedException) all.errors.get(0)).resumeToken())
        .entries()
        .subscribe(rest);
    cluster.settle();
    assertThat(rest.completions).isEqualTo(1);
    assertThat(rest.received).hasSize(900 - before).doesNotContainAnyElementsOf(all.received);
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void aSuspendedNodeEndsAnAtMostOnceStreamAndEverythingLeftOutIsTold() {
    SyntheticCluster cluster = new SyntheticCluster(8, 3, 9, 2);
    cluster.fill(900);
    Set<Integer> skipped = new HashSet<>();
    suspendable(cluster, new AtomicBoolean(true))
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
    cluster.advanceNanos(SECOND / 10);
    assertThat(all.completions).isEqualTo(1);
    assertThat(all.received).isEmpty();
    assertThat(skipped).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8);
  }

  @Test
  void aStreamThatEndsWhileItWaitsForATableLeavesNothingBehind() {
    SyntheticCluster cluster = new SyntheticCluster(9, 2, 6, 1);
    cluster.fill(300);
    cluster.nodes.get(1).alive = false;
    cluster.stream().entries().subscribe(all);
    cluster.advanceNanos(SECOND);
    assertThat(cluster.waiting()).isEqualTo(1);
    all.subscription.cancel();
    cluster.settle();
    assertThat(cluster.waiting()).isZero();
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
    assertThat(failure).hasMessageContaining("begun anew");
  }

  @Test
  void aSegmentThatCannotBeReadForTooLongEndsTheStream() {
    SyntheticCluster cluster = new SyntheticCluster(8, 2, 4, 1);
    cluster.fill(100);
    cluster.nodes.get(1).alive = false;
    cluster.stream().entries().subscribe(all);
    cluster.advanceNanos(Planner.STALL_LIMIT_NANOS / 2);
    assertThat(all.isTerminated()).isFalse();
    cluster.advanceNanos(Planner.STALL_LIMIT_NANOS);
    StreamInterruptedException failure = (StreamInterruptedException) all.errors.get(0);
    assertThat(failure).hasMessageContaining("60 s").hasRootCauseMessage(connectionEnded(1));
    assertThat(failure.segments()).isSubsetOf(1, 3);
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
    assertEverythingOnce(cluster);
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

  private static boolean contains(int[] segments, int segment) {
    for (int s : segments) {
      if (s == segment) {
        return true;
      }
    }
    return false;
  }

  private void assertEverythingOnce(SyntheticCluster cluster) {
    assertThat(all.errors).isEmpty();
    assertThat(all.completions).isEqualTo(1);
    List<String> keys = all.received.stream().map(Map.Entry::getKey).toList();
    assertThat(keys).doesNotHaveDuplicates();
    assertThat(keys).containsExactlyInAnyOrderElementsOf(cluster.content.keySet());
    all.received.forEach(e -> assertThat(e.getValue()).isEqualTo(cluster.content.get(e.getKey())));
    assertThat(cluster.buffersOut).isZero();
  }
}
