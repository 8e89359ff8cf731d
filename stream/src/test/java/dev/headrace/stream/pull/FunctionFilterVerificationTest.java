package dev.headrace.stream.pull;

import static dev.headrace.api.stream.operator.Expressions.value;

import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import java.util.Map;
import org.reactivestreams.Publisher;

/** The same rules for the entries that a condition and then a function of the node accept. */
public final class FunctionFilterVerificationTest
    extends SyntheticVerification<Map.Entry<String, String>> {

  private static final Codec<String> TEXT = Codecs.string();
  private static final FunctionName<String, Boolean> KEY_BEGINS =
      FunctionName.of("keyBegins", TEXT, Codecs.of(Boolean.class));
  private static final NodeFunctions<String, String> KNOWN =
      NodeFunctions.over(TEXT, TEXT)
          .filter(KEY_BEGINS, (key, value, prefix) -> key.startsWith(prefix));

  /** Beside each wanted entry lie one that the condition leaves out, and one for the function. */
  @Override
  SyntheticCluster cluster(int elements) {
    SyntheticCluster cluster = super.cluster(elements);
    for (int i = 0; i <= elements; i++) {
      cluster.put("key-of-another-" + i, "another-" + i);
      cluster.put("another-" + i, "value-" + i);
    }
    cluster.functions = StreamFunctionsTest.knowing(KNOWN);
    return cluster;
  }

  @Override
  Publisher<Map.Entry<String, String>> publisher(CacheStream<String, String> stream) {
    return stream.filter(value().startsWith("value-")).filter(KEY_BEGINS, "key-").entries();
  }
}
