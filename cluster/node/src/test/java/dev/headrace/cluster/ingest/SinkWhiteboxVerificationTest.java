package dev.headrace.cluster.ingest;

import dev.headrace.api.ingest.SinkSubscriber;
import java.util.Map;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.SubscriberWhiteboxVerification;
import org.reactivestreams.tck.TestEnvironment;

/** The Reactive Streams rules for a sink's subscriber, seen from inside. */
public class SinkWhiteboxVerificationTest
    extends SubscriberWhiteboxVerification<Map.Entry<String, String>> {
  private static final int LIMIT_MILLIS = 30_000;
  private static final int SILENCE_MILLIS = 100;

  public SinkWhiteboxVerificationTest() {
    super(new TestEnvironment(LIMIT_MILLIS, SILENCE_MILLIS));
  }

  @Override
  public Subscriber<Map.Entry<String, String>> createSubscriber(
      WhiteboxSubscriberProbe<Map.Entry<String, String>> probe) {
    return new Probed(new SimulatedSink(1).sink().subscriber(), probe);
  }

  @Override
  public Map.Entry<String, String> createElement(int element) {
    return Map.entry("key-" + element, "value-" + element);
  }

  /** Shows the signals to the verification. */
  private record Probed(
      SinkSubscriber<Map.Entry<String, String>> sink,
      WhiteboxSubscriberProbe<Map.Entry<String, String>> probe)
      implements Subscriber<Map.Entry<String, String>> {
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
    public void onNext(Map.Entry<String, String> entry) {
      sink.onNext(entry);
      probe.registerOnNext(entry);
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
}
