package dev.headrace.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class StripedPermitsTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 100, 500, 1 << 16})
  void asManyAreTakenAsThereAreAndNoMore(long count) {
    StripedPermits permits = new StripedPermits(count, count);
    for (long i = 0; i < count; i++) {
      assertThat(permits.taken()).isEqualTo(i);
      assertThat(permits.take(1)).isTrue();
    }
    assertThat(permits.take(1)).isFalse();
    assertThat(permits.taken()).isEqualTo(count);
    permits.giveBack(1);
    assertThat(permits.take(2)).as("nothing is taken by halves").isFalse();
    assertThat(permits.take(1)).isTrue();
  }

  @Test
  void whatOtherThreadsGaveBackCanBeTaken() throws Exception {
    StripedPermits permits = new StripedPermits(10_000, 10_000);
    assertThat(permits.take(10_000)).isTrue();
    ExecutorService others = Executors.newFixedThreadPool(7);
    List<Future<?>> given = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      given.add(others.submit(() -> permits.giveBack(100)));
    }
    for (Future<?> each : given) {
      each.get();
    }
    others.shutdown();
    assertThat(permits.taken()).isZero();
    assertThat(permits.take(10_000)).isTrue();
    assertThat(permits.take(1)).isFalse();
  }

  @Test
  void whatIsTakenAnywayIsGivenBackBeforeOthersTake() {
    StripedPermits permits = new StripedPermits(1_000, 1_000);
    assertThat(permits.take(990)).isTrue();
    permits.takeAnyway(30);
    assertThat(permits.taken()).isEqualTo(1_020);
    permits.giveBack(20);
    assertThat(permits.taken()).isEqualTo(1_000);
    assertThat(permits.take(1)).isFalse();
    permits.giveBack(1);
    assertThat(permits.take(1)).isTrue();
  }

  @Test
  void manyThreadsNeverTakeMoreThanThereAre() throws Exception {
    StripedPermits permits = new StripedPermits(64, 64);
    AtomicLong held = new AtomicLong();
    AtomicLong most = new AtomicLong();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    List<Future<?>> ends = new ArrayList<>();
    for (int thread = 0; thread < 8; thread++) {
      ends.add(
          threads.submit(
              () -> {
                for (int i = 0; i < 20_000; i++) {
                  int count = 1 + i % 20;
                  if (permits.take(count)) {
                    most.accumulateAndGet(held.addAndGet(count), Math::max);
                    held.addAndGet(-count);
                    permits.giveBack(count);
                  }
                }
              }));
    }
    for (Future<?> end : ends) {
      end.get();
    }
    threads.shutdown();
    assertThat(most.get()).isBetween(1L, 64L);
    assertThat(permits.taken()).isZero();
  }
}
