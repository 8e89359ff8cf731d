package dev.headrace.benchmarks.iteration;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Works for a microsecond with each entry. Its fields are handed over by the latch. */
final class BusySubscriber implements Subscriber<Map.Entry<String, byte[]>> {
  private static final long WORK_NANOS = 1000;

  private final CountDownLatch ended = new CountDownLatch(1);
  private int delivered;
  private long checksum;
  private @Nullable Throwable failure;

  @Override
  public void onSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(Map.Entry<String, byte[]> entry) {
    long until = System.nanoTime() + WORK_NANOS;
    checksum += entry.getKey().length() + entry.getValue().length;
    while (System.nanoTime() - until < 0) {
      Thread.onSpinWait();
    }
    delivered++;
  }

  @Override
  public void onError(Throwable error) {
    failure = error;
    ended.countDown();
  }

  @Override
  public void onComplete() {
    ended.countDown();
  }

  /** Waits for the end; returns how many entries there were. */
  int await() throws InterruptedException {
    ended.await();
    if (failure != null) {
      throw new IllegalStateException("The stream failed", failure);
    }
    return checksum == 0 ? 0 : delivered;
  }
}
