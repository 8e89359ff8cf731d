package dev.headrace.cluster.ingest;

import java.util.Map;
import org.reactivestreams.Subscriber;
import org.reactivestreams.tck.SubscriberBlackboxVerification;
import org.reactivestreams.tck.TestEnvironment;

/** The Reactive Streams rules for a sink's subscriber of entries, seen from outside. */
public class SinkBlackboxVerificationTest
    extends SubscriberBlackboxVerification<Map.Entry<String, String>> {
  public SinkBlackboxVerificationTest() {
    super(
        new TestEnvironment(
            SinkWhiteboxVerificationTest.LIMIT_MILLIS,
            SinkWhiteboxVerificationTest.SILENCE_MILLIS));
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
