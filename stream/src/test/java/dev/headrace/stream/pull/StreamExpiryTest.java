package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.api.stream.StreamSignal;
import dev.headrace.stream.store.ReplicaState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What expires while it waits in a consumer's buffer is not handed over any more. */
class StreamExpiryTest {

  private final SyntheticCluster cluster = new SyntheticCluster(1, 2, 8, 1);

  private void fillExpiring() {
    for (int i = 0; i < 300; i++) {
      cluster.put("key-" + i, "value", i % 3 == 0 ? cluster.clusterMillis + 4000 : 0);
    }
  }

  private static boolean expires(String key) {
    return Integer.parseInt(key.substring(4)) % 3 == 0;
  }

  @Test
  void aSubscriberThatPausesGetsNothingThatHasExpiredMeanwhile() {
    fillExpiring();
    Collector<Map.Entry<String, String>> slow = new Collector<>(1);
    cluster.stream().entries().subscribe(slow);
    cluster.settle();
    cluster.clusterMillis += 4000;
    slow.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(slow.completions).isEqualTo(1);
    Set<String> lasting = new HashSet<>();
    slow.received.stream().skip(1).forEach(entry -> lasting.add(entry.getKey()));
    assertThat(lasting).noneMatch(StreamExpiryTest::expires).hasSizeBetween(199, 200);
    assertThat(cluster.buffersOut).isZero();
  }

  @Test
  void aKeyThatWasPutAnewBeforeItExpiredArrivesWithItsNewValue() {
    fillExpiring();
    List<String> order = new ArrayList<>();
    StreamListener completions =
        new StreamListener() {
          @Override
          public void segmentCompleted(int segment) {
            order.add("end of " + segment);
          }
        };
    Collector<Map.Entry<String, String>> entries =
        new Collector<>(1) {
          @Override
          public void onNext(Map.Entry<String, String> next) {
            super.onNext(next);
            order.add("entry of " + cluster.segmentOf(next.getKey()));
          }
        };
    Collector<String> values = new Collector<>(1);
    Collector<String> keys = new Collector<>(1);
    CacheStream<String, String> stream = cluster.stream().batchSize(200).batchBytes(1500);
    stream.listener(completions).entries().subscribe(entries);
    stream.values().subscribe(values);
    stream.keys().subscribe(keys);
    cluster.settle();
    for (int i = 0; i < 300; i += 6) {
      cluster.put("key-" + i, "renewed");
    }
    cluster.clusterMillis += 4000;
    for (Collector<?> each : List.of(entries, values, keys)) {
      each.subscription.request(Long.MAX_VALUE);
      cluster.settle();
      assertThat(each.errors).isEmpty();
      assertThat(each.completions).isEqualTo(1);
      assertThat(each.received).hasSizeBetween(250, 251);
    }
    assertThat(keys.received).doesNotHaveDuplicates();
    assertThat(values.received).filteredOn("renewed"::equals).hasSizeBetween(49, 50);
    for (int s = 0; s < 8; s++) {
      assertThat(order).containsOnlyOnce("end of " + s);
      assertThat(order.lastIndexOf("entry of " + s)).isLessThan(order.indexOf("end of " + s));
    }
    assertThat(cluster.buffersOut).isZero();
    assertThat(cluster.memory.usage().usedBytes()).isZero();
  }

