package dev.headrace.cluster.ingest;

import java.util.Map;
import org.reactivestreams.Subscriber;
import org.reactivestreams.tck.SubscriberBlackboxVerification;
import org.reactivestreams.tck.TestEnvironment;

/** The Reactive Streams rules for a sink's subscriber, seen from outside. */
public class SinkBlackboxVerificationTest
    extends SubscriberBlackboxVerification<Map.Entry<String, String>> {
  private static final int LIMIT_MILLIS = 30_000;
  private static final int SILENCE_MILLIS = 100;

  public SinkBlackboxVerificationTest() {
    super(new TestEnvironment(LIMIT_MILLIS, SILENCE_MILLIS));
  }

  @Override
  public Subscriber<Map.Entry<String, String>> createSubscriber() {
    return new SimulatedSink(1).sink().subscriber();
  }

  @Override
  public Map.Entry<String, String> createElement(int element) {
    return Map.entry("key-" + element, "value-" + element);
  }
}
