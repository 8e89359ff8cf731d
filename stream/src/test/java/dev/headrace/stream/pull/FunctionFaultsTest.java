package dev.headrace.stream.pull;

import static dev.headrace.stream.pull.Completeness.assertSameElements;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.FunctionFailedException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import dev.headrace.api.stream.operator.Reduction;
import dev.headrace.stream.function.FunctionTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Functions that fail late, or return null where they must not. */
class FunctionFaultsTest {

  private static final Codec<String> TEXT = Codecs.string();
  private static final FunctionName<String, String> NAMED = FunctionName.of("named", TEXT, TEXT);

  private final SyntheticCluster cluster = new SyntheticCluster(1, 2, 8, 1);

  private void know(NodeFunctions<String, String> functions) {
    cluster.functions =
        new FunctionTable("one", List.of(functions), (keys, values) -> 0, () -> 10_000, () -> 0);
  }

  /** A mapping to keys that fails for one value. */
  private void knowMappingWithout(String refused) {
    know(
        NodeFunctions.over(TEXT, TEXT)
            .map(
                NAMED,
                (key, value, argument) -> {
                  if (value.equals(refused)) {
                    throw new IllegalStateException("refused");
                  }
                  return key;
                }));
  }

  @Test
  void aFunctionThatFailsForWhatIsLookedUpAgainLeavesATokenForTheRest() {
    knowMappingWithout("second");
    for (int i = 0; i < 300; i++) {
      cluster.put("key-" + i, "first", i % 3 == 0 ? cluster.clusterMillis + 4000 : 0);
    }
    List<Integer> completed = new ArrayList<>();
    StreamListener completions =
        new StreamListener() {
          @Override
          public void segmentCompleted(int segment) {
            completed.add(segment);
          }
        };
    CacheStream<String, String> stream = cluster.stream().listener(completions);
    Collector<String> slow = new Collector<>(1);
    stream.map(NAMED, "").subscribe(slow);
    cluster.settle();
    for (int i = 0; i < 300; i += 3) {
      cluster.put("key-" + i, i == 150 ? "second" : "anew");
    }
    cluster.clusterMillis += 4000;
    slow.subscription.request(Long.MAX_VALUE);
    cluster.settle();
    assertThat(slow.errors).hasSize(1).allMatch(FunctionFailedException.class::isInstance);
    FunctionFailedException failed = (FunctionFailedException) slow.errors.get(0);
    assertThat(failed.call())
        .isEqualTo(new FunctionFailedException.Call("named", "one", "key-150"));
    assertThat(failed).hasMessageContaining("IllegalStateException: refused");
    assertThat(slow.received).hasSizeBetween(101, 299);

    knowMappingWithout("third");
    Collector<String> rest = new Collector<>(Long.MAX_VALUE);
    stream.resumeFrom(failed.resumeToken()).map(NAMED, "").subscribe(rest);
    cluster.settle();
    assertThat(rest.errors).isEmpty();
    assertThat(rest.completions).isEqualTo(1);
    List<String> both = new ArrayList<>(slow.received);
    both.addAll(rest.received);
    assertSameElements(both, cluster.content.keySet());
    assertThat(completed).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(cluster.buffersOut).isZero();
    assertThat(cluster.memory.usage().usedBytes()).isZero();
  }

  private Throwable failure(Reduction<?> reduction) {
    CompletableFuture<?> future = reduction.toCompletionStage().toCompletableFuture();
    cluster.settle();
    assertThat(future).isCompletedExceptionally();
    assertThat(cluster.buffersOut).isZero();
    return future.handle((result, cause) -> cause).join();
  }

  @Test
  void aCombinerOfANodeThatReturnsNullFailsTheReduction() {
    know(
        NodeFunctions.over(TEXT, TEXT)
            .reduce(NAMED, (key, value, argument) -> key, (one, other) -> null));
    cluster.fill(50);
    assertThat(failure(cluster.stream().reduce(NAMED, "", String::concat)))
        .isInstanceOf(FunctionFailedException.class)
        .hasMessageContaining("the combiner returned null");
  }

  @Test
  void anAccumulatorThatReturnsNullFailsTheReduction() {
    know(
        NodeFunctions.over(TEXT, TEXT)
            .collect(NAMED, () -> "", (state, key, value, argument) -> null));
    cluster.fill(50);
    assertThat(
            failure(cluster.stream().collect(NAMED, "", () -> "", String::concat, String::length)))
        .isInstanceOf(FunctionFailedException.class)
        .hasMessageContaining("the accumulator returned null");
  }

  @Test
  void aCombinerOfTheCallerThatReturnsNullFailsTheReduction() {
    know(
        NodeFunctions.over(TEXT, TEXT)
            .reduce(NAMED, (key, value, argument) -> key, String::concat)
            .collect(
                FunctionName.of("all", TEXT, TEXT),
                () -> "",
                (state, key, value, argument) -> state + key));
    cluster.fill(50);
    FunctionName<String, String> all = FunctionName.of("all", TEXT, TEXT);
    for (Reduction<?> reduction :
        List.of(
            cluster.stream().reduce(NAMED, "", (one, other) -> null),
            cluster.stream().collect(all, "", () -> "", (one, other) -> null, String::length))) {
      assertThat(failure(reduction))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("the combiner returned null");
    }
  }
}
