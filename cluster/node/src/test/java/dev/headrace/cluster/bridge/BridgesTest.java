package dev.headrace.cluster.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.cluster.node.NodeCluster;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.smallrye.mutiny.Multi;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowKt;
import kotlinx.coroutines.reactive.ReactiveFlowKt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** Reactor, Mutiny, Kotlin's coroutines and RxJava take our publishers as they are. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
final class BridgesTest {
  private static final int ENTRIES = 5000;
  private static final int SOME = 777;

  private NodeCluster cluster;
  private StreamPublisher<String> keys;
  private Cache<String, String> cache;

  @BeforeAll
  void start() {
    cluster = NodeCluster.of(2);
    Headrace node = cluster.node(0);
    cache = node.cache("quotes", String.class, String.class);
    Map<String, String> all = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      all.put("key-" + i, "value-" + i);
    }
    cache.putAll(all);
    keys = cache.stream().batchSize(500).keys();
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private static void expectAll(List<String> received) {
    assertThat(received).hasSize(ENTRIES).doesNotHaveDuplicates();
  }

  @Test
  void reactorTakesAPublisher() {
    expectAll(Flux.from(keys).collectList().block());
    assertThat(Flux.from(keys).limitRate(10).take(SOME).collectList().block()).hasSize(SOME);
  }

  @Test
  void mutinyTakesAFlow() {
    expectAll(
        Multi.createFrom().publisher(keys.toFlow()).collect().asList().await().indefinitely());
    assertThat(
            Multi.createFrom()
                .publisher(keys.toFlow())
                .select()
                .first(SOME)
                .collect()
                .asList()
                .await()
                .indefinitely())
        .hasSize(SOME);
  }

  @Test
  void kotlinsCoroutinesTakeAPublisher() throws InterruptedException {
    expectAll(collect(ReactiveFlowKt.asFlow(keys)));
    assertThat(collect(FlowKt.take(ReactiveFlowKt.asFlow(keys), SOME))).hasSize(SOME);
  }

  /** What {@code runBlocking { flow.toList() }} is in Kotlin. */
  private static List<String> collect(Flow<String> flow) throws InterruptedException {
    List<String> received = new ArrayList<>();
    BuildersKt.runBlocking(
        EmptyCoroutineContext.INSTANCE,
        (scope, continuation) -> FlowKt.toList(flow, received, continuation));
    return received;
  }

  @Test
  void rxJavaTakesRails() {
    expectAll(
        cache.stream()
            .keys()
            .toParallelFlowable(3)
            .runOn(Schedulers.computation())
            .map(key -> key)
            .sequential()
            .toList()
            .blockingGet());
  }
}
