package dev.headrace.cluster.wire;

import static dev.headrace.cluster.wire.TestNode.message;
import static dev.headrace.cluster.wire.TestNode.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.error.WireException;
import dev.headrace.cluster.wire.codec.Messages;
import dev.headrace.rebalance.message.Message;
import dev.headrace.rebalance.message.OperationReply;
import dev.headrace.rebalance.message.Replicated;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WireTransportTest {
  private final TestNode.Neighbours neighbours = new TestNode.Neighbours();

  @Test
  void messagesOfManySendersArriveEachInOrder() throws Exception {
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2)) {
      int each = 20_000;
      List<Thread> senders = new ArrayList<>();
      for (int sender = 0; sender < 4; sender++) {
        long first = (long) sender << 32;
        senders.add(
            new Thread(
                () -> {
                  for (int i = 0; i < each; i++) {
                    a.transport.send(b.id, message(first + i));
                  }
                }));
      }
      senders.forEach(Thread::start);
      int[] expected = new int[4];
      for (int i = 0; i < 4 * each; i++) {
        long number = ((Replicated) b.nextMessage()).sequence();
        assertThat((int) number).isEqualTo(expected[(int) (number >>> 32)]++);
      }
      assertThat(a.disconnected).isEmpty();
      assertThat(b.disconnected).isEmpty();
    }
  }

  @Test
  void messagesOfAllKindsAndSizesArriveAsTheyWere() throws Exception {
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2)) {
      Random random = new Random(1);
      List<Message> sent = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        sent.add(i % 50 == 0 ? reply(random.nextInt(3 << 20)) : Messages.of(random));
      }
      sent.add(reply(TestNode.MAX_ENTRY_BYTES));
      sent.forEach(message -> a.transport.send(b.id, message));
      for (Message message : sent) {
        Message received = b.nextMessage();
        if (message instanceof OperationReply reply) {
          assertThat(Arrays.equals(((OperationReply) received).value(), reply.value())).isTrue();
        } else {
          assertThat(received).usingRecursiveComparison().isEqualTo(message);
        }
      }
    }
  }

  @Test
  void bothNodesMaySpeakFirst() throws Exception {
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2)) {
      a.transport.send(b.id, message(1));
      b.transport.send(a.id, message(2));

      assertThat(b.nextMessage()).isEqualTo(message(1));
      assertThat(a.nextMessage()).isEqualTo(message(2));
    }
  }

  @Test
  void aConnectionIsOpenedAgainAfterTheOtherNodeDied() throws Exception {
    try (TestNode a = neighbours.start(1)) {
      TestNode b = neighbours.start(2);
      a.transport.send(b.id, message(1));
      b.transport.send(a.id, message(2));
      b.nextMessage();
      a.nextMessage();

      b.transport.kill();
      assertThat(TestNode.next(a.disconnected)).isEqualTo(b.id);
      assertThat(TestNode.next(a.disconnected)).as("in both directions").isEqualTo(b.id);
      assertThat(b.disconnected).as("the dead say nothing").isEmpty();

      try (TestNode again = neighbours.start(2)) {
        a.transport.send(again.id, message(3));
        a.transport.send(again.id, message(4));
        assertThat(again.nextMessage()).isEqualTo(message(3));
        assertThat(again.nextMessage()).isEqualTo(message(4));
      }
    }
  }

  @Test
  void aNodeThatCannotBeReachedIsAnnouncedAsDisconnected() throws Exception {
    try (TestNode a = neighbours.start(1)) {
      NodeId stranger = new NodeId(9, 9);
      a.transport.send(stranger, message(1));

      assertThat(TestNode.next(a.disconnected)).isEqualTo(stranger);
    }
  }

  @Test
  void aReadFromAStrangerFails() {
    try (TestNode a = neighbours.start(1)) {
      assertThatThrownBy(() -> get(a.read(new NodeId(9, 9), request(1, 100))))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("is not a member");
    }
  }

  @Test
  void batchesOfAllSizesArriveWhole() throws Exception {
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2)) {
      for (int bytes : new int[] {1, 30, 1000, 16_000, 16_384, 40_000, 1 << 20, (64 << 20) + 7}) {
        Batch batch = get(a.read(b.id, request(bytes, bytes)));
        assertThat(batch.epoch()).isEqualTo(17);
        assertThat(batch.parts())
            .containsExactly(new SegmentPart(5, 1, SegmentPart.Status.DONE, Cursor.START));
        assertFilled(batch, bytes, bytes);
        batch.release();
      }
    }
  }

  @Test
  void manyReadsAtOnceAreEachAnswered() throws Exception {
    try (TestNode a =
            neighbours.start(
                1, settings -> settings.with(new WireSettings.Sizes(2, 2, 2, 0)), TestNode::fill);
        TestNode b = neighbours.start(2)) {
      List<CompletableFuture<Batch>> answers = new ArrayList<>();
      for (int i = 0; i < 2000; i++) {
        answers.add(a.read(b.id, request(i, 1 + i * 7 % 30_000)));
      }
      for (int i = 0; i < answers.size(); i++) {
        Batch batch = get(answers.get(i));
        assertFilled(batch, i, 1 + i * 7 % 30_000);
        batch.release();
      }
    }
  }

  @Test
  void aNodeReadsFromItselfWithoutTheWire() {
    try (TestNode a = neighbours.start(1)) {
      CompletableFuture<Batch> answer = a.read(a.id, request(3, 1000));

      assertThat(answer).isDone();
      assertFilled(answer.join(), 3, 1000);
      answer.join().release();
    }
  }

  @Test
  void anAnswerMayCarryNoEntriesAndManyPartsWithLongKeys() throws Exception {
    List<SegmentPart> parts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      parts.add(
          new SegmentPart(i, 0, SegmentPart.Status.MORE, Cursor.after(i - 1L, new byte[100_000])));
    }
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2, s -> s, (request, reply) -> reply.answer(4, parts, 99))) {
      Batch batch = get(a.read(b.id, request(1, 1)));
      assertThat(batch.entries().remaining()).isZero();
      assertThat(batch.parts()).isEqualTo(parts);
      assertThat(batch.entryBytes()).isEqualTo(99);
      batch.release();
    }
  }

  @Test
  void aReadThatFailsOnTheOtherNodeFailsAlone() throws Exception {
    ReadService moody =
        (request, reply) -> {
          if (request.format() == 1) {
            throw new IllegalStateException("the mill is broken");
          } else if (request.format() == 2) {
            reply.fail("come back later");
          } else {
            TestNode.fill(request, reply);
          }
        };
    try (TestNode a = neighbours.start(1, s -> s, moody);
        TestNode b = neighbours.start(2, s -> s, moody)) {
      for (NodeId node : List.of(a.id, b.id)) {
        assertThatThrownBy(() -> get(a.read(node, request(1, 10))))
            .hasMessageContaining("the mill is broken");
        assertThatThrownBy(() -> get(a.read(node, request(2, 10))))
            .isInstanceOf(WireException.class)
            .hasMessageContaining("come back later");
        get(a.read(node, request(3, 10))).release();
      }
    }
  }

  @Test
  void readsThatWaitFailWhenTheirNodeDies() throws Exception {
    BlockingQueue<ReadReply> unanswered = new LinkedBlockingQueue<>();
    try (TestNode a = neighbours.start(1)) {
      TestNode b = neighbours.start(2, s -> s, (request, reply) -> unanswered.add(reply));
      List<CompletableFuture<Batch>> reads = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        reads.add(a.read(b.id, request(i, 10)));
      }
      for (int i = 0; i < 10; i++) {
        TestNode.next(unanswered);
      }
      b.transport.kill();
      for (CompletableFuture<Batch> read : reads) {
        assertThatThrownBy(() -> get(read)).isInstanceOf(HeadraceException.class);
      }
    }
  }

  @Test
  void readsThatWaitFailWhenTheirNodeIsForgotten() throws Exception {
    BlockingQueue<ReadReply> unanswered = new LinkedBlockingQueue<>();
    try (TestNode a = neighbours.start(1);
        TestNode b =
            neighbours.start(
                2,
                s -> s,
                (request, reply) -> {
                  if (request.format() == 1) {
                    unanswered.add(reply);
                  } else {
                    TestNode.fill(request, reply);
                  }
                })) {
      CompletableFuture<Batch> read = a.read(b.id, request(1, 10));
      TestNode.next(unanswered);

      a.transport.forget(b.id);

      assertThatThrownBy(() -> get(read))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("has left");
      get(a.read(b.id, request(2, 10))).release();
    }
  }

  @Test
  void aClosedNodeRefusesReadsAndLosesMessages() throws Exception {
    try (TestNode b = neighbours.start(2)) {
      TestNode a = neighbours.start(1);
      a.transport.send(b.id, message(1));
      assertThat(b.nextMessage()).isEqualTo(message(1));
      a.close();
      assertThat(TestNode.next(b.disconnected)).isEqualTo(a.id);

      a.transport.send(b.id, message(2));
      for (NodeId node : List.of(a.id, b.id)) {
        assertThatThrownBy(() -> get(a.read(node, request(1, 10))))
            .isInstanceOf(NodeClosedException.class);
      }
      // Whatever a had still sent would have come before what its successor sends.
      try (TestNode again = neighbours.start(1)) {
        again.transport.send(b.id, message(3));
        assertThat(b.nextMessage()).isEqualTo(message(3));
      }
      assertThat(b.messages).isEmpty();
      assertThat(a.disconnected).as("the closed say nothing").isEmpty();
      assertThat(a.transport.usedBufferBytes()).isZero();
    }
  }

  @Test
  void largeMessagesThatWereSentBeforeCloseArrive() throws Exception {
    try (TestNode b = neighbours.start(2)) {
      TestNode a = neighbours.start(1);
      a.transport.send(b.id, message(0));
      b.nextMessage();
      OperationReply large = reply(8 << 20);
      for (int i = 0; i < 5; i++) {
        a.transport.send(b.id, large); // more than any socket buffer takes
      }
      a.transport.send(b.id, message(1));
      a.close();
      for (int i = 0; i < 5; i++) {
        assertThat(((OperationReply) b.nextMessage()).value()).hasSize(8 << 20);
      }
      assertThat(b.nextMessage()).isEqualTo(message(1));
      assertThat(a.transport.usedBufferBytes()).isZero();
    }
  }

  @Test
  void answersThatWereGivenBeforeCloseArrive() throws Exception {
    try (TestNode a = neighbours.start(1)) {
      TestNode b = neighbours.start(2);
      CompletableFuture<Batch> answer = a.read(b.id, request(5, 48 << 20));
      TestNode.await(() -> b.transport.usedBufferBytes() > 48 << 20 || answer.isDone());
      b.close();
      Batch batch = get(answer);
      assertFilled(batch, 5, 48 << 20);
      batch.release();
    }
  }

  @Test
  void aLateMessageToANodeThatHasLeftOpensNothing() throws Exception {
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2)) {
      a.transport.send(b.id, message(1));
      b.nextMessage();
      neighbours.members.remove(b.id);
      a.transport.forget(b.id);
      assertThat(TestNode.next(a.disconnected)).isEqualTo(b.id);

      a.transport.send(b.id, message(2));
      assertThat(TestNode.next(a.disconnected)).as("as lost").isEqualTo(b.id);
      assertThat(a.transport.peers()).isZero();
      assertThat(b.messages).isEmpty();
    }
  }

  @Test
  void closingWhileConnectionsAreOpenedLeavesNone() throws Exception {
    try (TestNode b = neighbours.start(2)) {
      for (int i = 0; i < 50; i++) {
        TestNode a = neighbours.start(1);
        a.transport.send(b.id, message(i));
        if (i % 2 == 0) {
          a.transport.forget(b.id); // closes the link, perhaps just when it is being opened
        }
        a.close();
        assertThat(a.transport.usedBufferBytes()).isZero();
      }
      b.messages.clear();
      TestNode.await(() -> b.transport.openConnections() == 0);
    }
  }

  @Test
  void aLoopThatOnlyAnswersWritesWhileItReads() throws Exception {
    try (TestNode a = neighbours.start(1, WireTransportTest::limited, TestNode::fill)) {
      OperationReply answer = reply(64 << 10);
      WireTransport[] answering = new WireTransport[1];
      long[] most = new long[1];
      Executor echo =
          task -> {
            task.run();
            WireTransport transport = answering[0];
            if (transport != null) {
              transport.send(a.id, answer);
              most[0] = Math.max(most[0], transport.usedBufferBytes());
            }
          };
      try (TestNode b =
          neighbours.start(
              2,
              s -> limited(s).with(new WireSettings.HandOver(echo, WireSettings.INLINE)),
              TestNode::fill)) {
        answering[0] = b.transport;
        for (int i = 0; i < 2000; i++) {
          a.transport.send(b.id, message(i)); // 125 MiB of answers to a few reads
        }
        for (int i = 0; i < 2000; i++) {
          assertThat(((OperationReply) a.nextMessage()).value()).hasSize(64 << 10);
        }
        assertThat(b.disconnected).isEmpty();
        assertThat(a.disconnected).isEmpty();
      }
    }
  }

  @Test
  void whatWasSentBeforeCloseArrives() throws Exception {
    try (TestNode b = neighbours.start(2)) {
      TestNode a = neighbours.start(1);
      a.transport.send(b.id, message(0));
      b.nextMessage();
      for (int i = 1; i <= 1000; i++) {
        a.transport.send(b.id, message(i));
      }
      a.close();
      for (int i = 1; i <= 1000; i++) {
        assertThat(b.nextMessage()).isEqualTo(message(i));
      }
    }
  }

  @Test
  void aNodeThatDoesNotKeepUpIsGivenUpAndMemoryStaysBounded() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    Executor stuck =
        task -> {
          awaitLatch(blocked);
          task.run();
        };
    try (TestNode a = neighbours.start(1, WireTransportTest::limited, TestNode::fill);
        TestNode b =
            neighbours.start(
                2,
                s -> limited(s).with(new WireSettings.HandOver(stuck, WireSettings.INLINE)),
                TestNode::fill);
        Unblocking unblocking = new Unblocking(blocked)) {
      Message large = reply(1 << 20);
      long mostBytes = 0;
      for (int i = 0; i < 1000 && a.disconnected.isEmpty(); i++) {
        a.transport.send(b.id, large);
        mostBytes = Math.max(mostBytes, a.transport.usedBufferBytes());
      }
      assertThat(TestNode.next(a.disconnected)).isEqualTo(b.id);
      assertThat(mostBytes).isLessThan(2 * (256L << 20));
      unblocking.latch().countDown();
      assertThat(TestNode.next(b.disconnected)).isEqualTo(a.id);
    }
  }

  @Test
  void noBufferIsLeftBehind() throws Exception {
    TestNode a = neighbours.start(1);
    TestNode b = neighbours.start(2);
    a.transport.send(b.id, message(1));
    b.nextMessage();
    Batch held = get(a.read(b.id, request(1, 100_000)));
    Batch local = get(a.read(a.id, request(1, 100_000)));
    a.close();
    b.transport.kill();

    assertThat(b.transport.usedBufferBytes()).isZero();
    assertThat(a.transport.usedBufferBytes()).isGreaterThanOrEqualTo(200_000);
    held.release();
    local.release();
    assertThat(a.transport.usedBufferBytes()).isZero();
    assertThatThrownBy(held::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anInterruptedSenderBreaksNothing() throws Exception {
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2)) {
      a.transport.send(b.id, message(0));
      assertThat(b.nextMessage()).isEqualTo(message(0));
      Thread sender =
          new Thread(
              () -> {
                Thread.currentThread().interrupt();
                for (int i = 1; i <= 100; i++) {
                  a.transport.send(b.id, message(i));
                }
              });
      sender.start();
      for (int i = 1; i <= 100; i++) {
        assertThat(b.nextMessage()).isEqualTo(message(i));
      }
      assertThat(a.disconnected).isEmpty();
    }
  }

  @Test
  void readsAnsweredLaterByOtherThreadsAreBoundedAndAllAnswered() throws Exception {
    BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    try (TestNode a = neighbours.start(1);
        TestNode b =
            neighbours.start(
                2, s -> s, (request, reply) -> waiting.add(() -> TestNode.fill(request, reply)))) {
      List<CompletableFuture<Batch>> answers = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        answers.add(a.read(b.id, request(i, 100)));
      }
      for (int i = 0; i < 500; i++) {
        Runnable answer = TestNode.next(waiting);
        assertThat(waiting).hasSizeLessThan(64);
        answer.run();
      }
      for (CompletableFuture<Batch> answer : answers) {
        get(answer).release();
      }
    }
  }

  @Test
  void aTakenPortIsNamed() {
    try (TestNode a = neighbours.start(1)) {
      int port = a.transport.port();
      assertThatThrownBy(
              () ->
                  WireTransport.start(
                      WireSettings.of("mill", new NodeId(2, 2), "127.0.0.1", port, () -> 1000),
                      neighbours.members::get,
                      a,
                      TestNode::fill))
          .isInstanceOf(HeadraceException.class)
          .hasMessageContaining("127.0.0.1:" + port)
          .hasMessageContaining("dataPort");
    }
  }

  /** Lets a blocked loop go on before the nodes are closed, however the test ends. */
  private record Unblocking(CountDownLatch latch) implements AutoCloseable {
    @Override
    public void close() {
      latch.countDown();
    }
  }

  /** Entries of at most 4 MiB. */
  private static WireSettings limited(WireSettings s) {
    return new WireSettings(
        s.clusterName(),
        s.self(),
        s.bindAddress(),
        s.port(),
        () -> 4 << 20,
        s.sizes(),
        s.handOver());
  }

  private static OperationReply reply(int bytes) {
    byte[] value = new byte[bytes];
    new Random(bytes).nextBytes(value);
    return new OperationReply(bytes, OperationReply.Outcome.DONE, true, value, 1, 2, 3, 4);
  }

  private static void assertFilled(Batch batch, int first, int bytes) {
    ByteBuffer entries = batch.entries();
    assertThat(entries.isDirect()).isTrue();
    assertThat(entries.remaining()).isEqualTo(bytes);
    byte expected = (byte) first;
    while (entries.hasRemaining()) {
      if (entries.get() != expected++) {
        throw new AssertionError("another byte at " + entries.position());
      }
    }
  }

  private static Batch get(CompletableFuture<Batch> answer) throws Exception {
    try {
      return answer.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw (Exception) e.getCause();
    }
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
