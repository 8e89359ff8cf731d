package dev.headrace.cluster.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.cache.CallPort;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.OperationClient;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.lane.LaneHost;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SuspendedException;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.store.MemoryBudget;
import dev.headrace.stream.store.SegmentStore;
import dev.headrace.stream.store.StoreLimits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a node refuses while its part of the cluster must not go on, and when it is closed. */
class NodeCallsTest {
  private static final NodeId SELF = new NodeId(0, 1);
  private static final byte[] KEY = {1};
  private static final String REASON = "too few nodes are reached";
  private static final List<String> MISSING = List.of("one", "two");

  private final List<Message> sent = new ArrayList<>();
  private final List<String> outcomes = new ArrayList<>();
  private final List<FaultScope> scopes = new ArrayList<>();
  private final List<Throwable> readFailures = new ArrayList<>();
  private int reads;
  private long nanos;
  private int resent;
  private OperationClient caller;
  private NodeCalls calls;

  private final Completion completion =
      new Completion() {
        @Override
        public void done(OperationReply reply) {
          outcomes.add("done");
        }

        @Override
        public void resent() {
          resent++;
        }

        @Override
        public void failed(OperationFault fault) {
          scopes.add(fault.scope());
          outcomes.add(fault.failure() + ": " + fault.message());
        }
      };

  private final LaneHost host = new QuietLaneHost();

  @BeforeEach
  void start() {
    Member member = new Member(SELF, "node", "localhost", 1, "", 1);
    TableHeader header = new TableHeader(Epoch.first(1, SELF), 5, 0, 7, 1, 1, 1 << 20);
    SegmentTable table = SegmentTable.of(header, List.of(member), new int[][] {{0}});
    Lanes lanes =
        new Lanes(
            LaneSettings.of(SELF, 1),
            MemoryBudget.unlimited(),
            space -> new SegmentStore(space, () -> 1, StoreLimits.DEFAULT),
            (to, message) -> sent.add(message),
            (node, request, handler) -> {},
            host,
            () -> true);
    lanes.onTable(TableDelta.fromNothing(table), table);
    caller = new OperationClient(SELF, (to, message) -> sent.add(message), host);
    caller.onTable(TableDelta.fromNothing(table), table);
    NodeSettings settings = NodeSettings.builder().maxEntryBytes(1 << 20).build();
    calls = new NodeCalls(settings, lanes, caller, () -> MISSING, () -> nanos);
  }

  @Test
  void whoObservesHearsOfEachEndAndHowLongItTook() {
    List<String> heard = new ArrayList<>();
    calls.observe(
        new CallObserver() {
          @Override
          public void readHere() {
            heard.add("here");
          }

          @Override
          public void ended(String operation, long took, boolean failed) {
            heard.add(operation + " " + took + (failed ? " failed" : ""));
          }
        },
        null);
    calls.submit(oneOfEachKind().get(1), completion);
    nanos = 7;
    calls.suspended(REASON);
    calls.submit(oneOfEachKind().get(3), completion);
    calls.close();
    assertThat(heard).containsExactly("clear 0 failed", "put 7 failed");
    assertThat(outcomes).hasSize(2);

    heard.clear();
    calls.observe(null, null);
    calls.submit(oneOfEachKind().get(0), completion);
    assertThat(heard).isEmpty();
  }

  private static List<Request> oneOfEachKind() {
    return List.of(
        Request.get("c", 0, KEY, true),
        Request.set(Kind.PUT, "c", 0, KEY, KEY, 0, false),
        Request.remove("c", 0, KEY, false),
        Request.clear("c", 0, 0));
  }

  private ReadPort guarded() {
    return calls.guarding((node, request, handler) -> reads++);
  }

  private void read(ReadPort port) {
    ReadRequest request =
        new ReadRequest(
            "c",
            0,
            0,
            new int[] {0},
            new int[] {0},
            Cursor.START,
            1,
            1,
            false,
            Projection.ENTRIES,
            null);
    port.read(
        SELF,
        request,
        new ReadHandler() {
          @Override
          public void received(Batch batch) {
            throw new AssertionError("nobody answered");
          }

          @Override
          public void failed(Throwable cause) {
            readFailures.add(cause);
          }
        });
  }

