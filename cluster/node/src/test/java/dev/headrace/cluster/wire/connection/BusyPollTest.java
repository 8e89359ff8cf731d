package dev.headrace.cluster.wire.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.SelectStrategy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a polling loop blocks, one sentence each. */
class BusyPollTest {
  private static final long WINDOW_NANOS = 100;

  private final AtomicLong nowNanos = new AtomicLong(7);
  private long windowNanos = WINDOW_NANOS;
  private final BusyPoll poll = new BusyPoll(() -> windowNanos, nowNanos::get);

  private int ask(int keys, boolean hasTasks) throws Exception {
    return poll.calculateStrategy(() -> keys, hasTasks);
  }

  @Test
  void aLoopToWhichNothingCameBlocksAtOnce() throws Exception {
    assertThat(ask(0, false)).isEqualTo(SelectStrategy.SELECT);
  }

  @Test
  void afterAnArrivalTheLoopLooksAgainUntilItsTimeIsUp() throws Exception {
    poll.arrived();
    nowNanos.addAndGet(WINDOW_NANOS - 1);
    assertThat(ask(0, false)).isEqualTo(SelectStrategy.CONTINUE);
    nowNanos.addAndGet(1);
    assertThat(ask(0, false)).isEqualTo(SelectStrategy.SELECT);
  }

  @Test
  void aLoopThatMustNotPollBlocksAfterAnArrival() throws Exception {
    windowNanos = 0;
    poll.arrived();
    assertThat(ask(0, false)).isEqualTo(SelectStrategy.SELECT);
  }

  @Test
  void everyArrivalBeginsTheTimeAnew() throws Exception {
    poll.arrived();
    nowNanos.addAndGet(WINDOW_NANOS - 1);
    poll.arrived();
    nowNanos.addAndGet(WINDOW_NANOS - 1);
    assertThat(ask(0, false)).isEqualTo(SelectStrategy.CONTINUE);
  }

  private void arriveEach(long gapNanos, int times) {
    for (int i = 0; i < times; i++) {
      nowNanos.addAndGet(gapNanos);
      poll.arrived();
    }
  }

  @Test
  void aLoopWhoseMessagesComeLateBlocksAtOnceUntilTheyComeSoon() throws Exception {
    arriveEach(WINDOW_NANOS * 10, 20);
    assertThat(ask(0, false)).isEqualTo(SelectStrategy.SELECT);
    arriveEach(WINDOW_NANOS / 2, 3);
    assertThat(ask(0, false)).isEqualTo(SelectStrategy.CONTINUE);
  }

  /** As on the primary of a write, and the confirmation of its backup. */
  @Test
  void aLoopPollsOnlyForWhatComesSoonAfterALateMessage() throws Exception {
    for (int i = 0; i < 50; i++) {
      arriveEach(WINDOW_NANOS * 10, 1);
      arriveEach(WINDOW_NANOS / 2, 1);
    }
    assertThat(ask(0, false)).as("after the soon one").isEqualTo(SelectStrategy.SELECT);
    arriveEach(WINDOW_NANOS * 10, 1);
    assertThat(ask(0, false)).as("after the late one").isEqualTo(SelectStrategy.CONTINUE);
  }

  @Test
  void whatIsReadyIsDealtWithAtOnce() throws Exception {
    assertThat(ask(3, false)).isEqualTo(3);
    poll.arrived();
    assertThat(ask(2, true)).isEqualTo(2);
  }

  @Test
  void aSelectorThatWokeUpForNothingBlocksAgain() throws Exception {
    assertThat(ask(0, false)).isEqualTo(SelectStrategy.SELECT);
    assertThat(ask(0, false)).as("as the JDK's does every second").isEqualTo(SelectStrategy.SELECT);
  }

  @Test
  void tasksOfOtherThreadsDoNotKeepTheLoopAwake() throws Exception {
    assertThat(ask(0, true)).as("the tasks are run").isZero();
    assertThat(ask(0, false)).isEqualTo(SelectStrategy.SELECT);
  }

  @Test
  @Timeout(240)
  void aLoopThatPollsCanBeClosed() throws Exception {
    Loops loops = new Loops(1, 1, () -> TimeUnit.HOURS.toNanos(1), "polling");
    var ran = new java.util.concurrent.CountDownLatch(1);
    loops.later(0, ran::countDown);
    assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
    loops.shutDown();
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("polling-"))) {
      Thread.onSpinWait(); // a loop says that it has ended just before its thread does
    }
  }
}
