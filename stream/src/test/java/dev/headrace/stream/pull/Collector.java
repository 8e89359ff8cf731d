package dev.headrace.stream.pull;

import java.util.ArrayList;
import java.util.List;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** A subscriber that notes everything. */
class Collector<T> implements Subscriber<T> {

  final List<T> received = new ArrayList<>();
  final List<Throwable> errors = new ArrayList<>();
  int completions;
  Subscription subscription;
  private final long firstDemand;

  Collector(long firstDemand) {
    this.firstDemand = firstDemand;
  }

  @Override
  public void onSubscribe(Subscription offered) {
    subscription = offered;
    if (firstDemand > 0) {
      offered.request(firstDemand);
    }
  }

  @Override
  public void onNext(T next) {
    if (isTerminated()) {
      throw new AssertionError("a signal after the end");
    }
    received.add(next);
  }

  @Override
  public void onError(Throwable failure) {
    errors.add(failure);
  }

  @Override
  public void onComplete() {
    completions++;
  }

  boolean isTerminated() {
    return completions + errors.size() > 0;
  }
}
