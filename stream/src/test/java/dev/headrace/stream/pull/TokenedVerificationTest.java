package dev.headrace.stream.pull;

import dev.headrace.api.stream.ContentPublisher;
import java.util.Map;
import org.reactivestreams.Publisher;

/** The same rules for elements with tokens. */
public final class TokenedVerificationTest extends PublisherVerificationTest {

  @Override
  @SuppressWarnings("unchecked") // The rules are not about what the elements are.
  Publisher<Map.Entry<String, String>> form(ContentPublisher<Map.Entry<String, String>> plain) {
    return (Publisher<Map.Entry<String, String>>) (Publisher<?>) plain.withTokens();
  }
}
