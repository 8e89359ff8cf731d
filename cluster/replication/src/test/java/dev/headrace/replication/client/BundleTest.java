package dev.headrace.replication.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BundleTest {
  private static final NodeId ONE = new NodeId(0, 1);
  private static final NodeId TWO = new NodeId(0, 2);

  private record Sent(NodeId to, List<Message> messages) {}

  private final List<Sent> sent = new ArrayList<>();
  private final Bundle bundle =
      new Bundle(
          new Transport() {
            @Override
            public void send(NodeId to, Message message) {
              throw new AssertionError("messages leave together");
            }

            @Override
            public void send(NodeId to, List<? extends Message> messages) {
              sent.add(new Sent(to, List.copyOf(messages)));
            }
          });

  private static List<Message> messages(int from, int to) {
    return IntStream.range(from, to)
        .<Message>mapToObj(number -> OperationReply.without(number, Outcome.DONE, 1))
        .toList();
  }

  @Test
  void nothingIsSentBeforeItIsReleased() {
    messages(0, 3).forEach(message -> bundle.send(ONE, message));
    assertThat(sent).isEmpty();
    bundle.release();
    bundle.release();
    assertThat(sent).containsExactly(new Sent(ONE, messages(0, 3)));
  }

  @Test
  void messagesForAnotherNodeReleaseThoseBefore() {
    messages(0, 3).forEach(message -> bundle.send(ONE, message));
    messages(3, 5).forEach(message -> bundle.send(TWO, message));
    messages(5, 6).forEach(message -> bundle.send(ONE, message));
    bundle.release();
    assertThat(sent)
        .containsExactly(
            new Sent(ONE, messages(0, 3)),
            new Sent(TWO, messages(3, 5)),
            new Sent(ONE, messages(5, 6)));
  }

  @Test
  void noMoreThanSomeAreHeldBack() {
    int most = Bundle.MAX_MESSAGES;
    messages(0, 2 * most + 1).forEach(message -> bundle.send(ONE, message));
    assertThat(sent)
        .containsExactly(new Sent(ONE, messages(0, most)), new Sent(ONE, messages(most, 2 * most)));
    bundle.release();
    assertThat(sent).last().isEqualTo(new Sent(ONE, messages(2 * most, 2 * most + 1)));
  }
}