  @Test
  void aSuspendedNodeReadsNothingOfItsOwn() {
    Request get = Request.get("c", 0, KEY, true);
    assertThat(calls.readHere(get)).isNotNull();
    calls.suspended(REASON);
    assertThat(calls.readHere(get)).isNull();
    calls.suspended(null);
    assertThat(calls.readHere(get)).isNotNull();
  }

  @Test
  void aSuspendedNodeRefusesCallsOfEveryKind() {
    CallPort port = calls;
    calls.suspended(REASON);
    oneOfEachKind().forEach(request -> port.submit(request, completion));
    assertThat(outcomes).hasSize(4).allMatch(("UNAVAILABLE: " + REASON)::equals);
    assertThat(scopes).containsOnly(new FaultScope("c", List.of(), MISSING));
    assertThat(sent).isEmpty();
    calls.suspended(null);
    oneOfEachKind().forEach(request -> port.submit(request, completion));
    assertThat(sent).hasSize(4);
  }

  @Test
  void aSuspendedOrClosedNodeAsksNobodyForManyKeys() {
    List<BulkReadReply> replies = new ArrayList<>();
    EncodedKeys keys = new EncodedKeys(KEY, new int[] {1});
    BulkRead read = new BulkRead(0, "c", 0, 1, 1, keys);
    calls.suspended(REASON);
    calls.ask(SELF, read, replies::add);
    assertThat(replies).containsExactly((BulkReadReply) null);
    assertThat(sent).isEmpty();
    calls.suspended(null);
    calls.ask(SELF, read, replies::add);
    assertThat(sent).hasSize(1);
    assertThat(replies).hasSize(1);
    calls.close();
    assertThat(replies).containsExactly(null, null);
    calls.ask(SELF, read, replies::add);
    assertThat(replies).containsExactly(null, null, null);
  }

  @Test
  void requestsOfABatchLeaveWhenItIsSent() {
    CallPort.Batch batch = calls.batch();
    oneOfEachKind().forEach(request -> batch.submit(request, completion));
    assertThat(sent).isEmpty();
    assertThat(caller.outstanding()).isEqualTo(4);
    batch.send();
    assertThat(sent).hasSize(4);
    assertThat(outcomes).isEmpty();
  }

  @Test
  void aSuspendedNodeRefusesReadsOfBatches() {
    ReadPort guarded = guarded();
    read(guarded);
    assertThat(reads).isEqualTo(1);
    calls.suspended(REASON);
    read(guarded);
    assertThat(reads).isEqualTo(1);
    assertThat(readFailures)
        .singleElement()
        .isInstanceOfSatisfying(
            SuspendedException.class,
            refusal -> {
              assertThat(refusal).hasMessage(REASON);
              assertThat(refusal.missingNodes()).isEqualTo(MISSING);
            });
  }

  @Test
  void aClosedNodeRefusesReadsOfBatches() {
    ReadPort guarded = guarded();
    calls.suspended(REASON);
    calls.close();
    read(guarded);
    assertThat(readFailures).singleElement().isInstanceOf(NodeClosedException.class);
  }

  @Test
  void aClosedNodeSaysThatItIsClosedEvenIfItWasSuspended() {
    calls.suspended(REASON);
    calls.close();
    calls.submit(Request.get("c", 0, KEY, true), completion);
    assertThat(outcomes).singleElement().asString().startsWith("CLOSED");
  }

  @Test
  void theBytesOfWritesUnderWayAreBounded() {
    byte[] large = new byte[1 << 20];
    for (int i = 0; i < 200; i++) {
      calls.submit(Request.set(Kind.PUT, "c", 0, KEY, large, 0, false), completion);
    }
    assertThat(sent).hasSizeBetween(120, 128);
    assertThat(outcomes).hasSize(200 - sent.size()).allMatch(o -> o.startsWith("OVERLOADED"));
    caller.close(); // ends what is under way
    outcomes.clear();
    assertThat(caller.outstanding()).isZero();
  }

