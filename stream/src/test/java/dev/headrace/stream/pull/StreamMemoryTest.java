package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.StreamMemoryException;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.stream.protocol.StreamMachine;
import dev.headrace.stream.protocol.StreamMemory;
import dev.headrace.stream.publisher.PausableSubscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** All streams of a node share one budget of memory. */
class StreamMemoryTest {

  private static final int PAUSED = 5000;
  private static final int REQUEST_BYTES = 32 << 10;

  private final Collector<Map.Entry<String, String>> all = new Collector<>(Long.MAX_VALUE);

  @Test
  void aStreamRunsBesideThousandsThatArePaused() {
    SyntheticCluster cluster = new SyntheticCluster(1, 3, 9, 1);
    cluster.memory = new StreamMemory(96 << 20);
    for (int i = 0; i < 400; i++) {
      cluster.put("key-" + i, "x".repeat(100));
    }
    List<Collector<Map.Entry<String, String>>> paused = new ArrayList<>();
    for (int i = 0; i < PAUSED; i++) {
      Collector<Map.Entry<String, String>> one = new Collector<>(1);
      cluster.stream().entries().subscribe(one);
      paused.add(one);
    }
    cluster.settle();
    assertThat(paused).allMatch(one -> one.received.size() == 1);
    assertThat(cluster.memory.usage().streams()).isEqualTo(PAUSED);
    cluster.stream().entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster, all);
    assertThat(cluster.mostBytes).isLessThanOrEqualTo(cluster.memory.usage().budgetBytes());
    paused.forEach(one -> one.subscription.cancel());
    cluster.settle();
    assertThat(cluster.buffersOut).isZero();
    assertThat(cluster.memory.usage().usedBytes()).isZero();
  }

  @Test
  void whatPausedStreamsHaveNotHandedOverIsGivenBackAndReadAgain() {
    SyntheticCluster cluster = new SyntheticCluster(2, 3, 9, 1);
    cluster.memory = new StreamMemory(4 << 20);
    for (int i = 0; i < 20_000; i++) {
      cluster.put("key-" + i, "x".repeat(300));
    }
    List<Collector<Map.Entry<String, String>>> paused = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      Collector<Map.Entry<String, String>> some = new Collector<>(3000 + 10 * i);
      cluster.stream().entries().subscribe(some);
      cluster.settle();
      paused.add(some);
      StreamMemory.Usage usage = cluster.memory.usage();
      assertThat(cluster.bufferedBytes).isLessThanOrEqualTo(usage.usedBytes());
      assertThat(usage.usedBytes()).isLessThanOrEqualTo(usage.budgetBytes());
      cluster.advanceNanos(StreamMemory.PAUSED_NANOS);
    }
    long buffered = cluster.bufferedBytes;
    cluster.memory.reclaim();
    assertThat(cluster.bufferedBytes).isLessThan(buffered);
    for (Collector<Map.Entry<String, String>> each : paused) {
      each.subscription.request(Long.MAX_VALUE);
      cluster.settle();
      assertEverythingOnce(cluster, each);
    }
    assertThat(cluster.mostBytes).isLessThanOrEqualTo(cluster.memory.usage().budgetBytes());
    assertThat(cluster.memory.usage().usedBytes()).isZero();
  }

  @Test
  void aPausedSubscriberMayGiveBackWhatItHasNotTaken() {
    SyntheticCluster cluster = new SyntheticCluster(2, 3, 9, 1);
    for (int i = 0; i < 20_000; i++) {
      cluster.put("key-" + i, "x".repeat(300));
    }
    List<Long> credited = new ArrayList<>();
    CreditListener listener =
        new CreditListener() {
          @Override
          public void credited(int entries, long bytes) {
            credited.add(bytes);
          }

          @Override
          public int requestBytes() {
            return REQUEST_BYTES;
          }
        };
    Collector<Map.Entry<String, String>> some = new Collector<>(7_000);
    cluster.stream().batchBytes(256 << 10).listener(listener).entries().subscribe(some);
    cluster.settle();
    PausableSubscription pausable = (PausableSubscription) some.subscription;
    long ahead = cluster.bufferedBytes;
    cluster.advanceNanos(StreamMemory.PAUSED_NANOS);
    pausable.giveBackUnread();
    assertThat(ahead).isGreaterThan(2 * REQUEST_BYTES);
    assertThat(cluster.bufferedBytes).as("the answer that is open").isLessThan(REQUEST_BYTES);
    assertThat(credited.get(credited.size() - 1)).isLessThanOrEqualTo(REQUEST_BYTES);
    some.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertEverythingOnce(cluster, some);
    assertThat(cluster.sent)
        .allMatch(sent -> sent.request().maxBytes() <= REQUEST_BYTES, "asks for little at a time");
    assertThat(cluster.memory.usage().usedBytes()).isZero();
  }

  @Test
  void whoIsPausedLeavesItsShareToWhoIsNot() {
    SyntheticCluster cluster = new SyntheticCluster(8, 2, 4, 1);
    cluster.localAtOnce = false;
    cluster.memory = new StreamMemory(16 << 20);
    for (int i = 0; i < 40_000; i++) {
      cluster.put("key-" + i, "x".repeat(300));
    }
    List<Collector<Map.Entry<String, String>>> paused = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Collector<Map.Entry<String, String>> some = new Collector<>(100);
      cluster.stream().entries().subscribe(some);
      paused.add(some);
    }
    cluster.settle();
    cluster.advanceNanos(StreamMemory.PAUSED_NANOS);
    int before = cluster.sent.size();
    cluster.stream().entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster, all);
    assertThat(cluster.sent.subList(before, cluster.sent.size()))
        .anyMatch(sent -> sent.request().maxBytes() > 500_000);
    assertThat(paused).allMatch(some -> some.received.size() == 100);
  }

  @Test
  void aStreamAloneGrowsToItsOwnBudgetWithinAFewBatches() {
    SyntheticCluster cluster = new SyntheticCluster(3, 2, 4, 1);
    for (int i = 0; i < 40_000; i++) {
      cluster.put("key-" + i, "x".repeat(300));
    }
    cluster.localAtOnce = false;
    cluster.stream().entries().subscribe(all);
    cluster.settle();
    assertEverythingOnce(cluster, all);
    List<Integer> remote =
        cluster.sent.stream()
            .filter(sent -> !sent.node().equals(cluster.self()))
            .map(sent -> sent.request().maxBytes())
            .toList();
    assertThat(remote.get(0)).isEqualTo(16 << 10);
    assertThat(remote.subList(0, 5)).contains(1 << 20);
  }

  @Test
  void aStreamThatFindsNoMemoryWaitsUntilAnotherEnds() {
    SyntheticCluster cluster = new SyntheticCluster(4, 2, 4, 1);
    cluster.memory = new StreamMemory(100_000, 40_000);
    cluster.fill(5000);
    List<Collector<Map.Entry<String, String>>> paused = pausedPair(cluster);
    cluster.stream().batchBytes(40_000).entries().subscribe(all);
    cluster.advanceNanos(StreamMachine.MEMORY_PATIENCE_NANOS / 2);
    assertThat(all.received).isEmpty();
    assertThat(cluster.memory.usage().waiting()).isEqualTo(1);
    paused.get(0).subscription.cancel();
    cluster.settle();
    assertEverythingOnce(cluster, all);
    assertThat(cluster.memory.usage()).isEqualTo(new StreamMemory.Usage(100_000, 40_000, 1, 0));
  }

  @Test
  void aStreamThatFindsNoMemoryForLongIsRefused() {
    SyntheticCluster cluster = new SyntheticCluster(5, 2, 4, 1);
    cluster.memory = new StreamMemory(100_000, 40_000);
    cluster.fill(5000);
    List<Collector<Map.Entry<String, String>>> paused = pausedPair(cluster);
    cluster.stream().batchBytes(40_000).entries().subscribe(all);
    cluster.advanceNanos(2 * StreamMachine.MEMORY_PATIENCE_NANOS);
    assertThat(all.errors).hasSize(1).allMatch(StreamMemoryException.class::isInstance);
    assertThat(all.errors.get(0))
        .hasMessageContaining("80000 of 100000 bytes by 2 streams")
        .hasMessageContaining("streamMemoryBytes");
    assertThat(cluster.memory.usage().waiting()).isZero();
    assertThat(paused).noneMatch(Collector::isTerminated);
  }

  private static void assertEverythingOnce(
      SyntheticCluster cluster, Collector<Map.Entry<String, String>> all) {
    assertThat(all.errors).isEmpty();
    assertThat(all.completions).isEqualTo(1);
    Map<String, String> received = new HashMap<>();
    all.received.forEach(
        entry -> assertThat(received.put(entry.getKey(), entry.getValue())).isNull());
    assertThat(received).isEqualTo(cluster.content);
  }

  private static List<Collector<Map.Entry<String, String>>> pausedPair(SyntheticCluster cluster) {
    List<Collector<Map.Entry<String, String>>> paused = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Collector<Map.Entry<String, String>> one = new Collector<>(1);
      cluster.stream().batchBytes(40_000).entries().subscribe(one);
      cluster.settle();
      assertThat(one.received).hasSize(1);
      paused.add(one);
    }
    return paused;
  }

  @Test
  void largeEntriesTravelAloneWhenThereIsRoomForThem() {
    SyntheticCluster cluster = new SyntheticCluster(6, 2, 4, 1);
    cluster.memory = new StreamMemory(60_000, 10_000);
    for (int i = 0; i < 40; i++) {
      cluster.put("key-" + i, "x".repeat(i % 4 == 0 ? 50_000 : 5_000));
    }
    List<Collector<Map.Entry<String, String>>> both = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Collector<Map.Entry<String, String>> each = new Collector<>(Long.MAX_VALUE);
      cluster.stream().entries().subscribe(each);
      both.add(each);
    }
    cluster.settle();
    both.forEach(each -> assertEverythingOnce(cluster, each));
    assertThat(cluster.memory.usage().usedBytes()).isZero();
  }

  @Test
  void anIteratorThatPausesGoesOnWhereItWas() {
    SyntheticCluster cluster = new SyntheticCluster(7, 1, 8, 1);
    cluster.fill(3000);
    List<String> keys = new ArrayList<>();
    try (CloseableIterator<String> iterator = cluster.stream().batchSize(100).keys().iterator()) {
      while (iterator.hasNext()) {
        keys.add(iterator.next());
        if (keys.size() % 37 == 0) {
          cluster.advanceNanos(StreamMemory.PAUSED_NANOS);
          cluster.memory.reclaim();
        }
      }
    }
    assertThat(keys).doesNotHaveDuplicates().hasSameSizeAs(cluster.content.keySet());
    assertThat(cluster.buffersOut).isZero();
  }
}
