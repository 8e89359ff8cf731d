package dev.headrace.cluster.wire;

import static dev.headrace.cluster.wire.TestNode.request;
import static dev.headrace.cluster.wire.TestReplies.assertFilled;
import static dev.headrace.cluster.wire.TestReplies.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.Replicated;
import dev.headrace.stream.Message;
import dev.headrace.stream.batch.Batch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes with several event loops, and so several connections of each class to each other. */
class SharesTest {
  private static final int SEGMENTS = 7;

  private final TestNode.Neighbours neighbours = new TestNode.Neighbours();

  @ParameterizedTest
  @CsvSource({"4, 4", "4, 1", "1, 4", "3, 2"})
  void messagesAboutASegmentKeepTheirOrder(int senderLoops, int receiverLoops) throws Exception {
    try (TestNode a = start(1, senderLoops);
        TestNode b = start(2, receiverLoops)) {
      int each = 3_000;
      List<Thread> senders = new ArrayList<>();
      for (int sender = 0; sender < SEGMENTS; sender++) {
        int segment = sender;
        senders.add(
            new Thread(
                () -> {
                  for (int i = 0; i < each; i += 3) {
                    a.transport.send(b.id, about(segment, i));
                    a.transport.send(b.id, List.of(about(segment, i + 1), about(segment, i + 2)));
                  }
                }));
      }
      senders.forEach(Thread::start);
      long[] expected = new long[SEGMENTS];
      for (int i = 0; i < SEGMENTS * each; i++) {
        Replicated next = (Replicated) b.nextMessage();
        assertThat(next.sequence()).isEqualTo(expected[next.segment()]++);
      }
      assertThat(a.transport.openConnections()).isEqualTo(senderLoops);
      assertThat(a.disconnected).isEmpty();
      assertThat(b.disconnected).isEmpty();
    }
  }

  @Test
  void messagesThatAreSentTogetherKeepTheOrderOfTheirSegments() throws Exception {
    try (TestNode a = start(1, 4);
        TestNode b = start(2, 4)) {
      List<Message> together = new ArrayList<>();
      for (int i = 0; i < 700; i++) {
        together.add(about(i % SEGMENTS, i / SEGMENTS));
      }
      a.transport.send(b.id, together);

      long[] expected = new long[SEGMENTS];
      for (int i = 0; i < together.size(); i++) {
        Replicated next = (Replicated) b.nextMessage();
        assertThat(next.sequence()).isEqualTo(expected[next.segment()]++);
      }
    }
  }

  @Test
  void aShareHasOneLoopWhoeverSendsIt() throws Exception {
    try (TestNode a = start(1, 4);
        TestNode b = start(2, 4);
        TestNode c = start(3, 4)) {
      for (int segment = 0; segment < 4; segment++) {
        a.transport.send(c.id, about(segment, 1));
        b.transport.send(c.id, about(segment, 2));
        b.transport.send(c.id, done(segment));
      }
      for (int i = 0; i < 12; i++) {
        c.nextMessage();
      }
      Set<Thread> all = new HashSet<>();
      for (int share = 0; share < 4; share++) {
        assertThat(c.threads.get(share)).hasSize(1);
        all.addAll(c.threads.get(share));
      }
      assertThat(all).hasSize(4);
    }
  }

  @Test
  void readsAtOnceUseAllConnections() throws Exception {
    Set<Thread> serving = ConcurrentHashMap.newKeySet();
    try (TestNode a = start(1, 4);
        TestNode b =
            neighbours.start(
                2,
                settings -> settings.with(new WireSettings.Sizes(4, 4, () -> 0)),
                (request, reply) -> {
                  serving.add(Thread.currentThread());
                  TestNode.countUp(request, reply);
                })) {
      List<CompletableFuture<Batch>> answers = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        answers.add(a.read(b.id, request(i, 1 + i * 7 % 30_000)));
      }
      for (int i = 0; i < answers.size(); i++) {
        Batch batch = get(answers.get(i));
        assertFilled(batch, i, 1 + i * 7 % 30_000);
        batch.release();
      }
      assertThat(serving).hasSize(4);
    }
  }

  @Test
  void theDeathOfANodeIsAnnouncedAndItsSuccessorReached() throws Exception {
    try (TestNode a = start(1, 4)) {
      TestNode b = start(2, 4);
      for (int segment = 0; segment < 4; segment++) {
        a.transport.send(b.id, about(segment, 1));
      }
      for (int i = 0; i < 4; i++) {
        b.nextMessage();
      }
      b.transport.kill();
      for (int share = 0; share < 4; share++) {
        assertThat(TestNode.next(a.disconnected)).isEqualTo(b.id);
      }
      try (TestNode again = start(2, 4)) {
        for (int segment = 0; segment < 4; segment++) {
          a.transport.send(again.id, about(segment, 2));
        }
        for (int i = 0; i < 4; i++) {
          assertThat(((Replicated) again.nextMessage()).sequence()).isEqualTo(2);
        }
      }
    }
  }

  @Test
  void whatIsSentBeforeAnOrderlyCloseArrivesOnEachConnection() throws Exception {
    try (TestNode b = start(2, 4)) {
      int each = 500;
      try (TestNode a = start(1, 4)) {
        for (int segment = 0; segment < 4; segment++) {
          a.transport.send(b.id, about(segment, 0)); // opens the connections
        }
        for (int segment = 0; segment < 4; segment++) {
          b.nextMessage();
        }
        for (int i = 0; i < each * SEGMENTS; i++) {
          a.transport.send(b.id, about(i % SEGMENTS, i / SEGMENTS));
        }
      }
      for (int i = 0; i < each * SEGMENTS; i++) {
        b.nextMessage();
      }
    }
  }

  private TestNode start(int number, int loops) {
    return neighbours.start(
        number,
        settings -> settings.with(new WireSettings.Sizes(loops, loops, () -> 0)),
        TestNode::countUp);
  }

  private static Replicated about(int segment, long number) {
    return new Replicated("quotes", segment, 2, 3, number, true, false);
  }

  private static OperationReply done(int segment) {
    return OperationReply.without(1 << 10 | segment, Outcome.DONE, 5);
  }
}
