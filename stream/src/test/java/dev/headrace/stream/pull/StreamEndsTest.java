package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.batch.SuspendedException;
import dev.headrace.stream.plan.StreamPlan;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** How a stream ends because of the node that it runs on. */
class StreamEndsTest {

  private static final long SECOND = 1_000_000_000L;

  private final Collector<Map.Entry<String, String>> all = new Collector<>(Long.MAX_VALUE);

  /** Streams whose node is suspended as soon as it is told to. */
  private static CacheStream<String, String> suspendable(
      SyntheticCluster cluster, AtomicBoolean suspended) {
    StreamEnvironment inner = cluster.environment();
    StreamEnvironment environment =
        new StreamEnvironment(
            inner.ownership(),
            (node, request, handler) -> {
              if (suspended.get()) {
                handler.failed(new SuspendedException("too few nodes are reached", List.of("two")));
              } else {
                inner.port().read(node, request, handler);
              }
            },
            inner.timer(),
            inner.executor(),
            inner.hashSpace(),
            inner.clusterIdentity(),
            inner.nodeName(),
            inner.clusterMillis(),
            inner.memory());
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
              assertThat(e.missingNodes()).containsExactly("two");
              assertThat(e.cache()).isEqualTo(SyntheticCluster.CACHE);
              assertThat(e.isRetryable()).isTrue();
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
}
