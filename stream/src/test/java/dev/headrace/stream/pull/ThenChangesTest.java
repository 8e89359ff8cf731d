package dev.headrace.stream.pull;

import static dev.headrace.api.stream.operator.Expressions.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.ChangeStream;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.change.ChangeEnvironment;
import dev.headrace.stream.change.ChangePlan;
import dev.headrace.stream.change.ChangeReaders;
import dev.headrace.stream.plan.StreamPlan;
import dev.headrace.stream.protocol.StreamOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What of a stream's choices its changes take over. */
class ThenChangesTest {
  private final SyntheticCluster cluster = new SyntheticCluster(1, 2, 4, 1);
  private final CacheSettings<String, String> cache =
      new CacheSettings<>("quotes", Codecs.string(), Codecs.string());
  private final List<StreamOptions> begun = new ArrayList<>();

  private CacheStream<String, String> stream() {
    Function<StreamOptions, ChangeStream<String, String>> changes =
        ChangePlan.following(
            new ChangeEnvironment(
                cluster.environment(),
                (node, query, handler) -> handler.accept(null),
                new ChangeReaders(System::nanoTime)),
            cache,
            0);
    return StreamPlan.over(
        cluster.environment(),
        cache,
        0,
        options -> {
          begun.add(options);
          return changes.apply(options);
        });
  }

  @Test
  void changesAreOfTheSegmentsAndKeysAndWithinTheBytesThatTheStreamChose() {
    ChangeStream<String, String> changes =
        stream()
            .segments(Set.of(1, 3))
            .keys(Set.of("ACME"))
            .batchBytes(4096)
            .batchSize(7)
            .parallelism(1)
            .thenChanges();
    assertThat(changes.latestOnly().withPrevious()).isNotNull();
    assertThat(begun).hasSize(1);
    assertThat(begun.get(0).segments()).isNotNull().hasToString("{1, 3}");
    assertThat(begun.get(0).keys()).isNotNull();
    assertThat(begun.get(0).batchBytes()).isEqualTo(4096);
  }

  @Test
  void whatChangesCannotHaveIsRefusedWithAWayOut() {
    refused(stream().filter(value().eq("x")), "filter the changes instead");
    refused(stream().listener(new StreamListener() {}), "pass a ChangeListener");
    refused(stream().delivery(Delivery.AT_MOST_ONCE), "AT_MOST_ONCE");
    refused(stream().deadline(Duration.ofSeconds(1)), "changes have no end");
    refused(stream().adaptiveCredit(), "leave adaptiveCredit out");
    assertThat(begun).isEmpty();
  }

  private static void refused(CacheStream<String, String> stream, String wayOut) {
    assertThatThrownBy(stream::thenChanges)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("\"quotes\"")
        .hasMessageContaining(wayOut);
  }
}
