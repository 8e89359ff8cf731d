package dev.headrace.benchmarks.iteration;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.Blackhole;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Takes all entries as fast as they come. Its fields are handed over by the latch. */
final class DrainingSubscriber implements Subscriber<Map.Entry<String, byte[]>> {

  private final Blackhole blackhole;
  private final CountDownLatch ended = new CountDownLatch(1);
  private int delivered;
  private @Nullable Throwable failure;

  DrainingSubscriber(Blackhole blackhole) {
    this.blackhole = blackhole;
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(Map.Entry<String, byte[]> entry) {
    blackhole.consume(entry.getKey());
    blackhole.consume(entry.getValue());
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
    return delivered;
  }
}
