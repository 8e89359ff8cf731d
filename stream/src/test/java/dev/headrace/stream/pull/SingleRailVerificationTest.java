package dev.headrace.stream.pull;

import dev.headrace.api.stream.CacheStream;
import java.util.Map;
import org.reactivestreams.Publisher;

/**
 * The same rules for one of two rails, which gets everything as long as nobody reads the other one.
 * It has one consumer, so the tests of several, which the rules leave open, come to nothing.
 */
public final class SingleRailVerificationTest
    extends SyntheticVerification<Map.Entry<String, String>> {

  @Override
  Publisher<Map.Entry<String, String>> publisher(CacheStream<String, String> stream) {
    return stream.entries().rails(2).get(0);
  }
}
