package dev.headrace.replication.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.FaultScope;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.Notices;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.ResultsReceived;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class OperationClientTest {
  private static final long MILLIS = 1_000_000L;
  private static final NodeId SELF = new NodeId(0, 9);
  private static final NodeId ONE = new NodeId(0, 1);
  private static final NodeId TWO = new NodeId(0, 2);

  private final List<NodeId> receivers = new ArrayList<>();
  private final List<Message> messages = new ArrayList<>();
  private final List<NodeId> received = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private final Notices notices =
      new Notices() {
        @Override
        public void outdated(NodeId node, long itsEpoch) {
          told.add(node + " at " + itsEpoch);
        }

        @Override
        public void behind(NodeId node) {}

        @Override
        public void accompany(NodeId node) {}
      };
  private final OperationClient caller =
      new OperationClient(
          SELF,
          (to, message) -> {
            if (message instanceof ResultsReceived) {
              received.add(to);
            } else {
              receivers.add(to);
              messages.add(message);
            }
          },
          notices);
  private final SegmentTable table = table(1);
  private long nowMillis = 5_000;

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

  private void install(SegmentTable newer) {
    caller.onTable(TableDelta.fromNothing(newer), newer);
  }

  private static SegmentTable table(int segments) {
    return table(segments, 1);
  }

  private static SegmentTable table(int segments, long clusterId) {
    List<Member> members = new ArrayList<>();
    for (NodeId id : List.of(ONE, TWO, SELF)) {
      members.add(new Member(id, "n" + id.low(), "localhost", 1, "", id.equals(SELF) ? 0 : 1));
    }
    int[][] rows = new int[segments][];
    Arrays.fill(rows, new int[] {0, 1});
    return SegmentTable.of(
        new TableHeader(1L << 40, clusterId, 1, 3, segments, 2, 1 << 20), members, rows);
  }

  private Ending submit(Request request) {
    Ending ending = new Ending();
    caller.submit(request, 3_000 * MILLIS, ending);
    return ending;
  }

  private static Request put(String key) {
    return Request.set(
        Kind.PUT, "c", 0, key.getBytes(StandardCharsets.UTF_8), new byte[1], 0, false);
  }

  private static Request get(String key) {
    return Request.get("c", 0, key.getBytes(StandardCharsets.UTF_8), true);
  }

  private void tick(long millis) {
    nowMillis += millis;
    caller.tick(nowMillis * MILLIS);
  }

  private Operation sent(int index) {
    return (Operation) messages.get(index);
  }

  private OperationReply answer(int index, Outcome outcome) {
    return OperationReply.refused(sent(index).id(), outcome, table.epoch());
  }

  @Test
  void beforeTheFirstTableNothingIsAvailable() {
    assertThat(submit(get("k")).failure).isEqualTo(Failure.UNAVAILABLE);
  }

  @Test
  void aReplyEndsItsOperationOnce() {
    install(table);
    Ending ending = submit(put("k"));
    assertThat(receivers).containsExactly(ONE);
    caller.replied(ONE, answer(0, Outcome.DONE));
    caller.replied(ONE, answer(0, Outcome.DONE));
    assertThat(ending.calls).hasValue(1);
    assertThat(ending.reply.outcome()).isEqualTo(Outcome.DONE);
    assertThat(caller.outstanding()).isZero();
  }

  @Test
  void aFailureNamesTheNodeThatWasAskedButAnotherFormatOnlyTheCache() {
    install(table);
    Ending few = submit(put("k"));
    caller.replied(ONE, answer(0, Outcome.UNAVAILABLE));
    assertThat(few.message).endsWith("sent to n1)");
    Ending other = submit(get("k"));
    caller.replied(ONE, answer(1, Outcome.WRONG_FORMAT));
    assertThat(other.message).isEqualTo("Cache \"c\" holds keys or values of another format");
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
  void aRefusedOperationIsSentAgainUnderItsNumberAfterAWhile() {
    install(table);
    Ending ending = submit(put("k"));
    caller.replied(ONE, answer(0, Outcome.STALE));
    assertThat(messages).hasSize(1);
    tick(0);
    tick(1);
    assertThat(messages).hasSize(2);
    assertThat(sent(1).id().sequence()).isEqualTo(sent(0).id().sequence());
    caller.replied(ONE, answer(1, Outcome.STALE));
    tick(0);
    tick(1);
    assertThat(messages).as("the wait is doubled").hasSize(2);
    tick(1);
    assertThat(messages).hasSize(3);
    caller.replied(ONE, answer(2, Outcome.DONE));
    assertThat(ending.reply).isNotNull();
  }

  @Test
  void anOwnerThatIsBehindGetsTheTable() {
    install(table);
    submit(put("k"));
    caller.replied(ONE, OperationReply.refused(sent(0).id(), Outcome.STALE, table.epoch() - 1));
    assertThat(told).containsExactly(ONE + " at " + (table.epoch() - 1));
  }

  @Test
  void aNewTableSendsWhatIsUnderWayToTheNewPrimaryAtOnce() {
    install(table);
    submit(put("k"));
    SegmentTable newer = table.withoutMembers(table.epoch() + 1, Set.of(ONE));
    install(newer);
    install(table);
    assertThat(receivers).containsExactly(ONE, TWO);
    assertThat(sent(1).epoch()).isEqualTo(newer.epoch());
    assertThat(sent(1).id().sequence()).isEqualTo(sent(0).id().sequence());
  }

  @Test
  void aTableThatLeavesItsOwnersAloneSendsNothingAgain() {
    install(table);
    submit(put("k"));
    install(table.withMembers(table.epoch() + 1, List.of()));
    assertThat(messages).hasSize(1);
  }

  @Test
  void aGetGoesToAnotherOwnerWhenTheFirstIsSilentButAWriteDoesNot() {
    install(table);
    submit(get("k"));
    submit(put("k"));
    tick(0);
    tick(19);
    assertThat(receivers).hasSize(2);
    tick(1);
    assertThat(receivers).as("the read is hedged").containsExactly(ONE, ONE, TWO);
    tick(479);
    assertThat(receivers).hasSize(3);
    tick(1);
    assertThat(receivers).containsExactly(ONE, ONE, TWO, TWO, ONE);
  }

  @Test
  void aReadThatIsHedgedEndsWithTheFirstAnswer() {
    install(table);
    for (NodeId first : List.of(TWO, ONE)) {
      Ending read = submit(get("k"));
      int at = messages.size() - 1;
      tick(0);
      tick(20);
      assertThat(receivers.subList(at, at + 2)).containsExactly(ONE, TWO);
      assertThat(sent(at + 1).id()).isEqualTo(sent(at).id());
      caller.replied(first, answer(at, Outcome.DONE));
      caller.replied(first.equals(ONE) ? TWO : ONE, answer(at, Outcome.DONE));
      assertThat(read.calls).hasValue(1);
      assertThat(read.reply).isNotNull();
    }
  }

  @Test
  void aSecondOwnerThatDeclinesIsAskedAgainButNotAtOnce() {
    install(table);
    Ending read = submit(get("k"));
    tick(0);
    tick(20);
    caller.replied(TWO, answer(1, Outcome.STALE));
    tick(0);
    tick(19);
    assertThat(receivers).containsExactly(ONE, TWO);
    tick(1);
    assertThat(receivers).containsExactly(ONE, TWO, TWO);
    caller.replied(TWO, answer(2, Outcome.DONE));
    assertThat(read.reply).isNotNull();
  }

  @Test
  void aNodeThatAnswersAfterAllGetsMoreTime() {
    install(table);
    submit(get("k"));
    tick(0);
    tick(20);
    caller.replied(ONE, answer(0, Outcome.DONE));
    submit(get("k"));
    tick(0);
    tick(24);
    assertThat(receivers).containsExactly(ONE, TWO, ONE);
    tick(1);
    assertThat(receivers).containsExactly(ONE, TWO, ONE, TWO);
  }

  @Test
  void refusalsDoNotMakeTheWaitForAnAnswerLonger() {
    install(table);
    submit(put("k"));
    for (int refusals = 0; refusals < 8; refusals++) {
      caller.replied(ONE, answer(refusals, Outcome.STALE));
      tick(0);
      tick(64);
    }
    assertThat(messages).hasSize(9);
    tick(0);
    tick(500);
    assertThat(messages).hasSize(10);
  }

  @Test
  void aLostConnectionSendsAgainSoon() {
    install(table);
    submit(put("k"));
    caller.disconnected(TWO);
    tick(0);
    tick(5);
    assertThat(messages).hasSize(1);
    caller.disconnected(ONE);
    tick(0);
    tick(5);
    assertThat(messages).hasSize(2);
  }

  @Test
  void whenTimeIsUpAWriteIsUnknownAndAReadUnavailable() {
    install(table);
    Ending write = submit(put("k"));
    Ending read = submit(get("k"));
    tick(0);
    tick(2_999);
    assertThat(write.calls).hasValue(0);
    tick(1);
    assertThat(write.failure).isEqualTo(Failure.UNKNOWN);
    assertThat(write.message).contains("Segment 0", "\"c\"", "epoch 1.0", "in time");
    assertThat(read.failure).isEqualTo(Failure.UNAVAILABLE);
    String asked = table.members().get(0).name();
    assertThat(write.scope).isEqualTo(new FaultScope("c", List.of(0), List.of(asked)));
    assertThat(read.scope.missingNodes()).hasSize(1);
    caller.replied(ONE, answer(0, Outcome.DONE));
    assertThat(write.calls).hasValue(1);
  }

  @Test
  void aWriteThatWasOnlyEverRefusedIsUnavailableWhenTimeIsUp() {
    install(table);
    Ending write = submit(put("k"));
    caller.replied(ONE, answer(0, Outcome.STALE));
    endOfTime();
    assertThat(write.failure).isEqualTo(Failure.UNAVAILABLE);
    assertThat(write.scope).as("it has answered").isEqualTo(FaultScope.ofSegment("c", 0));
  }

  @Test
  void aRefusalThatComesTwiceDoesNotSpeakForAnotherNode() {
    install(table);
    Ending write = submit(put("k"));
    install(table.withoutMembers(table.epoch() + 1, Set.of(ONE)));
    assertThat(receivers).containsExactly(ONE, TWO);
    caller.replied(TWO, answer(1, Outcome.STALE));
    caller.replied(TWO, answer(1, Outcome.STALE));
    endOfTime();
    assertThat(write.failure).as("the first owner may have it").isEqualTo(Failure.UNKNOWN);
  }

  @Test
  void aRefusalThatComesTwiceDoesNotSpeakForAnotherAttempt() {
    install(table);
    Ending write = submit(put("k"));
    caller.disconnected(ONE);
    tick(0);
    tick(1);
    assertThat(receivers).containsExactly(ONE, ONE);
    caller.replied(ONE, answer(0, Outcome.STALE));
    caller.replied(ONE, answer(0, Outcome.STALE));
    endOfTime();
    assertThat(write.failure).as("the second attempt may lie there").isEqualTo(Failure.UNKNOWN);
  }

  @Test
  void theRefusalOfAnEarlierTargetCountsWheneverItComes() {
    install(table);
    Ending write = submit(put("k"));
    install(table.withoutMembers(table.epoch() + 1, Set.of(ONE)));
    caller.replied(TWO, answer(1, Outcome.STALE));
    caller.replied(ONE, answer(0, Outcome.STALE));
    endOfTime();
    assertThat(write.failure).isEqualTo(Failure.UNAVAILABLE);
  }

  @Test
  void anOldAttemptThatWasNotRefusedLeavesAWriteInDoubtForGood() {
    install(table);
    Ending write = new Ending();
    caller.submit(put("k"), 60_000 * MILLIS, write);
    caller.disconnected(ONE);
    for (int attempt = 1; attempt <= Long.SIZE + 1; attempt++) {
      tick(0);
      tick(64);
      assertThat(messages).hasSize(attempt + 1);
      caller.replied(ONE, answer(attempt, Outcome.STALE));
    }
    caller.replied(ONE, answer(0, Outcome.UNAVAILABLE));
    assertThat(write.failure).isEqualTo(Failure.UNKNOWN);
  }

  @Test
  void whetherAWriteIsDeclinedOrUnknownDependsOnTheAttemptsBefore() {
    install(table);
    Ending refusedBefore = submit(put("k"));
    caller.replied(ONE, answer(0, Outcome.STALE));
    tick(0);
    tick(1);
    caller.replied(ONE, answer(1, Outcome.UNAVAILABLE));
    assertThat(refusedBefore.failure).isEqualTo(Failure.UNAVAILABLE);

    Ending lostBefore = submit(put("k"));
    caller.disconnected(ONE);
    tick(0);
    tick(1);
    caller.replied(ONE, answer(3, Outcome.TOO_MANY_CACHES));
    assertThat(lostBefore.failure).isEqualTo(Failure.UNKNOWN);
  }

  /** So long without an answer that everything is given up, and nothing is sent again. */
  private void endOfTime() {
    caller.tick(nowMillis * MILLIS);
    nowMillis += 3_000;
    caller.tick(nowMillis * MILLIS);
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
      assertThat(submit(Request.count("c", 0, i % 64)).calls).hasValue(0);
    }
    assertThat(submit(Request.count("c", 0, 0)).failure).isEqualTo(Failure.OVERLOADED);
    assertThat(caller.outstanding()).isEqualTo(OperationClient.MAX_OUTSTANDING);
  }

  @Test
  void closingEndsEverything() {
    install(table);
    Ending ending = submit(put("k"));
    caller.close();
    assertThat(ending.failure).isEqualTo(Failure.CLOSED);
    assertThat(submit(put("k")).failure).isEqualTo(Failure.CLOSED);
  }

  @Test
  void anotherClusterEndsWhatIsUnderWay() {
    install(table);
    Ending write = submit(put("k"));
    install(table(3, 2));
    assertThat(write.failure).isEqualTo(Failure.UNKNOWN);
    assertThat(submit(put("k")).calls).hasValue(0);
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
