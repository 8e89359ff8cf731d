package dev.headrace.cluster.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.message.CacheCounts;
import dev.headrace.cluster.message.CountCaches;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A survey whose messages the test carries. */
class CacheSurveyTest {
  private static final NodeId ONE = new NodeId(0, 1);
  private static final NodeId TWO = new NodeId(0, 2);

  private final List<Sent> sent = new ArrayList<>();
  private final SegmentTable table = table();
  private final CacheSurvey survey =
      new CacheSurvey((to, message) -> sent.add(new Sent(to, (CountCaches) message)), () -> table);

  private record Sent(NodeId to, CountCaches question) {}

  @Test
  void whatAllNodesHoldIsAddedUp() {
    CompletableFuture<CacheReport> report = survey.begin(0);
    assertThat(sent).extracting(Sent::to).containsExactlyInAnyOrder(ONE, TWO);
    answer(ONE, primaries(ONE), row("a", 3, ""), row("b", 1, "int\nlong"));
    assertThat(report).isNotDone();
    answer(TWO, primaries(TWO), row("a", 4, "string\nuuid"));
    assertThat(report.join())
        .isEqualTo(
            new CacheReport(
                List.of(
                    new CacheStatus(
                        "a",
                        7,
                        70,
                        140,
                        "string",
                        "uuid",
                        List.of(
                            new CacheStatus.Share("one", 3, 30, 60),
                            new CacheStatus.Share("two", 4, 40, 80))),
                    new CacheStatus(
                        "b",
                        1,
                        10,
                        20,
                        "int",
                        "long",
                        List.of(new CacheStatus.Share("one", 1, 10, 20)))),
                List.of(),
                true));
  }

  @Test
  void aNodeThatHasMoreToTellIsAskedForTheRest() {
    CompletableFuture<CacheReport> report = survey.begin(0);
    answer(TWO, primaries(TWO));
    Sent question = last(ONE);
    survey.replied(
        ONE,
        new CacheCounts(
            question.question.number(), primaries(ONE), true, List.of(row("a", 1, ""))));
    assertThat(last(ONE).question.after()).isEqualTo("a");
    answer(ONE, primaries(ONE), row("b", 2, ""));
    assertThat(report.join().caches()).extracting(CacheStatus::entries).containsExactly(1L, 2L);
  }

  @Test
  void whoDoesNotAnswerIsAskedAgainAndThenNamed() {
    CompletableFuture<CacheReport> report = survey.begin(0);
    answer(ONE, primaries(ONE), row("a", 3, ""));
    sent.clear();
    survey.tick(CacheSurvey.RESEND_NANOS);
    assertThat(sent).extracting(Sent::to).containsExactly(TWO);
    survey.tick(CacheSurvey.PATIENCE_NANOS);
    assertThat(report.join().missingNodes()).containsExactly("two");
    assertThat(report.join().complete()).isFalse();
    assertThat(report.join().cache("a").orElseThrow().entries()).isEqualTo(3);
  }

  @Test
  void answersThatCountSegmentsTwiceAreNotBelievedAtOnce() {
    CompletableFuture<CacheReport> report = survey.begin(0);
    answer(ONE, table.segments(), row("a", 7, ""));
    answer(TWO, table.segments(), row("a", 7, ""));
    assertThat(report).isNotDone();
    survey.tick(CacheSurvey.RESEND_NANOS);
    answer(ONE, primaries(ONE), row("a", 3, ""));
    answer(TWO, primaries(TWO), row("a", 4, ""));
    assertThat(report.join().complete()).isTrue();
    assertThat(report.join().cache("a").orElseThrow().entries()).isEqualTo(7);
  }

  @Test
  void aLateOrDoubledAnswerChangesNothing() {
    CompletableFuture<CacheReport> report = survey.begin(0);
    long number = last(ONE).question.number();
    CacheCounts counts = new CacheCounts(number, primaries(ONE), false, List.of(row("a", 3, "")));
    survey.replied(ONE, counts);
    survey.replied(ONE, counts);
    survey.replied(TWO, counts);
    answer(TWO, primaries(TWO));
    survey.replied(ONE, counts);
    assertThat(report.join().cache("a").orElseThrow().entries()).isEqualTo(3);
  }

  @Test
  void onlySoManyAreUnderWay() {
    for (int i = 0; i < CacheSurvey.MAX_UNDER_WAY; i++) {
      assertThat(survey.begin(0)).isNotDone();
    }
    assertThat(survey.begin(0))
        .failsWithin(0, TimeUnit.SECONDS)
        .withThrowableThat()
        .withCauseInstanceOf(UnavailableException.class);
  }

  @Test
  void aClosedSurveyEndsWhatIsUnderWayAndRefusesMore() {
    CompletableFuture<CacheReport> report = survey.begin(0);
    NodeClosedException closed = new NodeClosedException("closed");
    survey.close(closed);
    assertThat(report.handle((done, failure) -> failure).join()).isSameAs(closed);
    assertThat(survey.begin(0).handle((done, failure) -> failure).join()).isSameAs(closed);
  }

  private void answer(NodeId from, int primarySegments, CacheCounts.Row... rows) {
    survey.replied(
        from, new CacheCounts(last(from).question.number(), primarySegments, false, List.of(rows)));
  }

  private Sent last(NodeId to) {
    return sent.stream().filter(each -> each.to.equals(to)).reduce((a, b) -> b).orElseThrow();
  }

  private int primaries(NodeId node) {
    int count = 0;
    for (int segment = 0; segment < table.segments(); segment++) {
      count += table.isPrimary(segment, node) ? 1 : 0;
    }
    return count;
  }

  private static CacheCounts.Row row(String cache, long entries, String formats) {
    return new CacheCounts.Row(cache, entries, 10 * entries, 20 * entries, formats);
  }

  /** A table of two data nodes and one that holds nothing. */
  private static SegmentTable table() {
    List<Member> members =
        List.of(
            new Member(ONE, "one", "localhost", 1, "", 1),
            new Member(TWO, "two", "localhost", 2, "", 1),
            new Member(new NodeId(0, 3), "client", "localhost", 3, "", 0));
    int[][] rows = {{0, 1}, {1, 0}, {0, 1}};
    return SegmentTable.of(
        new TableHeader(Epoch.first(1, ONE), 5, 0, 7, rows.length, 2, 1 << 20), members, rows);
  }
}
