package dev.headrace.replication.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** How many operations are under way, under which numbers, and who is told that they have ended. */
class OutstandingOperationsTest extends ClientOfTwoOwners {

  /** Counts how operations end. */
  private record Counting(CountDownLatch ended, AtomicInteger failures) implements Completion {
    @Override
    public void done(OperationReply reply) {
      ended.countDown();
    }

    @Override
    public void failed(OperationFault fault) {
      failures.incrementAndGet();
      ended.countDown();
    }
  }

  @Test
  void theOldestOutstandingNumberMovesOverAllThatHaveEnded() {
    install(table);
    for (int i = 0; i < 4; i++) {
      submit(put("k" + i));
    }
    long first = sent(0).id().sequence();
    assertThat(sent(3).id().oldestOutstanding()).isEqualTo(first);
    caller.replied(ONE, answer(2, Outcome.DONE));
    caller.replied(ONE, answer(1, Outcome.DONE));
    submit(put("k"));
    assertThat(sent(4).id().oldestOutstanding()).as("the first is out").isEqualTo(first);
    caller.replied(ONE, answer(0, Outcome.DONE));
    submit(put("k"));
    assertThat(sent(5).id().oldestOutstanding()).isEqualTo(sent(3).id().sequence());
  }

  @Test
  void oneSegmentWithoutAnswersDoesNotHoldBackTheOthers() {
    SegmentTable two = table(2);
    install(two);
    List<Ending> endings = new ArrayList<>();
    for (int i = 0; i <= SequenceWindow.CAPACITY; i++) {
      endings.add(submit(Request.clear("c", 0, 0)));
    }
    assertThat(messages).as("the last one waits").hasSize(SequenceWindow.CAPACITY);
    assertThat(submit(Request.clear("c", 0, 1)).calls).hasValue(0);
    assertThat(messages).hasSize(SequenceWindow.CAPACITY + 1);
    Ending lost = submit(Request.clear("c", 0, 0));
    caller.replied(ONE, answer(1, Outcome.DONE));
    assertThat(messages).as("the oldest is still under way").hasSize(SequenceWindow.CAPACITY + 1);
    caller.replied(ONE, answer(0, Outcome.DONE));
    assertThat(messages).as("there is room for two").hasSize(SequenceWindow.CAPACITY + 3);
    Operation last = sent(messages.size() - 1);
    assertThat(last.id().oldestOutstanding()).isEqualTo(sent(2).id().sequence());
    caller.replied(ONE, answer(messages.size() - 1, Outcome.DONE));
    assertThat(lost.reply).isNotNull();
    assertThat(endings.get(SequenceWindow.CAPACITY).calls).hasValue(0);
  }

  @Test
  void whatWaitsForOthersEndsWithItsTime() {
    install(table);
    List<Ending> endings = new ArrayList<>();
    for (int i = 0; i < SequenceWindow.CAPACITY + 2; i++) {
      endings.add(submit(put("k")));
    }
    endOfTime();
    assertThat(endings.get(0).failure).isEqualTo(Failure.UNKNOWN);
    assertThat(endings.get(SequenceWindow.CAPACITY).failure).isEqualTo(Failure.UNAVAILABLE);
    assertThat(caller.outstanding()).isZero();
    Ending next = submit(put("k"));
    assertThat(sent(messages.size() - 1).id().oldestOutstanding())
        .isEqualTo(sent(messages.size() - 1).id().sequence());
    for (int i = 1; i < SequenceWindow.CAPACITY + 2; i++) {
      submit(put("k"));
    }
    caller.close();
    assertThat(next.failure).isEqualTo(Failure.CLOSED);
    assertThat(caller.outstanding()).isZero();
  }

  @Test
  void ownersAreToldWhichResultsHaveBeenReceived() {
    install(table);
    tick(0);
    submit(get("k"));
    Ending write = submit(put("k"));
    caller.replied(ONE, answer(0, Outcome.DONE));
    tick(999);
    assertThat(received).isEmpty();
    caller.replied(ONE, answer(1, Outcome.DONE));
    assertThat(write.reply).isNotNull();
    tick(1);
    assertThat(received).containsExactly(ONE, TWO);
    submit(get("k"));
    tick(1_000);
    assertThat(received).as("reads leave no results").hasSize(2);
    caller.disconnected(TWO);
    tick(1_000);
    assertThat(received).as("it may have been lost").hasSize(4);
  }

  @Test
  void theWholeNodeHasABoundOfItsOwn() {
    SegmentTable many = table(64);
    install(many);
    for (int i = 0; i < OperationClient.MAX_OUTSTANDING; i++) {
      assertThat(submit(Request.clear("c", 0, i % 64)).calls).hasValue(0);
    }
    assertThat(submit(Request.clear("c", 0, 0)).failure).isEqualTo(Failure.OVERLOADED);
    assertThat(caller.outstanding()).isEqualTo(OperationClient.MAX_OUTSTANDING);
  }

  @Test
  void everyOperationOfManyThreadsEndsOnceAndLeavesNothingBehind() throws Exception {
    int threads = 8;
    int perThread = 20_000;
    Queue<Operation> wire = new ConcurrentLinkedQueue<>();
    OperationClient shared =
        new OperationClient(SELF, (to, message) -> wire.add((Operation) message), notices);
    shared.onTable(TableDelta.fromNothing(table(16)), table(16));
    CountDownLatch ended = new CountDownLatch(threads * perThread);
    Ending sample = new Ending();
    AtomicInteger overloaded = new AtomicInteger();
    Consumer<Integer> work =
        thread -> {
          for (int i = 0; i < perThread; i++) {
            shared.submit(put(thread + "." + i), 1_000 * MILLIS, new Counting(ended, overloaded));
            for (Operation next = wire.poll(); next != null; next = wire.poll()) {
              shared.replied(ONE, OperationReply.without(next.id().sequence(), Outcome.DONE, 1));
            }
          }
        };
    List<Thread> running = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int number = thread;
      Thread started = new Thread(() -> work.accept(number));
      started.start();
      running.add(started);
    }
    for (Thread thread : running) {
      thread.join();
    }
    assertThat(ended.getCount()).isZero();
    assertThat(overloaded).hasValue(0);
    assertThat(shared.outstanding()).isZero();
    shared.submit(put("last"), 1_000 * MILLIS, sample);
    Operation last = wire.poll();
    assertThat(last.id().oldestOutstanding()).isEqualTo(last.id().sequence());
  }
}
