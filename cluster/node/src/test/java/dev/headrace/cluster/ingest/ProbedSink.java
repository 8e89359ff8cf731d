package dev.headrace.cluster.ingest;

import dev.headrace.api.ingest.SinkSubscriber;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.SubscriberWhiteboxVerification.SubscriberPuppet;
import org.reactivestreams.tck.SubscriberWhiteboxVerification.WhiteboxSubscriberProbe;

/** Shows what a sink's subscriber is told to the verification. */
record ProbedSink<T>(SinkSubscriber<T> sink, WhiteboxSubscriberProbe<T> probe)
    implements Subscriber<T> {
  @Override
  public void onSubscribe(Subscription subscription) {
    sink.onSubscribe(subscription);
    probe.registerOnSubscribe(
        new SubscriberPuppet() {
          @Override
          public void triggerRequest(long elements) {
            subscription.request(elements);
          }

          @Override
          public void signalCancel() {
            subscription.cancel();
          }
        });
  }

  @Override
  public void onNext(T record) {
    sink.onNext(record);
    probe.registerOnNext(record);
  }

  @Override
  public void onError(Throwable cause) {
    sink.onError(cause);
    probe.registerOnError(cause);
  }

  @Override
  public void onComplete() {
    sink.onComplete();
    probe.registerOnComplete();
  }
}
