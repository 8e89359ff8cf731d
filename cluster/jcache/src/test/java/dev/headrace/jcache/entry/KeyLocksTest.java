package dev.headrace.jcache.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.cache.CacheException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which keys wait for which, and that locks do not stay. */
@Timeout(120)
final class KeyLocksTest {
  private final KeyLocks locks = new KeyLocks(Duration.ofMinutes(1));
  private final KeyLocks impatient = new KeyLocks(Duration.ofMillis(20));
  private final ExecutorService other = Executors.newSingleThreadExecutor();

  @AfterEach
  void stop() {
    other.shutdownNow();
  }

  private <T> T inAnotherThread(Callable<T> action) throws Exception {
    return other.submit(action).get(60, TimeUnit.SECONDS);
  }

  /** Whether another thread can have the key. */
  private boolean isFree(KeyLocks of, Object key) throws Exception {
    return inAnotherThread(
        () -> {
          try (KeyLocks.Held held = of.hold(key)) {
            return held != null;
          } catch (CacheException e) {
            assertThat(e).hasMessageContaining("have held the key for PT0.02S");
            return false;
          }
        });
  }

  @Test
  void keysAreTheSameIfTheirBytesAre() throws Exception {
    try (KeyLocks.Held held = impatient.hold(new byte[] {1, 2})) {
      assertThat(held).isNotNull();
      assertThat(isFree(impatient, new byte[] {1, 2})).isFalse();
      assertThat(isFree(impatient, new byte[] {1, 3})).isTrue();
      assertThat(isFree(impatient, "other")).isTrue();
    }
    assertThat(isFree(impatient, new byte[] {1, 2})).isTrue();
  }

  @Test
  void severalAreHeldTogetherAndMayBeHeldAgainByTheSameThread() throws Exception {
    try (KeyLocks.Held all = impatient.holdAll(List.of("Aa", "BB", "Aa", 1L))) {
      assertThat(all).isNotNull();
      try (KeyLocks.Held one = impatient.hold("BB")) {
        assertThat(one).isNotNull();
      }
      assertThat(impatient.size()).isEqualTo(3);
      assertThat(isFree(impatient, "Aa")).isFalse();
      assertThat(isFree(impatient, "BB")).isFalse();
      assertThat(isFree(impatient, 1L)).isFalse();
      assertThat(isFree(impatient, 1)).isTrue();
    }
    assertThat(isFree(impatient, "BB")).isTrue();
    assertThat(impatient.size()).isZero();
  }

  @Test
  void ifOneIsNotFreeTheOthersAreGivenBack() throws Exception {
    try (KeyLocks.Held held = impatient.hold("b")) {
      assertThat(held).isNotNull();
      inAnotherThread(
          () -> {
            assertThatThrownBy(() -> impatient.holdAll(List.of("c", "b", "a")))
                .isInstanceOf(CacheException.class)
                .hasMessageContaining("look for a loader, writer, entry processor or listener");
            return true;
          });
      assertThat(impatient.size()).isEqualTo(1);
      assertThat(isFree(impatient, "a")).isTrue();
    }
    assertThat(impatient.size()).isZero();
  }

  @Test
  void whoIsInterruptedWhileWaitingLeavesNothing() throws Exception {
    try (KeyLocks.Held held = locks.hold("a")) {
      assertThat(held).isNotNull();
      Future<Boolean> interrupted =
          other.submit(
              () -> {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> locks.holdAll(List.of("b", "a")))
                    .isInstanceOf(CacheException.class)
                    .hasMessageContaining("Interrupted");
                return Thread.interrupted();
              });
      assertThat(interrupted.get(60, TimeUnit.SECONDS)).isTrue();
      assertThat(locks.size()).isEqualTo(1);
    }
    assertThat(locks.size()).isZero();
  }

  @Test
  void aKeyThatCannotBeStoredIsRefused() {
    assertThatThrownBy(() -> locks.holdAll(List.of("a", new Object())))
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("does not implement java.io.Serializable");
    assertThat(locks.size()).isZero();
  }
}
