package dev.headrace.cluster.wire;

import static dev.headrace.cluster.wire.TestNode.message;
import static dev.headrace.cluster.wire.TestNode.request;
import static dev.headrace.cluster.wire.TestReplies.assertFilled;
import static dev.headrace.cluster.wire.TestReplies.get;
import static dev.headrace.cluster.wire.TestReplies.reply;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.read.BatchBuffers;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What a wire still does, and no longer does, when a node closes. */
class WireClosingTest {
  private final TestNode.Neighbours neighbours = new TestNode.Neighbours();

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
      assertThat(a.transport.buffers().usedBytes()).isZero();
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
      assertThat(a.transport.buffers().usedBytes()).isZero();
    }
  }

  @Test
  void whatWasSentBeforeCloseArrivesAlthoughTheOtherNodeSendsOn() throws Exception {
    try (TestNode b = neighbours.start(2)) {
      for (int round = 0; round < 10; round++) {
        TestNode a = neighbours.start(1);
        a.transport.send(b.id, message(0));
        b.nextMessage();
        AtomicBoolean enough = new AtomicBoolean();
        Thread talking =
            new Thread(
                () -> {
                  while (!enough.get()) {
                    b.transport.send(a.id, message(7));
                  }
                });
        talking.start();
        OperationReply large = reply(8 << 20);
        a.transport.send(b.id, large);
        a.transport.send(b.id, large);
        a.transport.send(b.id, message(1));
        a.close();
        enough.set(true);
        talking.join();
        for (int i = 0; i < 2; i++) {
          assertThat(((OperationReply) b.nextMessage()).value()).hasSize(8 << 20);
        }
        assertThat(b.nextMessage()).isEqualTo(message(1));
        assertThat(a.transport.buffers().usedBytes()).isZero();
        b.transport.forget(a.id); // what is queued for it, under the name of its successor
      }
    }
  }

  @Test
  void aNodeThatHangsDoesNotHoldUpTheCloseOfAnother() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    Executor hanging =
        task -> {
          hangs.countDown();
          TestNode.await(goesOn);
          task.run();
        };
    try (TestNode b =
        neighbours.start(
            2,
            settings -> settings.with(new WireSettings.HandOver(hanging, WireSettings.INLINE)),
            TestNode::countUp)) {
      try {
        TestNode a = neighbours.start(1);
        a.transport.send(b.id, message(1));
        hangs.await();
        a.transport.send(b.id, message(2));
        a.close();
        assertThat(b.messages).as("it hangs still").isEmpty();
        assertThat(a.transport.buffers().usedBytes()).isZero();
      } finally {
        goesOn.countDown();
      }
      assertThat(b.nextMessage()).isEqualTo(message(1));
      assertThat(b.nextMessage()).isEqualTo(message(2));
    }
  }

  @Test
  void answersThatWereGivenBeforeCloseArrive() throws Exception {
    try (TestNode a = neighbours.start(1)) {
      TestNode b = neighbours.start(2);
      CompletableFuture<Batch> answer = a.read(b.id, request(5, 48 << 20));
      TestNode.await(() -> b.transport.buffers().usedBytes() > 48 << 20 || answer.isDone());
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
        assertThat(a.transport.buffers().usedBytes()).isZero();
      }
      b.messages.clear();
      TestNode.await(() -> b.transport.openConnections() == 0);
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
  void noBufferIsLeftBehind() throws Exception {
    TestNode a = neighbours.start(1);
    TestNode b = neighbours.start(2);
    a.transport.send(b.id, message(1));
    b.nextMessage();
    Batch held = get(a.read(b.id, request(1, 100_000)));
    BatchBuffers.Buffer local = a.transport.buffers().allocate(100_000);
    a.close();
    b.transport.kill();

    assertThat(b.transport.buffers().usedBytes()).isZero();
    assertThat(a.transport.buffers().usedBytes()).isGreaterThanOrEqualTo(200_000);
    held.release();
    local.run();
    assertThat(a.transport.buffers().usedBytes()).isZero();
    assertThatThrownBy(held::release).isInstanceOf(IllegalStateException.class);
  }
}
