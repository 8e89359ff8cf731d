package dev.headrace.stream.pull;

import dev.headrace.api.stream.CacheStream;
import java.util.Map;
import org.reactivestreams.Publisher;

/** The same rules for the rails of a stream, merged by RxJava. */
public final class RailVerificationTest extends SyntheticVerification<Map.Entry<String, String>> {

  @Override
  Publisher<Map.Entry<String, String>> publisher(CacheStream<String, String> stream) {
    return stream.entries().toParallelFlowable(2).sequential();
  }
}
