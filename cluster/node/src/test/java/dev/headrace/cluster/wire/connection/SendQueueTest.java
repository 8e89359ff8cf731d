package dev.headrace.cluster.wire.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a connection is given up because of what waits for it. */
class SendQueueTest {
  private static final long LIMIT_BYTES = 1000;

  private final SendQueue queue =
      new SendQueue(UnpooledByteBufAllocator.DEFAULT, LIMIT_BYTES, new QueueMemory());

  @AfterEach
  void giveBack() {
    queue.clear();
    assertThat(queue.bytes()).isZero();
  }

  private void add(int bytes) {
    queue.add(Unpooled.buffer(bytes).writeZero(bytes));
  }

  @Test
  void littleMayWaitForEver() {
    add(250);
    assertThat(queue.hopeless(0)).isFalse();
    assertThat(queue.hopeless(Long.MAX_VALUE / 2)).isFalse();
  }

  @Test
  void muchMayWaitWhileThePeerTakesSomething() {
    add(500);
    for (long now = 0; now < 20 * SendQueue.PATIENCE_NANOS; now += SendQueue.PATIENCE_NANOS - 1) {
      assertThat(queue.hopeless(now)).isFalse();
      queue.progressed();
    }
  }

  @Test
  void muchThatWaitsForAPeerThatTakesNothingIsGivenUp() {
    add(500);
    assertThat(queue.hopeless(100)).isFalse();
    assertThat(queue.hopeless(100 + SendQueue.PATIENCE_NANOS - 1)).isFalse();
    assertThat(queue.hopeless(100 + SendQueue.PATIENCE_NANOS)).isTrue();
  }

  @Test
  void patienceBeginsAnewWhenLittleWasLeft() {
    add(500);
    assertThat(queue.hopeless(0)).isFalse();
    ByteBuf taken = queue.next();
    assertThat(taken).isNotNull();
    taken.release();
    assertThat(queue.hopeless(1)).isFalse();
    add(600);
    assertThat(queue.hopeless(SendQueue.PATIENCE_NANOS)).isFalse();
  }

  @Test
  void whileTooMuchWaitsForAllTogetherAPeerThatTakesNothingIsGivenUpSooner() {
    QueueMemory all = new QueueMemory(4 * SendQueue.COUNTED_BYTES);
    SendQueue stuck = new SendQueue(UnpooledByteBufAllocator.DEFAULT, 1 << 30, all);
    SendQueue moving = new SendQueue(UnpooledByteBufAllocator.DEFAULT, 1 << 30, all);
    add(stuck, 3 * SendQueue.COUNTED_BYTES);
    assertThat(stuck.hopeless(0)).isFalse();
    assertThat(stuck.hopeless(SendQueue.PATIENCE_NANOS)).as("there is room").isFalse();

    add(moving, 2 * SendQueue.COUNTED_BYTES);
    for (long now = 0; now < SendQueue.SCARCE_PATIENCE_NANOS; now += 1_000_000) {
      assertThat(stuck.hopeless(now)).isFalse();
      assertThat(moving.hopeless(now)).isFalse();
      moving.progressed();
    }
    assertThat(moving.hopeless(SendQueue.SCARCE_PATIENCE_NANOS)).isFalse();
    assertThat(stuck.hopeless(SendQueue.SCARCE_PATIENCE_NANOS)).isTrue();
    stuck.clear();
    assertThat(all.isOverdrawn()).isFalse();
    moving.clear();
    assertThat(all.bytes()).isZero();
  }

  private static void add(SendQueue to, int bytes) {
    to.add(Unpooled.buffer(bytes).writeZero(bytes));
  }

  @Test
  void moreThanTheBoundIsGivenUpAtOnce() {
    add(1001);
    assertThat(queue.hopeless(0)).isTrue();
  }
}
