package dev.headrace.stream.pull;

import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.TokenedElement;
import java.util.Map;
import org.reactivestreams.Publisher;

/** The same rules for elements with tokens. */
public final class TokenedVerificationTest
    extends SyntheticVerification<TokenedElement<Map.Entry<String, String>>> {

  @Override
  Publisher<TokenedElement<Map.Entry<String, String>>> publisher(
      CacheStream<String, String> stream) {
    return stream.entries().withTokens();
  }
}
