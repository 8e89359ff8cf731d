package dev.headrace.stream.pull;

import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamSignal;
import org.reactivestreams.Publisher;

/** The same rules for values between signals of segments, which are complete or lost. */
public final class SignalVerificationTest extends SyntheticVerification<StreamSignal<String>> {

  /** One signal says that a segment is complete; a second one, that another segment is lost. */
  @Override
  SyntheticCluster cluster(int signals) {
    int segments = signals < 2 ? 1 : 2;
    SyntheticCluster cluster = new SyntheticCluster(signals, segments, segments, 1);
    if (signals == 0) { // Nothing was ever written, and nobody owns the segment.
      cluster.written = false;
      cluster.own(0);
    } else if (segments == 2) {
      cluster.crash(1);
      cluster.removeDead();
    }
    cluster.publish();
    for (int i = 0; cluster.content.size() < signals - segments; i++) {
      if (cluster.segmentOf("key-" + i) == 0) {
        cluster.put("key-" + i, "value-" + i);
      }
    }
    return cluster;
  }

  @Override
  Publisher<StreamSignal<String>> publisher(CacheStream<String, String> stream) {
    return stream.delivery(Delivery.AT_MOST_ONCE).values().signals();
  }
}
