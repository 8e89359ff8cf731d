package dev.headrace.stream.pull;

import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import org.reactivestreams.Publisher;

/** The same rules for what a function of the node makes of each entry. */
public final class MapVerificationTest extends SyntheticVerification<String> {

  private static final String IGNORED = "ignored";
  private static final Codec<String> TEXT = Codecs.string();
  private static final FunctionName<String, String> JOINED = FunctionName.of("joined", TEXT, TEXT);
  private static final NodeFunctions<String, String> KNOWN =
      NodeFunctions.over(TEXT, TEXT)
          .map(JOINED, (key, value, by) -> value.equals(IGNORED) ? null : key + by + value);

  @Override
  SyntheticCluster cluster(int elements) {
    SyntheticCluster cluster = super.cluster(elements);
    cluster.put("another key", IGNORED);
    cluster.functions = StreamFunctionsTest.knowing(KNOWN);
    return cluster;
  }

  @Override
  Publisher<String> publisher(CacheStream<String, String> stream) {
    return stream.map(JOINED, "=");
  }
}
