package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.message.ChangesRead;
import dev.headrace.replication.message.ChangesReply;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.change.ChangeAnswer;
import dev.headrace.stream.change.ChangeAnswer.Status;
import dev.headrace.stream.change.ChangeQuery;
import dev.headrace.stream.entry.Cursor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChangeWaitersTest {
  private static final NodeId READER = new NodeId(7, 7);

  private final List<ChangeWaiters.Waiter> woken = new ArrayList<>();
  private final ChangeWaiters waiters = new ChangeWaiters(woken::add);
  private int questions;

  private ChangesRead question(String cache, int reader, int from, int to) {
    List<ChangeQuery.Part> parts =
        IntStream.range(from, to)
            .mapToObj(
                segment -> new ChangeQuery.Part(segment, 0, 1, ChangeQuery.NO_LIMIT, -1, null))
            .toList();
    return new ChangesRead(
        ++questions, new ChangeQuery(cache, 0, reader, false, 1000, 1000, parts));
  }

  private ChangeWaiters.Waiter park(String cache, int reader, int from, int to) {
    return Objects.requireNonNull(
        waiters.park(READER, question(cache, reader, from, to), 0), "there is no room");
  }

  private static List<Integer> advanced(ChangeWaiters.Waiter waiter) {
    return waiter.takeAdvanced().stream().map(ChangeQuery.Part::segment).toList();
  }

  @Test
  void aSegmentThatAdvancesTouchesOnlyThoseThatWaitForIt() {
    for (int reader = 0; reader < 100; reader++) {
      park("quotes", reader, 0, 50);
      park("orders", 1000 + reader, 0, 256);
    }
    ChangeWaiters.Waiter concerned = park("quotes", 2000, 50, 200);
    waiters.advanced("quotes", 130);
    assertThat(woken).containsExactly(concerned);
    assertThat(advanced(concerned)).containsExactly(130);
    waiters.advanced("quotes", 230);
    assertThat(woken).hasSize(1);
  }

  @Test
  void aQuestionIsWokenOnceHoweverOftenItsSegmentsAdvanceUntilSomebodyLooks() {
    ChangeWaiters.Waiter waiter = park("quotes", 1, 0, 256);
    for (int i = 0; i < 1000; i++) {
      waiters.advanced("quotes", 3 + i % 2 * 200);
    }
    assertThat(woken).hasSize(1);
    assertThat(advanced(waiter)).containsExactly(3, 203);
    assertThat(advanced(waiter)).isEmpty();
    waiters.advanced("quotes", 9);
    assertThat(woken).hasSize(2);
    assertThat(advanced(waiter)).containsExactly(9);
  }

  @Test
  void whoIsTakenLeavesNothingBehind() {
    ChangeWaiters.Waiter one = park("quotes", 1, 0, 256);
    ChangeWaiters.Waiter other = park("quotes", 2, 100, 256);
    assertThat(waiters.park(READER, question("quotes", 2, 0, 1), 0)).isNull();
    assertThat(waiters.places()).isEqualTo(256);
    assertThat(waiters.take(one)).isTrue();
    assertThat(waiters.take(one)).isFalse();
    assertThat(waiters.places()).isEqualTo(156);
    assertThat(waiters.ofReader(READER, 2)).isSameAs(other);
    assertThat(waiters.ofReader(READER, 2)).isNull();
    assertThat(waiters.places()).isZero();
    waiters.advanced("quotes", 100);
    assertThat(woken).isEmpty();
    park("quotes", 3, 0, 10);
    waiters.forget(READER);
    assertThat(waiters.places()).isZero();
  }

  @Test
  void onlySoManyWait() {
    for (int reader = 0; reader < ChangeWaiters.MAX_WAITING; reader++) {
      park("quotes", reader, 0, 1);
    }
    assertThat(waiters.park(READER, question("quotes", -1, 0, 1), 0)).isNull();
    assertThat(waiters.overdue(1_000_000_000)).hasSize(ChangeWaiters.MAX_WAITING);
    park("quotes", -1, 0, 1);
  }

  /** What a write costs does not depend on how much the question asks for. */
  @Test
  void aWriteOnlyMarksAndTheAnswerLooksAtTheSegmentsThatHaveAdvancedAlone() {
    Queue<Runnable> later = new ArrayDeque<>();
    List<List<Integer>> looked = new ArrayList<>();
    List<ChangesReply> replies = new ArrayList<>();
    int[] tells = {-1};
    ChangeReads reads =
        new ChangeReads(
            (query, parts) -> {
              looked.add(parts.stream().map(ChangeQuery.Part::segment).toList());
              return answer(parts, tells[0]);
            },
            later::add,
            (to, message) -> replies.add((ChangesReply) message));
    reads.read(READER, question("quotes", 1, 0, 256));
    assertThat(looked).isEmpty();
    later.remove().run();
    assertThat(looked).hasSize(1).allSatisfy(parts -> assertThat(parts).hasSize(256));
    looked.clear();
    tells[0] = 0;
    for (int i = 0; i < 100; i++) {
      reads.advanced("quotes", 0);
    }
    assertThat(looked).isEmpty();
    assertThat(later).hasSize(1);
    later.remove().run();
    assertThat(looked).containsExactly(List.of(0));
    assertThat(replies).hasSize(1);
  }

  private static ChangeAnswer answer(List<ChangeQuery.Part> parts, int tells) {
    boolean has = parts.stream().anyMatch(part -> part.segment() == tells);
    ChangeAnswer.Part told =
        new ChangeAnswer.Part(tells, Status.CHANGES, 2, 1, true, Cursor.START, 0);
    return has ? new ChangeAnswer(List.of(told), new byte[0]) : ChangeAnswer.NOTHING;
  }
}
