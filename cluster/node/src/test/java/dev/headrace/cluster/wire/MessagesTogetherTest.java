package dev.headrace.cluster.wire;

import static dev.headrace.cluster.wire.TestNode.message;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.wire.codec.Messages;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.Replicated;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Messages that are handed to the wire together. */
class MessagesTogetherTest {
  private final TestNode.Neighbours neighbours = new TestNode.Neighbours();

  @Test
  void theyArriveOneByOneInOrder() throws Exception {
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2)) {
      Random random = new Random(2);
      List<Message> sent = new ArrayList<>();
      for (int round = 0; round < 20; round++) {
        List<Message> together = new ArrayList<>();
        for (int i = random.nextInt(200); i >= 0; i--) {
          together.add(i % 60 == 59 ? large(random.nextInt(1 << 20)) : Messages.single(random));
        }
        a.transport.send(b.id, List.copyOf(together));
        sent.addAll(together);
      }
      for (Message message : sent) {
        assertSame(b.nextMessage(), message);
      }
      assertThat(b.messages).isEmpty();
    }
  }

  /** Field by field, but for long values, whose bytes would be compared one by one as objects. */
  private static void assertSame(Message arrived, Message sent) {
    if (sent instanceof OperationReply reply && reply.value() != null) {
      assertThat(arrived).usingRecursiveComparison().ignoringFields("value").isEqualTo(sent);
      assertThat(((OperationReply) arrived).value()).isEqualTo(reply.value());
    } else {
      assertThat(arrived).usingRecursiveComparison().isEqualTo(sent);
    }
  }

  private static Message large(int bytes) {
    return new OperationReply(1, Outcome.DONE, true, new byte[bytes], 0, 0, 0, 0);
  }

  @Test
  void thoseOfManySendersArriveEachInOrder() throws Exception {
    try (TestNode a = neighbours.start(1);
        TestNode b = neighbours.start(2)) {
      int each = 5_000;
      List<Thread> senders = new ArrayList<>();
      for (long sender = 0; sender < 4; sender++) {
        long first = sender << 32;
        senders.add(
            new Thread(
                () -> {
                  for (int i = 0; i < each; i += 2) {
                    a.transport.send(b.id, List.of(message(first + i), message(first + i + 1)));
                  }
                }));
      }
      senders.forEach(Thread::start);
      int[] expected = new int[4];
      for (int i = 0; i < 4 * each; i++) {
        long number = ((Replicated) b.nextMessage()).sequence();
        assertThat((int) number).isEqualTo(expected[(int) (number >>> 32)]++);
      }
    }
  }

  @Test
  void thoseToANodeThatCannotBeReachedAreAnnouncedAsLost() throws Exception {
    try (TestNode a = neighbours.start(1)) {
      NodeId stranger = new NodeId(9, 9);
      a.transport.send(stranger, List.of(message(1), message(2)));

      assertThat(TestNode.next(a.disconnected)).isEqualTo(stranger);
    }
  }
}
