package dev.headrace.cluster.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.UnavailableException;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class KeyTurnsTest {
  private static final byte[] KEY = {1};
  private static final byte[] OTHER = {2};

  private final KeyTurns turns = new KeyTurns();
  private final List<KeyTurns.Effects> begun = new ArrayList<>();

  private boolean begin(KeyTurns.Effects turn) {
    return begun.add(turn);
  }

  @Test
  void computationsOfOneKeyComeOneAfterTheOther() {
    assertThat(turns.isBusy("c", KEY)).isFalse();
    for (int i = 0; i < 3; i++) {
      assertThat(turns.enter("c", KEY.clone(), this::begin)).isTrue();
    }
    assertThat(begun).hasSize(1);
    assertThat(turns.isBusy("c", KEY)).isTrue();
    assertThat(turns.isBusy("c", OTHER)).isFalse();
    assertThat(turns.isBusy("d", KEY)).isFalse();
    turns.enter("c", OTHER, this::begin);
    turns.enter("d", KEY, this::begin);
    assertThat(begun).hasSize(3);
    OperationReply left = new OperationReply(0, Outcome.DONE, true, KEY, 1, 2, 0, 3);
    begun.get(0).end(left);
    assertThat(begun).hasSize(4);
    assertThat(begun.get(3).left()).isSameAs(left);
    begun.get(3).end(null);
    assertThat(begun.get(4).left()).isNull();
    begun.get(4).end(left);
    assertThat(turns.isBusy("c", KEY)).as("nobody is left").isFalse();
    turns.enter("c", KEY, this::begin);
    assertThat(begun.get(5).left()).as("who comes later has to look").isNull();
  }

  @Test
  void whoHasGivenUpIsPassedOver() {
    turns.enter("c", KEY, this::begin);
    turns.enter("c", KEY, turn -> false);
    turns.enter("c", KEY, turn -> false);
    turns.enter("c", KEY, this::begin);
    begun.get(0).end(null);
    assertThat(begun).hasSize(2);
    turns.enter("c", KEY, turn -> false);
    begun.get(1).end(null);
    assertThat(turns.isBusy("c", KEY)).isFalse();
  }

  @Test
  void thereIsABoundOfThoseThatWait() {
    turns.enter("c", KEY, this::begin);
    for (int i = 0; i < KeyTurns.MAX_WAITING; i++) {
      assertThat(turns.enter("c", KEY, this::begin)).isTrue();
    }
    assertThat(turns.enter("c", KEY, this::begin)).isFalse();
    begun.get(0).end(null);
    assertThat(turns.enter("c", KEY, this::begin)).isTrue();
  }

  @Test
  void aThreadWaitsNoLongerThanAnOperationMayTake() {
    AtomicLong nowNanos = new AtomicLong();
    CacheView.Patience patience =
        new CacheView.Patience(() -> nowNanos.getAndAdd(1_000), () -> 0, 10_000);
    turns.enter("c", KEY, this::begin);
    WaitingThread waiting = new WaitingThread();
    turns.enter("c", KEY, waiting);
    assertThatThrownBy(() -> waiting.await("c", patience))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("operationTimeout")
        .hasMessageContaining("nothing was written");
    WaitingThread interrupted = new WaitingThread();
    turns.enter("c", KEY, interrupted);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> interrupted.await("c", patience)).hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    begun.get(0).end(null);
    assertThat(turns.isBusy("c", KEY)).isFalse();
  }
}