  @Test
  void whatCannotBeReadAgainIsReadWhenTheStreamIsResumed() {
    fillExpiring();
    List<Integer> completed = new ArrayList<>();
    StreamListener completions =
        new StreamListener() {
          @Override
          public void segmentCompleted(int segment) {
            completed.add(segment);
          }
        };
    CacheStream<String, String> stream = cluster.stream().listener(completions);
    Collector<String> first = new Collector<>(1);
    stream.keys().subscribe(first);
    cluster.settle();
    for (int i = 0; i < 300; i += 6) {
      cluster.put("key-" + i, "renewed");
    }
    cluster.clusterMillis += 4000;
    List<Integer> away = awayWithItsSegments(1);
    List<String> arrived = new ArrayList<>(toTheInterruption(first));
    assertThat(arrived).isNotEmpty();

    String token = tokenOf(first);
    Collector<String> vain = new Collector<>(Long.MAX_VALUE);
    stream.resumeFrom(token).keys().subscribe(vain);
    arrived.addAll(toTheInterruption(vain));

    backWithItsSegments(1, away);
    Collector<String> rest = new Collector<>(Long.MAX_VALUE);
    stream.resumeFrom(tokenOf(vain)).keys().subscribe(rest);
    cluster.settle();
    assertThat(rest.errors).isEmpty();
    assertThat(rest.completions).isEqualTo(1);
    assertThat(rest.received).isNotEmpty();
    arrived.addAll(rest.received);
    assertThat(arrived).doesNotHaveDuplicates().hasSizeBetween(250, 251);
    assertThat(arrived).filteredOn(StreamExpiryTest::expires).hasSizeBetween(50, 51);
    assertThat(completed).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(cluster.buffersOut).isZero();
    assertThat(cluster.memory.usage().usedBytes()).isZero();
  }

