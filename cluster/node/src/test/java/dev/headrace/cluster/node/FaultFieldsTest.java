package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headrace.api.Cache;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.EntryTooLargeException;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.error.UnavailableException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What programs find in the exceptions of real nodes. */
@Timeout(120)
class FaultFieldsTest {
  /** What is tried again until it is refused need not wait long each time. */
  private static final Duration ATTEMPT = Duration.ofSeconds(5);

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void whatTheCacheDoesNotTakeNamesTheCache(int nodes) {
    try (NodeCluster cluster = new NodeCluster()) {
      for (int i = 0; i < nodes; i++) {
        cluster.start(settings -> settings.maxEntryBytes(1_000));
      }
      Cache<String, String> words =
          cluster.node(nodes - 1).cache("words", String.class, String.class);
      EntryTooLargeException tooLarge =
          catchThrowableOfType(
              EntryTooLargeException.class, () -> words.put("k", "v".repeat(2_000)));
      assertThat(tooLarge.cache()).isEqualTo("words");
      assertThat(tooLarge.isRetryable()).isFalse();
      Cache<Integer, String> others =
          cluster.node(nodes - 1).cache("words", Integer.class, String.class);
      words.put("k", "v");
      CodecException wrong = catchThrowableOfType(CodecException.class, others::size);
      assertThat(wrong.cache()).isEqualTo("words");
      assertThat(wrong.segments()).hasSize(1);
    }
  }

  @Test
  void whoeverIsMissingIsNamed() {
    try (NodeCluster cluster = new NodeCluster()) {
      for (int i = 0; i < 3; i++) {
        cluster.start(settings -> settings.operationTimeout(ATTEMPT));
      }
      Cache<String, String> words = cluster.node(2).cache("words", String.class, String.class);
      words.putAll(Map.of("a", "1", "b", "2", "c", "3"));
      cluster.node(0).kill();
      cluster.node(1).kill();
      UnavailableException refused = refusal(words);
      assertThat(refused.missingNodes()).contains("node-1").isSubsetOf("node-0", "node-1");
      assertThat(refused.cache()).isEqualTo("words");
      assertThat(refused.isRetryable()).isTrue();
      CompletionException later =
          catchThrowableOfType(CompletionException.class, () -> words.async().put("d", "4").join());
      assertThat(later.getCause())
          .isInstanceOfSatisfying(
              UnavailableException.class,
              failure -> assertThat(failure.missingNodes()).isEqualTo(refused.missingNodes()));
      StreamInterruptedException interrupted =
          catchThrowableOfType(
              StreamInterruptedException.class,
              () -> words.iterator().forEachRemaining(entry -> {}));
      assertThat(interrupted.missingNodes()).isEqualTo(refused.missingNodes());
      assertThat(interrupted.cache()).isEqualTo("words");
      assertThat(interrupted.segments()).isNotEmpty();
    }
  }

  /** Writes until the node has found out that it must not go on alone. */
  private static UnavailableException refusal(Cache<String, String> cache) {
    while (true) {
      try {
        cache.put("d", "4");
      } catch (UnavailableException e) {
        if (!e.missingNodes().isEmpty()) {
          return e;
        }
      } catch (HeadraceException undecided) {
        // not yet
      }
    }
  }
}
