package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.FunctionFailedException;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import dev.headrace.api.stream.operator.Reduction;
import dev.headrace.stream.function.FunctionTable;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Functions that return null where they must not. */
class FunctionFaultsTest {

  private static final Codec<String> TEXT = Codecs.string();
  private static final FunctionName<String, String> NAMED = FunctionName.of("named", TEXT, TEXT);

  private final SyntheticCluster cluster = new SyntheticCluster(1, 2, 8, 1);

  private void know(NodeFunctions<String, String> functions) {
    cluster.functions =
        new FunctionTable("one", List.of(functions), (keys, values) -> 0, () -> 10_000, () -> 0);
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
