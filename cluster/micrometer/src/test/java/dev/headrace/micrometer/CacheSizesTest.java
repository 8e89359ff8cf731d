package dev.headrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.UnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When the sizes of caches are asked for, and which answers count. */
final class CacheSizesTest {
  private final List<CompletableFuture<CacheReport>> questions = new ArrayList<>();
  private final List<CacheReport> told = new ArrayList<>();
  private boolean closed;
  private long nowNanos = Long.MAX_VALUE - 5; // which soon overflows

  private final CacheSizes sizes = new CacheSizes(this::ask, told::add, () -> nowNanos);

  private CompletableFuture<CacheReport> ask() {
    if (closed) {
      throw new NodeClosedException("closed");
    }
    CompletableFuture<CacheReport> answer = new CompletableFuture<>();
    questions.add(answer);
    return answer;
  }

  private static CacheReport report(long entries, boolean complete) {
    CacheStatus cache =
        new CacheStatus("quotes", entries, 8 * entries, 16 * entries, null, null, List.of());
    return new CacheReport(List.of(cache), complete ? List.of() : List.of("silent"), complete);
  }

  private void pass(long millis) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private void refresh() {
    var unused = sizes.refresh();
  }

  private CompletableFuture<CacheReport> lastQuestion() {
    return questions.get(questions.size() - 1);
  }

  @Test
  void completeAnswersAreAskedForEveryTenSeconds() {
    CompletableFuture<?> first = sizes.refresh();
    assertThat(first).isNotDone();
    lastQuestion().complete(report(300, true));
    assertThat(first).isCompleted();
    pass(9_999);
    assertThat(sizes.refresh()).as("too early").isCompleted();
    assertThat(questions).hasSize(1);

    pass(1);
    refresh();
    lastQuestion().complete(report(301, true));

    assertThat(told).containsExactly(report(300, true), report(301, true));
  }

  @Test
  void anAnswerWithoutASilentNodeChangesNothingAndTheNextComesSoon() {
    refresh();
    lastQuestion().complete(report(300, true));
    pass(10_000);
    refresh();
    pass(2_000);
    lastQuestion().complete(report(200, false));
    assertThat(told).containsExactly(report(300, true));
    pass(999);
    refresh();
    assertThat(questions).as("too early").hasSize(2);

    pass(1);
    refresh();
    lastQuestion().complete(report(302, true));

    assertThat(told).containsExactly(report(300, true), report(302, true));
    pass(9_999);
    refresh();
    assertThat(questions).as("all have answered").hasSize(3);
  }

  @Test
  void nobodyAsksWhileAnAnswerIsUnderWay() {
    refresh();
    pass(2_000);
    assertThat(sizes.refresh()).isCompleted();
    assertThat(questions).hasSize(1);
  }

  @Test
  void aClusterThatCannotBeAskedIsAskedAgainSoon() {
    CompletableFuture<?> failing = sizes.refresh();
    lastQuestion().completeExceptionally(new UnavailableException("must not go on alone"));
    assertThat(failing).isCompletedExceptionally();
    pass(1_000);

    refresh();
    lastQuestion().complete(report(300, true));

    assertThat(told).containsExactly(report(300, true));
  }

  @Test
  void aClosedNodeIsAFailure() {
    closed = true;

    assertThat(sizes.refresh()).isCompletedExceptionally();

    assertThat(told).isEmpty();
  }
}
