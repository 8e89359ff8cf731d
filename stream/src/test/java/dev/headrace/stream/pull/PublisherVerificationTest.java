package dev.headrace.stream.pull;

import dev.headrace.api.stream.CacheStream;
import java.util.Map;
import org.reactivestreams.Publisher;

/** The Reactive Streams rules for entries as they are. */
public final class PublisherVerificationTest
    extends SyntheticVerification<Map.Entry<String, String>> {

  @Override
  Publisher<Map.Entry<String, String>> publisher(CacheStream<String, String> stream) {
    return stream.entries();
  }
}
