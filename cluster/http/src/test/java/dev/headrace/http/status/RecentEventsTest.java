package dev.headrace.http.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.ClusterStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the console says has happened, and where a stream is. */
final class RecentEventsTest {
  private static final ClusterStatus.Rebalance MOVING = rebalance(12, 3);
  private static final ClusterStatus.Rebalance MOVED = rebalance(12, 12);

  private final RecentEvents recent = new RecentEvents();

  private static ClusterStatus.Rebalance rebalance(int planned, int copies) {
    return new ClusterStatus.Rebalance(
        planned,
        planned,
        copies,
        0,
        copies * 1_000_000L,
        Duration.ofMillis(2_500),
        Duration.ofMillis(10));
  }

  private static ClusterStatus status(
      ClusterStatus.@Nullable Rebalance rebalance,
      @Nullable String suspended,
      List<Integer> lost,
      String... names) {
    List<ClusterStatus.Member> members = new ArrayList<>();
    for (String name : names) {
      double capacity = name.startsWith("client") ? 0 : 1;
      boolean coordinator = members.isEmpty();
      members.add(
          new ClusterStatus.Member(name, "h:1", "", capacity, 0, 0, null, coordinator, false));
    }
    return new ClusterStatus(
        "c",
        1,
        256,
        2,
        2,
        "levelled-rendezvous",
        lost,
        members,
        rebalance,
        suspended,
        new ClusterStatus.StreamMemory(1, 0, 0, 0),
        Duration.ZERO);
  }

  private static ClusterStatus status(String... names) {
    return status(null, null, List.of(), names);
  }

  private List<String> texts() {
    return recent.since(0).stream().map(RecentEvents.Event::text).toList();
  }

  @Test
  void aSoundClusterBeginsWithoutEvents() {
    recent.observe(status(MOVED, null, List.of(), "a", "b"), 1);
    recent.observe(status(MOVED, null, List.of(), "a", "b"), 2);
    assertThat(texts()).isEmpty();
  }

  @Test
  void joinsAndLossesAreTold() {
    recent.observe(status("a", "b"), 1);
    recent.observe(status("a", "b", "c", "client-1"), 2);
    recent.observe(status("b", "c"), 3);
    assertThat(texts())
        .containsExactly(
            "c has joined",
            "client-1 has joined, which holds nothing",
            "a is gone",
            "client-1 is gone",
            "b is the coordinator now");
    assertThat(recent.since(0)).extracting(RecentEvents.Event::bad).contains(true, false);
    assertThat(recent.since(2)).extracting(RecentEvents.Event::atMillis).containsOnly(3L);
  }

  @Test
  void aRebalanceIsToldAtItsBeginningAndItsEnd() {
    recent.observe(status("a"), 1);
    recent.observe(status(MOVING, null, List.of(), "a"), 2);
    recent.observe(status(MOVED, null, List.of(), "a"), 3);
    recent.observe(status(MOVED, null, List.of(), "a"), 4);
    assertThat(texts())
        .containsExactly(
            "Segments begin to move: 12 copies",
            "All is in place after 12 copies, 12.0 MB in 2.5 s");
  }

  @Test
  void aRebalanceThatWasOverBetweenTwoLooksIsTold() {
    recent.observe(status("a"), 1);
    recent.observe(status(MOVED, null, List.of(), "a"), 2);
    assertThat(texts()).containsExactly("All is in place after 12 copies, 12.0 MB in 2.5 s");
  }

  @Test
  void whatIsWrongIsToldEvenAtTheBeginning() {
    recent.observe(status(null, "No quorum: b is missing", List.of(3, 4), "a"), 1);
    recent.observe(status(null, null, List.of(3, 4), "a"), 2);
    assertThat(texts())
        .containsExactly(
            "No quorum: b is missing",
            "2 segments have no living owner any more",
            "This node serves again");
  }

  @Test
  void onlyTheLatestAreKept() {
    for (int i = 0; i < 100; i++) {
      recent.observe(i % 2 == 0 ? status("a") : status("a", "b"), i);
    }
    assertThat(recent.since(0)).hasSize(50);
    assertThat(recent.since(98)).extracting(RecentEvents.Event::number).containsExactly(99L);
  }

  @Test
  void thePlaceOfAStreamIsADigitForEachPartOfTheHashSpace() {
    BitSet completed = new BitSet();
    completed.set(0, 100);
    String place = ClusterJson.place(completed, 10_000);
    assertThat(place).hasSize(128).startsWith("92000");
    assertThat(ClusterJson.place(completed, 60)).isEqualTo("9".repeat(60));
  }
}
