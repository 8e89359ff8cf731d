package dev.headrace.cluster.wire;

import static dev.headrace.cluster.wire.TestNode.request;
import static dev.headrace.cluster.wire.TestReplies.assertFilled;
import static dev.headrace.cluster.wire.TestReplies.get;
import static dev.headrace.cluster.wire.TestReplies.reply;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.api.error.WireException;
import dev.headrace.cluster.read.ReadReply;
import dev.headrace.cluster.read.ReadService;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** Batches that nodes read from each other over sockets. */
class WireReadsTest {
  private final TestNode.Neighbours neighbours = new TestNode.Neighbours();

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
                1,
                settings -> settings.with(new WireSettings.Sizes(2, 2, () -> 0)),
                TestNode::countUp);
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
  void anAnswerMayCarryNoEntriesAndManyPartsWithLongKeys() throws Exception {
    List<SegmentPart> parts = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      parts.add(
          new SegmentPart(i, 0, SegmentPart.Status.MORE, Cursor.after(i - 1L, new byte[100_000])));
    }
    try (TestNode a = neighbours.start(1);
        TestNode b =
            neighbours.start(
                2, s -> s, (request, reply) -> reply.answer(4, parts, 99, Batch.NO_SEQUENCE))) {
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
            TestNode.countUp(request, reply);
          }
        };
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2, s -> s, moody)) {
      assertThatThrownBy(() -> get(a.read(b.id, request(1, 10))))
          .hasMessageContaining("the mill is broken");
      assertThatThrownBy(() -> get(a.read(b.id, request(2, 10))))
          .isInstanceOf(WireException.class)
          .hasMessageContaining("come back later");
      get(a.read(b.id, request(3, 10))).release();
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
                    TestNode.countUp(request, reply);
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
  void readsAnsweredLaterByOtherThreadsAreBoundedAndAllAnswered() throws Exception {
    BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    try (TestNode a = neighbours.start(1);
        TestNode b =
            neighbours.start(
                2,
                s -> s,
                (request, reply) -> waiting.add(() -> TestNode.countUp(request, reply)))) {
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
  void anAnswerThatCannotBeEncodedFailsItsRead() throws Exception {
    ReadService broken =
        (request, reply) -> {
          if (request.format() == 1) {
            reply.entries(100);
            reply.answer(4, Collections.singletonList(null), 0, Batch.NO_SEQUENCE);
          } else {
            TestNode.countUp(request, reply);
          }
        };
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2, s -> s, broken)) {
      for (int i = 0; i < 65; i++) { // more than may be served at the same time
        assertThatThrownBy(() -> get(a.read(b.id, request(1, 10))))
            .isInstanceOf(WireException.class);
      }
      get(a.read(b.id, request(3, 10))).release();
    }
  }
}
