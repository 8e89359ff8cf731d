package dev.headrace.rebalance.publish;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemberProgressTest {
  private final MemberProgress member = new MemberProgress(5, 5);

  @Test
  void noTwoMessagesHaveTheSameTime() {
    assertThat(member.asking(100)).isEqualTo(100);
    assertThat(member.asking(100)).isEqualTo(101);
    assertThat(member.asking(100)).isEqualTo(102);
    assertThat(member.asking(200)).isEqualTo(200);
  }

  @Test
  void theAnswerToABeatDoesNotSayThatABatchOfTheSameMomentIsOfNoUse() {
    long beat = member.asking(100);
    long batch = member.asking(100);
    member.sent(6, batch);
    member.answered(1, 5, 5, beat, 1);
    assertThat(member.needsImage()).isFalse();
    assertThat(member.inFlight(101, 1_000)).isTrue();

    member.answered(1, 6, 5, batch, 1);
    assertThat(member.needsImage()).isFalse();
    assertThat(member.inFlight(101, 1_000)).isFalse();
  }

  @Test
  void whoAnswersABatchWithoutHavingStoredItNeedsAnImage() {
    long batch = member.asking(100);
    member.sent(6, batch);
    member.answered(1, 5, 5, batch, 1);
    assertThat(member.needsImage()).isTrue();
  }
}
