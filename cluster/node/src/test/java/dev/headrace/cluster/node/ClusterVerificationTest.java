package dev.headrace.cluster.node;

import dev.headrace.api.stream.CacheStream;
import java.util.HashMap;
import java.util.Map;
import org.reactivestreams.Publisher;

/** The Reactive Streams rules for a cluster's entries. */
public class ClusterVerificationTest extends ContentVerification<Map.Entry<Integer, String>> {

  public ClusterVerificationTest() {
    super(20_000);
  }

  @Override
  Map<Integer, String> content(int elements) {
    Map<Integer, String> content = new HashMap<>();
    for (int i = 0; i < elements; i++) {
      content.put(i, "value " + i);
    }
    return content;
  }

  @Override
  Publisher<Map.Entry<Integer, String>> publisher(CacheStream<Integer, String> stream) {
    return stream.entries();
  }
}