  /** One answer of node 1 has the ends of several segments, and one has to be asked for again. */
  @Test
  void signalsOfWhatIsCompleteComeBeforeTheErrorOfALookUp() {
    List<Integer> segments = new ArrayList<>();
    for (int s = 0; s < 8; s++) {
      if (cluster.ownersOf(s)[0] == 1) {
        segments.add(s);
      }
    }
    assertThat(segments).hasSizeGreaterThan(1);
    List<String> expiring = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      String key = "key-" + i;
      if (segments.contains(cluster.segmentOf(key))) {
        boolean expires = cluster.segmentOf(key) == segments.get(0);
        cluster.put(key, "value", expires ? cluster.clusterMillis + 4000 : 0);
        if (expires) {
          expiring.add(key);
        }
      }
    }
    Collector<StreamSignal<String>> slow = new Collector<>(1);
    cluster.stream().keys().signals().subscribe(slow);
    cluster.settle();
    expiring.forEach(key -> cluster.put(key, "renewed"));
    cluster.clusterMillis += 4000;
    var unused = awayWithItsSegments(1);
    slow.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(slow.errors).hasSize(1).allMatch(StreamInterruptedException.class::isInstance);
    assertThat(slow.received)
        .filteredOn(StreamSignal.SegmentCompleted.class::isInstance)
        .extracting(signal -> ((StreamSignal.SegmentCompleted<String>) signal).segment())
        .containsAll(segments.subList(1, segments.size()))
        .doesNotContain(segments.get(0));
  }

  @Test
  void unreadKeysAreReadOnlyIfTheyAreChosen() {
    String token = interruptedToken();
    Collector<String> some = new Collector<>(Long.MAX_VALUE);
    cluster.stream().resumeFrom(token).keys(Set.of("key-0", "key-12")).keys().subscribe(some);
    cluster.settle();
    assertThat(some.errors).isEmpty();
    assertThat(Set.of("key-0", "key-12")).containsAll(some.received);
  }

  @Test
  void unreadKeysOfALostSegmentAreSkippedAloudIfGapsAreAllowed() {
    String token = interruptedToken();
    for (int s = 0; s < 8; s++) {
      beginAnew(s);
    }
    cluster.publish();
    Set<Integer> skipped = new HashSet<>();
    StreamListener listener =
        new StreamListener() {
          @Override
          public void segmentSkipped(int segment) {
            assertThat(skipped.add(segment)).isTrue();
          }

          @Override
          public void segmentCompleted(int segment) {
            throw new AssertionError(segment + " was lost");
          }
        };
    Collector<String> rest = new Collector<>(Long.MAX_VALUE);
    cluster.stream()
        .delivery(Delivery.AT_MOST_ONCE)
        .listener(listener)
        .resumeFrom(token)
        .keys()
        .subscribe(rest);
    cluster.settle();
    assertThat(rest.errors).isEmpty();
    assertThat(rest.completions).isEqualTo(1);
    assertThat(rest.received).isEmpty();
    assertThat(skipped).isNotEmpty();
  }

  /** The token of a stream that could not look up what had expired; all is in reach again. */
  private String interruptedToken() {
    fillExpiring();
    Collector<String> first = new Collector<>(1);
    cluster.stream().keys().subscribe(first);
    cluster.settle();
    for (int i = 0; i < 300; i += 6) {
      cluster.put("key-" + i, "renewed");
    }
    cluster.clusterMillis += 4000;
    List<Integer> away = awayWithItsSegments(1);
    toTheInterruption(first);
    backWithItsSegments(1, away);
    return tokenOf(first);
  }

  /** A segment was lost, and begun anew without an entry. */
  private void beginAnew(int segment) {
    cluster.raiseIncarnation(segment);
    int owner = cluster.ownersOf(segment)[0];
    cluster.nodes.get(owner).store.drop(segment);
    cluster
        .nodes
        .get(owner)
        .store
        .open(segment, cluster.incarnationOf(segment), ReplicaState.OWNER);
  }

  @Test
  void whatIsLostBeforeItIsReadAgainEndsTheStreamAsALoss() {
    fillExpiring();
    Collector<String> slow = new Collector<>(1);
    cluster.stream().keys().subscribe(slow);
    cluster.settle();
    for (int i = 0; i < 300; i += 6) {
      cluster.put("key-" + i, "renewed");
    }
    cluster.clusterMillis += 4000;
    for (int s = 0; s < 8; s++) {
      beginAnew(s);
    }
    cluster.publish();
    toTheInterruption(slow);
    Collector<String> again = new Collector<>(Long.MAX_VALUE);
    cluster.stream().resumeFrom(tokenOf(slow)).keys().subscribe(again);
    cluster.settle();
    assertThat(again.errors).hasSize(1).allMatch(ResumeTokenException.class::isInstance);
    assertThat(cluster.buffersOut).isZero();
  }

  /** A node is out of reach; returns the segments that only it has. */
  private List<Integer> awayWithItsSegments(int node) {
    List<Integer> away = new ArrayList<>();
    for (int s = 0; s < 8; s++) {
      if (cluster.ownersOf(s)[0] == node) {
        away.add(s);
        cluster.own(s);
      }
    }
    cluster.nodes.get(node).alive = false;
    cluster.publish();
    return away;
  }

  private void backWithItsSegments(int node, List<Integer> segments) {
    cluster.nodes.get(node).alive = true;
    segments.forEach(segment -> cluster.own(segment, node));
    cluster.publish();
  }

  private List<String> toTheInterruption(Collector<String> collector) {
    collector.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(collector.errors).hasSize(1).allMatch(StreamInterruptedException.class::isInstance);
    return collector.received;
  }

  private static String tokenOf(Collector<String> interrupted) {
    return ((StreamInterruptedException) interrupted.errors.get(0)).resumeToken();
  }

  @Test
  void whatExpiresWhileNothingIsAskedForIsNotTheNextEntry() {
    for (int i = 0; i < 50; i++) {
      cluster.put("key-" + i, "value", cluster.clusterMillis + 4000);
    }
    Collector<Map.Entry<String, String>> slow = new Collector<>(1);
    cluster.stream().entries().subscribe(slow);
    cluster.settle();
    assertThat(slow.received).hasSize(1);
    cluster.clusterMillis += 4000;
    slow.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(slow.received).hasSize(1);
    assertThat(slow.completions).isEqualTo(1);
  }

  @Test
  void anIteratorSkipsWhatHasExpiredButNotWhatItHasAnnounced() {
    SyntheticCluster alone = new SyntheticCluster(1, 1, 8, 1);
    for (int i = 0; i < 50; i++) {
      alone.put("key-" + i, "value", alone.clusterMillis + 4000);
    }
    try (CloseableIterator<String> keys = alone.stream().keys().iterator()) {
      assertThat(keys.hasNext()).isTrue();
      alone.clusterMillis += 4000;
      assertThat(keys.hasNext()).isTrue();
      assertThat(keys.next()).startsWith("key-");
      assertThat(keys.hasNext()).isFalse();
      assertThatThrownBy(keys::next).isInstanceOf(NoSuchElementException.class);
    }
    assertThat(alone.buffersOut).isZero();
  }
}
