package dev.headrace.stream.pull;

import dev.headrace.api.stream.ContentPublisher;
import java.util.Map;
import org.reactivestreams.Publisher;

/** The same rules for the rails of a stream, merged by RxJava. */
public final class RailVerificationTest extends PublisherVerificationTest {

  @Override
  Publisher<Map.Entry<String, String>> form(ContentPublisher<Map.Entry<String, String>> plain) {
    return plain.toParallelFlowable(2).sequential();
  }
}
