package dev.headrace.cluster.ingest;

import org.reactivestreams.Subscriber;
import org.reactivestreams.tck.SubscriberBlackboxVerification;
import org.reactivestreams.tck.TestEnvironment;

/** The Reactive Streams rules for a sink's subscriber of values without keys, seen from outside. */
public class AppenderBlackboxVerificationTest extends SubscriberBlackboxVerification<String> {
  public AppenderBlackboxVerificationTest() {
    super(
        new TestEnvironment(
            SinkWhiteboxVerificationTest.LIMIT_MILLIS,
            SinkWhiteboxVerificationTest.SILENCE_MILLIS));
  }

  @Override
  public Subscriber<String> createSubscriber() {
    return new SimulatedSink(1).sink().appender();
  }

  @Override
  public String createElement(int element) {
    return "value-" + element;
  }
}
