package dev.headrace.stream.pull;

import static dev.headrace.api.stream.operator.Expressions.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.ContentPublisher;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.api.stream.TokenedElement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Several consumers of one stream get each entry once, together. */
class RailsTest {

  private static final int SEEDS = Integer.getInteger("headrace.seeds", 200);

  @Test
  void railsDeliverExactlyOnceTogetherAndGoOnTogether() {
    for (long seed = 0; seed < SEEDS; seed++) {
      try {
        new Run(seed).go();
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static final class Run {
    private final Random random;
    private final SyntheticCluster cluster;
    private final CacheStream<String, String> stream;
    private final int batchSize;
    private final boolean mapped;
    private final List<Collector<TokenedElement<String>>> rails = new ArrayList<>();

    Run(long seed) {
      random = new Random(seed * 0x9E3779B97F4A7C15L);
      cluster = new SyntheticCluster(seed, 4, 1 + random.nextInt(40), 2);
      cluster.maxDelayNanos = random.nextInt(3) * 1_000_000L;
      cluster.failuresPerMille = random.nextInt(2) * random.nextInt(100);
      cluster.fill(random.nextInt(600));
      batchSize = 5 + random.nextInt(200);
      mapped = random.nextBoolean();
      stream = cluster.stream().batchSize(batchSize).parallelism(1 + random.nextInt(4));
    }

    private ContentPublisher<String> values(CacheStream<String, String> from) {
      return mapped ? from.map(value(), String.class) : from.values();
    }

    void go() {
      int count = 1 + random.nextInt(5);
      for (StreamPublisher<TokenedElement<String>> rail :
          values(stream).withTokens().rails(count)) {
        Collector<TokenedElement<String>> consumer = new Collector<>(0);
        rails.add(consumer);
        rail.subscribe(consumer);
      }
      for (int turn = 0; rails.stream().anyMatch(rail -> !rail.isTerminated()); turn++) {
        int chosen = random.nextInt(1 + random.nextInt(count)); // The first ones are quicker.
        rails.get(turn < 2000 ? chosen : turn % count).subscription.request(1 + random.nextInt(20));
        for (int i = random.nextInt(30); i > 0 && cluster.step(); i--) {
          assertThat(cluster.mostEntries).isLessThanOrEqualTo(batchSize);
        }
        if (turn == 10 && random.nextBoolean()) {
          cluster.crash(1 + random.nextInt(3));
          cluster.removeDead();
          cluster.publish();
        }
      }
      cluster.settle();
      List<String> all = new ArrayList<>();
      rails.forEach(rail -> rail.received.forEach(next -> all.add(next.element())));
      assertThat(rails).allMatch(rail -> rail.completions == 1);
      assertThat(all).hasSize(cluster.content.size()).doesNotHaveDuplicates();
      assertThat(cluster.buffersOut).isZero();
      assertThat(cluster.memory.usage().usedBytes()).isZero();
      for (int i = 0; i < 5; i++) {
        goOn();
      }
    }

    /** As if the consumers had stopped, each one at any of its elements. */
    private void goOn() {
      List<String> both = new ArrayList<>();
      List<String> tokens = new ArrayList<>();
      for (Collector<TokenedElement<String>> rail : rails) {
        int handled = random.nextInt(rail.received.size() + 1);
        rail.received.subList(0, handled).forEach(next -> both.add(next.element()));
        if (handled > 0) {
          tokens.add(rail.received.get(handled - 1).token());
        }
      }
      if (tokens.isEmpty()) {
        return;
      }
      for (StreamPublisher<String> rail : values(stream.resumeFrom(tokens)).rails(2)) {
        Collector<String> rest = new Collector<>(Long.MAX_VALUE);
        rail.subscribe(rest);
        cluster.settle();
        assertThat(rest.completions).isEqualTo(1);
        both.addAll(rest.received);
      }
      assertThat(both).hasSize(cluster.content.size()).doesNotHaveDuplicates();
    }
  }

  @Test
  void aRailThatNobodyReadsHoldsNothingBack() {
    SyntheticCluster cluster = new SyntheticCluster(1, 2, 16, 1);
    cluster.fill(500);
    List<StreamPublisher<String>> rails = cluster.stream().keys().rails(3);
    Collector<String> idle = new Collector<>(0);
    Collector<String> busy = new Collector<>(Long.MAX_VALUE);
    rails.get(0).subscribe(idle);
    rails.get(1).subscribe(busy);
    cluster.settle();
    assertThat(new HashSet<>(busy.received)).isEqualTo(cluster.content.keySet());
    assertThat(busy.completions).isEqualTo(1);
    Collector<String> late = new Collector<>(1);
    rails.get(2).subscribe(late);
    idle.subscription.request(1);
    cluster.settle();
    assertThat(late.completions).isEqualTo(1);
    assertThat(idle.completions).isEqualTo(1);
  }

  @Test
  void cancelledRailsGiveEverythingBackAndTheOthersGoOn() {
    SyntheticCluster cluster = new SyntheticCluster(5, 3, 24, 1);
    cluster.fill(600);
    List<Collector<String>> rails = new ArrayList<>();
    for (StreamPublisher<String> rail : cluster.stream().batchSize(60).keys().rails(3)) {
      Collector<String> consumer = new Collector<>(20);
      rail.subscribe(consumer);
      rails.add(consumer);
    }
    cluster.settle();
    rails.get(0).subscription.cancel();
    cluster.settle();
    rails.get(1).subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(rails.get(1).completions).isEqualTo(1);
    rails.get(2).subscription.cancel();
    cluster.settle();
    List<String> all = new ArrayList<>();
    rails.forEach(rail -> all.addAll(rail.received));
    assertThat(all).hasSizeGreaterThan(20 + 20 + 20).doesNotHaveDuplicates();
    assertThat(cluster.buffersOut).isZero();
    assertThat(cluster.inFlightEntries).isZero();
    assertThat(cluster.memory.usage().usedBytes()).isZero();
    assertThat(cluster.memory.usage().streams()).isZero();
  }

  @Test
  void aRailHasOneConsumer() {
    SyntheticCluster cluster = new SyntheticCluster(1, 2, 16, 1);
    StreamPublisher<String> rail = cluster.stream().keys().rails(1).get(0);
    rail.subscribe(new Collector<>(1));
    Collector<String> second = new Collector<>(1);
    rail.subscribe(second);
    assertThat(second.errors).hasSize(1).allMatch(IllegalStateException.class::isInstance);
    assertThatThrownBy(() -> cluster.stream().batchSize(3).keys().rails(4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("between 1 and the batch size, 3");
    assertThatThrownBy(() -> cluster.stream().keys().rails(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void ifOneRailCannotGoOnAllEndAndCanBeResumedTogether() {
    SyntheticCluster cluster = new SyntheticCluster(3, 3, 24, 1);
    cluster.fill(600);
    List<Collector<String>> rails = new ArrayList<>();
    for (StreamPublisher<String> rail : cluster.stream().batchSize(60).keys().rails(3)) {
      Collector<String> consumer = new Collector<>(20);
      rail.subscribe(consumer);
      rails.add(consumer);
    }
    cluster.settle();
    int[][] before = new int[24][];
    for (int s = 0; s < 24; s++) {
      before[s] = cluster.ownersOf(s);
      if (before[s][0] == 2) {
        cluster.own(s);
      }
    }
    cluster.publish();
    rails.forEach(rail -> rail.subscription.request(Long.MAX_VALUE));
    cluster.settle();
    List<String> both = new ArrayList<>();
    List<String> tokens = new ArrayList<>();
    for (Collector<String> rail : rails) {
      assertThat(rail.errors).hasSize(1).allMatch(StreamInterruptedException.class::isInstance);
      tokens.add(((StreamInterruptedException) rail.errors.get(0)).resumeToken());
      both.addAll(rail.received);
    }
    assertThat(both).hasSizeLessThan(600);
    for (int s = 0; s < 24; s++) {
      cluster.own(s, before[s]);
    }
    cluster.publish();
    Collector<String> rest = new Collector<>(Long.MAX_VALUE);
    cluster.stream().resumeFrom(tokens).keys().subscribe(rest);
    cluster.settle();
    both.addAll(rest.received);
    Set<String> distinct = new HashSet<>(both);
    assertThat(both).hasSize(600);
    assertThat(distinct).isEqualTo(cluster.content.keySet());
    assertThat(cluster.buffersOut).isZero();
  }
}
