package dev.headrace.stream.pull;

import static dev.headrace.stream.pull.Completeness.assertSameElements;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.StreamDeadlineException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.CloseableIterator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A stream whose time is up ends with a token for exactly the rest, and gives everything back. */
class StreamDeadlineTest {

  private final SyntheticCluster cluster = new SyntheticCluster(1, 2, 8, 1);
  private final CacheStream<String, String> stream =
      cluster.stream().batchSize(90).deadline(Duration.ofSeconds(5));

  private void expectTheRest(List<String> handedOver, Throwable failure) {
    assertThat(failure)
        .isInstanceOf(StreamDeadlineException.class)
        .hasMessageContaining("deadline of PT5S");
    assertThat(cluster.buffersOut).isZero();
    assertThat(cluster.memory.usage().usedBytes()).isZero();
    String token = ((StreamDeadlineException) failure).resumeToken();
    Collector<String> rest = new Collector<>(Long.MAX_VALUE);
    cluster.stream().resumeFrom(token).values().subscribe(rest);
    cluster.settle();
    List<String> both = new ArrayList<>(handedOver);
    both.addAll(rest.received);
    assertSameElements(both, cluster.content.values());
  }

  @Test
  void aSubscriberThatPausesIsToldWithoutDemand() {
    cluster.fill(300);
    Collector<String> slow = new Collector<>(37);
    stream.values().subscribe(slow);
    cluster.advanceNanos(4_000_000_000L);
    assertThat(slow.isTerminated()).isFalse();
    cluster.advanceNanos(2_000_000_000L);
    assertThat(slow.received).hasSize(37);
    expectTheRest(slow.received, slow.errors.get(0));
  }

  @Test
  void aStreamThatNobodyHasRequestedOfEndsToo() {
    cluster.fill(300);
    Collector<String> idle = new Collector<>(0);
    stream.values().subscribe(idle);
    cluster.settle();
    expectTheRest(List.of(), idle.errors.get(0));
  }

  @Test
  void aStreamThatWaitsForANodeEnds() {
    cluster.fill(300);
    cluster.nodes.get(1).silent = true;
    Collector<String> waiting = new Collector<>(Long.MAX_VALUE);
    stream.values().subscribe(waiting);
    cluster.advanceNanos(6_000_000_000L);
    cluster.nodes.get(1).silent = false;
    List<String> handed = List.copyOf(waiting.received);
    assertThat(handed).isNotEmpty().hasSizeLessThan(300);
    expectTheRest(handed, waiting.errors.get(0));
  }

  @Test
  void anIteratorIsToldWithTheNextBatch() {
    cluster.maxDelayNanos = 0;
    cluster.fill(300);
    List<String> seen = new ArrayList<>();
    try (CloseableIterator<String> all = stream.values().iterator()) {
      seen.add(all.next());
      cluster.advanceNanos(6_000_000_000L);
      assertThatThrownBy(() -> all.forEachRemaining(seen::add))
          .satisfies(failure -> expectTheRest(seen, failure));
    }
    assertThat(seen).hasSizeLessThan(300);
  }

  @Test
  void aStreamThatEndsInTimeIsNotTouched() {
    cluster.fill(300);
    Collector<String> quick = new Collector<>(Long.MAX_VALUE);
    stream.values().subscribe(quick);
    cluster.settle();
    assertThat(quick.completions).isEqualTo(1);
    assertThat(quick.received).hasSize(300);
  }

  @Test
  void aDeadlineInThePastIsRefused() {
    for (Duration wrong : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofDays(400))) {
      assertThatThrownBy(() -> cluster.stream().deadline(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("deadline must be above 0");
    }
  }
}
