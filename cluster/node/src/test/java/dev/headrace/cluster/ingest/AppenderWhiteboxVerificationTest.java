package dev.headrace.cluster.ingest;

import org.reactivestreams.Subscriber;
import org.reactivestreams.tck.SubscriberWhiteboxVerification;
import org.reactivestreams.tck.TestEnvironment;

/** The Reactive Streams rules for a sink's subscriber of values without keys, seen from inside. */
public class AppenderWhiteboxVerificationTest extends SubscriberWhiteboxVerification<String> {
  public AppenderWhiteboxVerificationTest() {
    super(
        new TestEnvironment(
            SinkWhiteboxVerificationTest.LIMIT_MILLIS,
            SinkWhiteboxVerificationTest.SILENCE_MILLIS));
  }

  @Override
  public Subscriber<String> createSubscriber(WhiteboxSubscriberProbe<String> probe) {
    return new ProbedSink<>(new SimulatedSink(1).sink().appender(), probe);
  }

  @Override
  public String createElement(int element) {
    return "value-" + element;
  }
}
