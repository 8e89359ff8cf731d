package dev.headrace.replication.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bulk reads that are answered, and those that are not. */
class QuestionsTest {
  private static final long MILLIS = 1_000_000L;
  private static final NodeId ONE = new NodeId(0, 1);
  private static final NodeId TWO = new NodeId(0, 2);
  private static final EncodedKeys KEY = new EncodedKeys(new byte[] {7}, new int[] {1});

  private final List<BulkRead> sent = new ArrayList<>();
  private final Hedging hedging = new Hedging();
  private final Questions questions =
      new Questions(
          new Transport() {
            @Override
            public void send(NodeId to, Message message) {
              sent.add((BulkRead) message);
            }
          },
          hedging);

  /** What became of a question. */
  private static final class Ending implements BulkCompletion {
    final List<BulkReadReply> replies = new ArrayList<>();
    private final boolean others;
    int slow;

    Ending(boolean others) {
      this.others = others;
    }

    @Override
    public boolean hasOthers() {
      return others;
    }

    @Override
    public void slow() {
      slow++;
    }

    @Override
    public void ended(BulkReadReply reply) {
      replies.add(reply);
    }
  }

  private Ending ask(NodeId node) {
    return ask(node, false);
  }

  private Ending ask(NodeId node, boolean others) {
    Ending ending = new Ending(others);
    questions.ask(node, new BulkRead(0, "c", 0, 1, 1, KEY), ending);
    return ending;
  }

  private BulkReadReply answer(int index) {
    return new BulkReadReply(sent.get(index).number(), 1, new int[] {2}, new byte[2]);
  }

  @Test
  void anAnswerEndsItsQuestionOnce() {
    Ending first = ask(ONE);
    Ending second = ask(ONE);
    assertThat(sent.get(0).number()).isNotEqualTo(sent.get(1).number());
    BulkReadReply reply = answer(1);
    questions.replied(ONE, reply);
    questions.replied(ONE, reply);
    assertThat(second.replies).containsExactly(reply);
    assertThat(first.replies).isEmpty();
  }

  @Test
  void anAnswerOfAnotherNodeDoesNotCount() {
    Ending ending = ask(ONE);
    questions.replied(TWO, answer(0));
    assertThat(ending.replies).isEmpty();
    BulkReadReply reply = answer(0);
    questions.replied(ONE, reply);
    assertThat(ending.replies).containsExactly(reply);
  }

  @Test
  void othersAreAskedInThePlaceOfANodeThatTakesLong() {
    Ending hedged = ask(ONE, true);
    Ending patient = ask(ONE, false);
    questions.tick(0);
    questions.tick(Hedging.MIN_NANOS - 1);
    assertThat(hedged.slow).isZero();
    questions.tick(Hedging.MIN_NANOS);
    questions.tick(Hedging.MIN_NANOS * 2);
    assertThat(hedged.slow).isEqualTo(1);
    assertThat(patient.slow).as("there is nobody else").isZero();

    questions.replied(ONE, answer(0));
    questions.disconnected(ONE);
    assertThat(hedged.replies).as("others are asked").isEmpty();
    assertThat(patient.replies).hasSize(1);
  }

  @Test
  void aNodeThatAnswersAfterAllIsWaitedForLongerAndOneThatDoesNotIsNot() {
    ask(ONE, true);
    questions.tick(0);
    questions.tick(Hedging.MIN_NANOS);
    questions.replied(ONE, answer(0));
    long patience = hedging.delayNanos(ONE);
    assertThat(patience).isGreaterThan(Hedging.MIN_NANOS);

    ask(ONE, true);
    questions.tick(0);
    questions.tick(patience);
    questions.tick(Call.FIRST_ANSWER_NANOS);
    assertThat(hedging.delayNanos(ONE)).isEqualTo(Hedging.MIN_NANOS);
  }

  @Test
  void aLostConnectionEndsTheQuestionsOfItsNodeOnly() {
    Ending lost = ask(ONE);
    Ending kept = ask(TWO);
    questions.disconnected(ONE);
    assertThat(lost.replies).containsExactly((BulkReadReply) null);
    assertThat(kept.replies).isEmpty();
    questions.replied(ONE, answer(0));
    assertThat(lost.replies).as("an answer that comes too late").hasSize(1);
  }

  @Test
  void aSlowNodeIsNotWaitedForLongerThanHalfASecond() {
    Ending early = ask(ONE);
    questions.tick(100 * MILLIS);
    Ending late = ask(ONE);
    questions.tick(599 * MILLIS);
    assertThat(early.replies).isEmpty();
    questions.tick(600 * MILLIS);
    assertThat(early.replies).containsExactly((BulkReadReply) null);
    assertThat(late.replies).isEmpty();
    questions.tick(1_099 * MILLIS);
    assertThat(late.replies).containsExactly((BulkReadReply) null);
  }

  @Test
  void oneQuestionTooManyEndsAtOnce() {
    for (int i = 0; i < Questions.MAX_QUESTIONS; i++) {
      assertThat(ask(ONE).replies).isEmpty();
    }
    assertThat(ask(ONE).replies).containsExactly((BulkReadReply) null);
    assertThat(sent).hasSize(Questions.MAX_QUESTIONS);
    questions.endAll();
    assertThat(ask(ONE).replies).isEmpty();
  }
}
