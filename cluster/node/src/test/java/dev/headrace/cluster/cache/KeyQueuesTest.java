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

class KeyQueuesTest {
  private static final byte[] KEY = {1};
  private static final byte[] OTHER = {2};

  private final KeyQueues queues = new KeyQueues();
  private final List<KeyQueues.Permit> begun = new ArrayList<>();

  private boolean begin(KeyQueues.Permit permit) {
    return begun.add(permit);
  }

  @Test
  void computationsOfOneKeyComeOneAfterTheOther() {
    assertThat(queues.isBusy("c", KEY)).isFalse();
    for (int i = 0; i < 3; i++) {
      assertThat(queues.enter("c", KEY.clone(), this::begin)).isTrue();
    }
    assertThat(begun).hasSize(1);
    assertThat(queues.isBusy("c", KEY)).isTrue();
    assertThat(queues.isBusy("c", OTHER)).isFalse();
    assertThat(queues.isBusy("d", KEY)).isFalse();
    queues.enter("c", OTHER, this::begin);
    queues.enter("d", KEY, this::begin);
    assertThat(begun).hasSize(3);
    OperationReply left = new OperationReply(0, Outcome.DONE, true, KEY, 1, 2, 0, 3);
    begun.get(0).end(left);
    assertThat(begun).hasSize(4);
    assertThat(begun.get(3).left()).isSameAs(left);
    begun.get(3).end(null);
    assertThat(begun.get(4).left()).isNull();
    begun.get(4).end(left);
    assertThat(queues.isBusy("c", KEY)).as("nobody is left").isFalse();
    queues.enter("c", KEY, this::begin);
    assertThat(begun.get(5).left()).as("who comes later has to look").isNull();
  }

  @Test
  void whoHasGivenUpIsPassedOver() {
    queues.enter("c", KEY, this::begin);
    queues.enter("c", KEY, permit -> false);
    queues.enter("c", KEY, permit -> false);
    queues.enter("c", KEY, this::begin);
    begun.get(0).end(null);
    assertThat(begun).hasSize(2);
    queues.enter("c", KEY, permit -> false);
    begun.get(1).end(null);
    assertThat(queues.isBusy("c", KEY)).isFalse();
  }

  @Test
  void thereIsABoundOfThoseThatWait() {
    queues.enter("c", KEY, this::begin);
    for (int i = 0; i < KeyQueues.MAX_WAITING; i++) {
      assertThat(queues.enter("c", KEY, this::begin)).isTrue();
    }
    assertThat(queues.enter("c", KEY, this::begin)).isFalse();
    begun.get(0).end(null);
    assertThat(queues.enter("c", KEY, this::begin)).isTrue();
  }

  @Test
  void aThreadWaitsNoLongerThanAnOperationMayTake() {
    AtomicLong nowNanos = new AtomicLong();
    CacheView.Patience patience =
        new CacheView.Patience(() -> nowNanos.getAndAdd(1_000), () -> 0, 10_000);
    queues.enter("c", KEY, this::begin);
    WaitingThread waiting = new WaitingThread();
    queues.enter("c", KEY, waiting);
    assertThatThrownBy(() -> waiting.await("c", patience))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("operationTimeout")
        .hasMessageContaining("nothing was written");
    WaitingThread interrupted = new WaitingThread();
    queues.enter("c", KEY, interrupted);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> interrupted.await("c", patience)).hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    begun.get(0).end(null);
    assertThat(queues.isBusy("c", KEY)).isFalse();
  }
}
