package dev.headrace.stream.pull;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import java.util.List;
import java.util.stream.IntStream;
import org.reactivestreams.Publisher;

/** The same rules for what a function of the node makes of each entry: nothing to three results. */
public final class FlatMapVerificationTest extends SyntheticVerification<String> {

  /** The most results of an entry. */
  private static final int MOST = 3;

  private static final Codec<String> TEXT = Codecs.string();
  private static final FunctionName<String, String> NUMBERED =
      FunctionName.of("numbered", TEXT, TEXT);
  private static final NodeFunctions<String, String> KNOWN =
      NodeFunctions.over(TEXT, TEXT)
          .flatMap(NUMBERED, (key, value, by) -> numbered(key + by, Integer.parseInt(value)));

  private static List<String> numbered(String text, int count) {
    return IntStream.range(0, count).mapToObj(i -> text + i).toList();
  }

  /** The value of an entry is the number of its results. */
  @Override
  SyntheticCluster cluster(int elements) {
    SyntheticCluster cluster = new SyntheticCluster(elements, 1, SEGMENTS, 1);
    cluster.put("nothing", "0");
    for (int left = elements; left > 0; left -= MOST) {
      cluster.put("key-" + left, String.valueOf(Math.min(left, MOST)));
    }
    cluster.functions = StreamFunctionsTest.knowing(KNOWN);
    return cluster;
  }

  /** One result. */
  @Override
  byte[] endlessValue() {
    ByteOutput out = new ByteOutput();
    out.writeSized(TEXT, "v");
    return out.toByteArray();
  }

  @Override
  Publisher<String> publisher(CacheStream<String, String> stream) {
    return stream.flatMap(NUMBERED, "#");
  }
}
