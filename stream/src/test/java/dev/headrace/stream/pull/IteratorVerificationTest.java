package dev.headrace.stream.pull;

import dev.headrace.stream.publisher.StreamIterator;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.SubscriberWhiteboxVerification;
import org.reactivestreams.tck.TestEnvironment;

/** The Reactive Streams rules for the iterator's subscriber, on publishers that are not ours. */
public class IteratorVerificationTest extends SubscriberWhiteboxVerification<Integer> {

  public IteratorVerificationTest() {
    super(
        new TestEnvironment(
            SyntheticVerification.LIMIT_MILLIS, SyntheticVerification.SILENCE_MILLIS));
  }

  @Override
  public Integer createElement(int element) {
    return element;
  }

  @Override
  public Subscriber<Integer> createSubscriber(WhiteboxSubscriberProbe<Integer> probe) {
    StreamIterator<Integer> iterator = new StreamIterator<>();
    return new Subscriber<>() {
      private boolean closed;

      @Override
      public void onSubscribe(Subscription subscription) {
        iterator.onSubscribe(subscription);
        probe.registerOnSubscribe(
            new SubscriberPuppet() {
              @Override
              public void triggerRequest(long elements) {
                subscription.request(elements);
              }

              @Override
              public void signalCancel() {
                closed = true;
                iterator.close();
              }
            });
      }

      @Override
      public void onNext(Integer element) {
        iterator.onNext(element);
        if (!closed && !(iterator.hasNext() && iterator.next().equals(element))) {
          throw new AssertionError("the iterator lost " + element);
        }
        probe.registerOnNext(element);
      }

      @Override
      public void onError(Throwable failure) {
        iterator.onError(failure);
        probe.registerOnError(failure);
      }

      @Override
      public void onComplete() {
        iterator.onComplete();
        probe.registerOnComplete();
      }
    };
  }
}