  @Test
  void callersHearThatALargeWriteIsSentAgainAsTheyDoOfASmallOne() {
    for (int bytes : new int[] {1, 1 << 20}) {
      calls.submit(Request.set(Kind.PUT, "c", 0, KEY, new byte[bytes], 0, false), completion);
    }
    caller.disconnected(SELF);
    for (int second = 0; second < 3; second++) {
      caller.tick(second * 1_000_000_000L);
    }
    assertThat(sent).hasSize(4);
    assertThat(resent).isEqualTo(2);
  }

  @Test
  void anExpectedValueCountsAmongTheBytesUnderWay() {
    byte[] large = new byte[1 << 20];
    for (int i = 0; i < 200; i++) {
      calls.submit(Request.ifEqual("c", 0, KEY, large, null, 0), completion);
    }
    assertThat(sent).hasSizeBetween(120, 128);
    assertThat(outcomes).hasSize(200 - sent.size()).allMatch(o -> o.startsWith("OVERLOADED"));
    caller.close(); // ends what is under way
  }

  @Test
  void whoWaitsForTheEndIsToldOnceWhyTheNodeGoesAndAlsoWhoComesLate() {
    List<String> told = new ArrayList<>();
    calls.whenEnded(reason -> told.add("first " + reason));
    calls.whenEnded(reason -> told.add("forgotten " + reason)).run();
    assertThat(told).isEmpty();
    calls.retire("another life");
    calls.whenEnded(reason -> told.add("late " + reason));
    String unavailable = UnavailableException.class.getName() + ": another life";
    assertThat(told).containsExactly("first " + unavailable, "late " + unavailable);
  }

  @Test
  void whoWaitsForTheEndIsToldThatTheNodeWasClosed() {
    List<HeadraceException> told = new ArrayList<>();
    calls.whenEnded(told::add);
    calls.close();
    assertThat(told).singleElement().isInstanceOf(NodeClosedException.class);
  }

  @Test
  void whoThrowsWhenToldOfTheEndKeepsNobodyElseWaiting() {
    List<HeadraceException> told = new ArrayList<>();
    calls.whenEnded(
        reason -> {
          throw new IllegalStateException("a broken executor");
        });
    calls.whenEnded(
        reason -> {
          throw new LinkageError("half of the classes are missing");
        });
    calls.whenEnded(told::add);
    calls.close();
    assertThat(told).hasSize(1);
  }

  @Test
  void readsThatNobodyAnswersFailWhenTheNodeIsClosed() {
    read(guarded());
    assertThat(readFailures).isEmpty();
    calls.close();
    assertThat(readFailures).singleElement().isInstanceOf(NodeClosedException.class);
  }

  @Test
  void readsThatNobodyAnswersFailWhenAnotherLifeFollows() {
    read(guarded());
    calls.retire(REASON);
    assertThat(readFailures)
        .singleElement()
        .isInstanceOf(SuspendedException.class)
        .satisfies(failure -> assertThat(failure).hasMessage(REASON));
  }

  @Test
  void anAnswerThatComesAfterTheEndIsGivenBack() {
    List<ReadHandler> asked = new ArrayList<>();
    AtomicInteger released = new AtomicInteger();
    read(calls.guarding((node, request, handler) -> asked.add(handler)));
    calls.close();
    ByteBuffer nothing = ByteBuffer.allocate(0);
    asked
        .get(0)
        .received(
            new Batch(1, nothing, List.of(), 0, Batch.NO_SEQUENCE, released::incrementAndGet));
    asked.get(0).failed(new IllegalStateException("too late, too"));
    assertThat(released).hasValue(1);
    assertThat(readFailures).hasSize(1);
  }

  @Test
  void readsThatWereAnsweredHearNothingOfTheEnd() {
    List<ReadHandler> asked = new ArrayList<>();
    IllegalStateException answer = new IllegalStateException("no");
    read(calls.guarding((node, request, handler) -> asked.add(handler)));
    read(calls.guarding((node, request, handler) -> handler.failed(answer)));
    asked.get(0).failed(answer);
    calls.close();
    assertThat(readFailures).containsExactly(answer, answer);
  }
}
