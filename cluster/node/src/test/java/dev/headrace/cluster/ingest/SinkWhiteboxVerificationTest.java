package dev.headrace.cluster.ingest;

import java.util.Map;
import org.reactivestreams.Subscriber;
import org.reactivestreams.tck.SubscriberWhiteboxVerification;
import org.reactivestreams.tck.TestEnvironment;

/** The Reactive Streams rules for a sink's subscriber of entries, seen from inside. */
public class SinkWhiteboxVerificationTest
    extends SubscriberWhiteboxVerification<Map.Entry<String, String>> {
  static final int LIMIT_MILLIS = 30_000;
  static final int SILENCE_MILLIS = 100;

  public SinkWhiteboxVerificationTest() {
    super(new TestEnvironment(LIMIT_MILLIS, SILENCE_MILLIS));
  }

  @Override
  public Subscriber<Map.Entry<String, String>> createSubscriber(
      WhiteboxSubscriberProbe<Map.Entry<String, String>> probe) {
    return new ProbedSink<>(new SimulatedSink(1).sink().subscriber(), probe);
  }

  @Override
  public Map.Entry<String, String> createElement(int element) {
    return Map.entry("key-" + element, "value-" + element);
  }
}
