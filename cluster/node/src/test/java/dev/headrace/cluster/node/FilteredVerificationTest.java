package dev.headrace.cluster.node;

import static dev.headrace.api.stream.operator.Expressions.key;
import static dev.headrace.api.stream.operator.Expressions.value;

import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.operator.Row;
import java.util.HashMap;
import java.util.Map;
import org.reactivestreams.Publisher;

/** The Reactive Streams rules for a publisher that chooses and selects on the nodes. */
public class FilteredVerificationTest extends ContentVerification<Row> {

  public FilteredVerificationTest() {
    super(5_000);
  }

  @Override
  Map<Integer, String> content(int elements) {
    Map<Integer, String> content = new HashMap<>();
    for (int i = 0; i < elements; i++) {
      content.put(i, "wanted " + i);
      content.put(-1 - i, "unwanted " + i);
    }
    return content;
  }

  @Override
  Publisher<Row> publisher(CacheStream<Integer, String> stream) {
    return stream.filter(value().startsWith("wanted")).select(key(), value());
  }
}
