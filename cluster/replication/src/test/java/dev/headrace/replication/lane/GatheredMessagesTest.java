package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.message.Replicated;
import dev.headrace.replication.message.Settled;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GatheredMessagesTest {
  private static final NodeId A = new NodeId(1, 1);
  private static final NodeId B = new NodeId(1, 2);

  private final Map<NodeId, List<List<Message>>> sent = new LinkedHashMap<>();
  private final GatheredMessages gathered =
      new GatheredMessages(
          new Transport() {
            @Override
            public void send(NodeId to, Message message) {
              send(to, List.of(message));
            }

            @Override
            public void send(NodeId to, List<? extends Message> messages) {
              sent.computeIfAbsent(to, none -> new ArrayList<>()).add(List.copyOf(messages));
            }
          });

  private static Replicated replicated(int segment, long sequence, boolean missing) {
    return new Replicated("c", segment, 9, 5, sequence, true, missing);
  }

  @Test
  void whatIsForOneNodeLeavesTogetherAndInOrder() {
    Settled first = new Settled("c", 1, 9, 5, 1, 0);
    Settled second = new Settled("c", 2, 9, 5, 1, 0);
    gathered.send(A, first);
    gathered.send(B, first);
    gathered.send(A, second);
    assertThat(sent).isEmpty();

    gathered.release();

    assertThat(sent).containsEntry(A, List.of(List.of(first, second)));
    assertThat(sent).containsEntry(B, List.of(List.of(first)));
  }

  @Test
  void ofConfirmationsOfASegmentTheLastIsSent() {
    gathered.send(A, replicated(1, 7, false));
    gathered.send(A, replicated(1, 8, false));
    gathered.send(A, replicated(2, 3, false));
    gathered.release();

    assertThat(sent.get(A))
        .containsExactly(List.of(replicated(1, 8, false), replicated(2, 3, false)));
  }

  @Test
  void aConfirmationThatAsksForWhatIsMissingIsKept() {
    gathered.send(A, replicated(1, 7, true));
    gathered.send(A, replicated(1, 8, false));
    gathered.release();

    assertThat(sent.get(A))
        .containsExactly(List.of(replicated(1, 7, true), replicated(1, 8, false)));
  }

  @Test
  void whatWasReleasedIsNotSentAgain() {
    gathered.send(A, replicated(1, 7, false));
    gathered.release();
    gathered.release();

    assertThat(sent.get(A)).hasSize(1);
  }
}
