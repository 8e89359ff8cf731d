package dev.headrace.rebalance.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.stream.NodeId;
import org.junit.jupiter.api.Test;

final class EpochTest {

  private static final NodeId A = new NodeId(1, 2);
  private static final NodeId B = new NodeId(3, 4);

  @Test
  void countsUnderTheCoordinatorsOwnBallot() {
    long first = Epoch.first(0, A);
    long second = Epoch.next(first, A);

    assertThat(second).isEqualTo(first + 1);
    assertThat(Epoch.toString(second)).isEqualTo("0.2");
  }

  @Test
  void takesAHigherBallotAfterAnotherCoordinator() {
    long first = Epoch.first(4, A);
    long taken = Epoch.next(first, B);

    assertThat(Epoch.ballotNumber(taken)).isEqualTo(5);
    assertThat(taken).isGreaterThan(first);
    assertThat(Epoch.isBallotOf(taken, B)).isTrue();
    assertThat(Epoch.isBallotOf(taken, A)).isFalse();
  }

  @Test
  void neverMeetsTheEpochOfAnotherCoordinatorOfTheSameBallot() {
    assertThat(Epoch.first(4, A)).isNotEqualTo(Epoch.first(4, B));
  }

  @Test
  void takesAHigherBallotWhenTheCountIsUsedUp() {
    long last = Epoch.first(4, A) | ((1 << 20) - 1);

    assertThat(Epoch.toString(Epoch.next(last, A))).isEqualTo("5.1");
  }
}
