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

  private final SendQueue queue = new SendQueue(UnpooledByteBufAllocator.DEFAULT, LIMIT_BYTES);

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
  void moreThanTheBoundIsGivenUpAtOnce() {
    add(1001);
    assertThat(queue.hopeless(0)).isTrue();
  }
}
