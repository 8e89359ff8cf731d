package dev.headrace.cluster.wire;

import static dev.headrace.cluster.wire.TestNode.message;
import static dev.headrace.cluster.wire.TestReplies.reply;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.cluster.wire.codec.Messages;
import dev.headrace.cluster.wire.connection.Link;
import dev.headrace.rebalance.table.Member;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.Replicated;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class WireTransportTest {
  private final TestNode.Neighbours neighbours = new TestNode.Neighbours(security());

  /** How many answers of 64 KiB are told at once. */
  int answers() {
    return 2000;
  }

  /** What the nodes prove to each other; nothing here. */
  PortSecurity security() {
    return PortSecurity.NONE;
  }

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
        sent.add(i % 50 == 0 ? reply(random.nextInt(3 << 20)) : Messages.single(random));
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
  void answersTakeTheConnectionOfTheRequests() throws Exception {
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2)) {
      for (int i = 0; i < 100; i++) {
        a.transport.send(b.id, message(i));
        assertThat(b.nextMessage()).isEqualTo(message(i));
        b.transport.send(a.id, message(-i));
        assertThat(a.nextMessage()).isEqualTo(message(-i));
      }
      assertThat(a.transport.openConnections()).isEqualTo(1);
      assertThat(b.transport.openConnections()).isEqualTo(1);
    }
  }

  /** Such a node closes a connection that it has opened when messages come over it. */
  @Test
  void aNodeOfAnEarlierVersionIsAnsweredOverAConnectionToIt() throws Exception {
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2)) {
      neighbours.limit(a.id, Link.BOTH_WAYS_PROTOCOL - 1);
      neighbours.limit(b.id, Link.BOTH_WAYS_PROTOCOL - 1);
      for (int i = 0; i < 100; i++) {
        a.transport.send(b.id, message(i));
        assertThat(b.nextMessage()).isEqualTo(message(i));
        b.transport.send(a.id, message(-i));
        assertThat(a.nextMessage()).isEqualTo(message(-i));
      }
      assertThat(a.transport.openConnections()).isEqualTo(2);
      assertThat(b.transport.openConnections()).isEqualTo(2);
      assertThat(a.disconnected).isEmpty();
      assertThat(b.disconnected).isEmpty();
    }
  }

  @Test
  void nodesThatOpenConnectionsToEachOtherAtTheSameTimeLoseNothing() throws Exception {
    int rounds = 30;
    int each = 200;
    int single = 0;
    for (int round = 0; round < rounds; round++) {
      try (TestNode a = neighbours.start(1);
          TestNode b = neighbours.start(2)) {
        CyclicBarrier together = new CyclicBarrier(2);
        Thread other = new Thread(() -> sendAll(b, a, together, each));
        other.start();
        sendAll(a, b, together, each);
        other.join();
        for (int i = 0; i < each; i++) {
          assertThat(a.nextMessage()).isEqualTo(message(i));
          assertThat(b.nextMessage()).isEqualTo(message(i));
        }
        assertThat(b.disconnected).as("what it sends over is open").isEmpty();
        single += a.transport.openConnections() == 1 ? 1 : 0;
      }
    }
    assertThat(single).as("rounds that ended with one connection").isPositive();
  }

  private static void sendAll(TestNode from, TestNode to, CyclicBarrier together, int count) {
    try {
      together.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new AssertionError(e);
    }
    for (int i = 0; i < count; i++) {
      from.transport.send(to.id, message(i));
    }
  }

  @Test
  void theEndOfASharedConnectionIsToldOnceToEachNode() throws Exception {
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2)) {
      a.transport.send(b.id, message(1));
      assertThat(b.nextMessage()).isEqualTo(message(1));
      b.transport.send(a.id, message(2));
      assertThat(a.nextMessage()).isEqualTo(message(2));
      a.transport.forget(b.id);
      assertThat(TestNode.next(a.disconnected)).isEqualTo(b.id);
      assertThat(TestNode.next(b.disconnected)).isEqualTo(a.id);

      b.transport.send(a.id, message(3)); // b's link notices no second loss, and opens another one
      assertThat(a.nextMessage()).isEqualTo(message(3));
      a.transport.send(b.id, message(4));
      assertThat(b.nextMessage()).isEqualTo(message(4));
      assertThat(a.disconnected).isEmpty();
      assertThat(b.disconnected).isEmpty();
      assertThat(a.transport.openConnections()).isEqualTo(1);
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
  void whatIsSentToAStrangerIsToldNoMoreOftenThanItHasToBe() throws Exception {
    try (TestNode a = neighbours.start(1)) {
      NodeId stranger = new NodeId(9, 9);
      long began = System.nanoTime();
      for (int i = 0; i < 10_000; i++) {
        a.transport.send(stranger, message(i));
      }
      assertThat(TestNode.next(a.disconnected)).isEqualTo(stranger);
      a.transport.send(stranger, message(0));
      assertThat(TestNode.next(a.disconnected)).as("what was sent later").isEqualTo(stranger);
      long moments = (System.nanoTime() - began) / 10_000_000;
      assertThat((long) a.disconnected.size()).isLessThanOrEqualTo(moments + 1);
    }
  }

  @Test
  void aLoopThatOnlyAnswersWritesWhileItReads() throws Exception {
    try (TestNode a = neighbours.start(1, WireTransportTest::limited, TestNode::countUp)) {
      OperationReply answer = reply(64 << 10);
      WireTransport[] answering = new WireTransport[1];
      long[] most = new long[1];
      Executor echo =
          task -> {
            task.run();
            WireTransport transport = answering[0];
            if (transport != null) {
              transport.send(a.id, answer);
              most[0] = Math.max(most[0], transport.buffers().usedBytes());
            }
          };
      try (TestNode b =
          neighbours.start(
              2,
              s -> limited(s).with(new WireSettings.HandOver(echo, WireSettings.INLINE)),
              TestNode::countUp)) {
        answering[0] = b.transport;
        for (int i = 0; i < answers(); i++) {
          a.transport.send(b.id, message(i)); // 20 MiB of answers and more to a few reads
        }
        for (int i = 0; i < answers(); i++) {
          assertThat(((OperationReply) a.nextMessage()).value()).hasSize(64 << 10);
        }
        assertThat(b.disconnected).isEmpty();
        assertThat(a.disconnected).isEmpty();
      }
    }
  }

  @Test
  void aNodeThatDoesNotKeepUpIsGivenUpAndMemoryStaysBounded() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    Executor stuck =
        task -> {
          TestNode.await(blocked);
          task.run();
        };
    try (TestNode a = neighbours.start(1, WireTransportTest::limited, TestNode::countUp);
        TestNode b =
            neighbours.start(
                2,
                s -> limited(s).with(new WireSettings.HandOver(stuck, WireSettings.INLINE)),
                TestNode::countUp);
        Unblocking unblocking = new Unblocking(blocked)) {
      Message large = reply(1 << 20);
      long mostBytes = 0;
      for (int i = 0; i < 1000 && a.disconnected.isEmpty(); i++) {
        a.transport.send(b.id, large);
        mostBytes = Math.max(mostBytes, a.transport.buffers().usedBytes());
      }
      assertThat(TestNode.next(a.disconnected)).isEqualTo(b.id);
      assertThat(mostBytes).isLessThan(2 * (256L << 20));
      unblocking.latch().countDown();
      assertThat(TestNode.next(b.disconnected)).isEqualTo(a.id);
    }
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
  void whoHasLeftIsServedNoMoreUntilItIsAMemberAgain() throws Exception {
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2)) {
      b.transport.send(a.id, message(1));
      assertThat(a.nextMessage()).isEqualTo(message(1));
      Member member = neighbours.members.remove(b.id);
      a.transport.forget(b.id);
      assertThat(TestNode.next(b.disconnected)).isEqualTo(a.id);
      b.transport.send(a.id, message(2));
      assertThat(a.messages).isEmpty();
      neighbours.members.put(b.id, member);
      assertThat(a.nextMessage()).isEqualTo(message(2));
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
                      TestNode::countUp))
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
        s.security(),
        s.sizes(),
        s.handOver());
  }
}
