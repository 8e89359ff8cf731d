package dev.headrace.cluster.node;

import dev.headrace.api.Cache;
import dev.headrace.api.stream.StreamListener;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** The Reactive Streams rules for the publisher of a cluster of three nodes. */
public class ClusterVerificationTest extends PublisherVerification<Map.Entry<Integer, String>> {
  private static final int MOST_ENTRIES = 20_000;

  private final Map<Long, Cache<Integer, String>> filled = new HashMap<>();
  private TestCluster cluster;

  public ClusterVerificationTest() {
    super(new TestEnvironment(1000, 100), 1000);
  }

  @BeforeClass
  public void start() {
    cluster = TestCluster.of(3);
  }

  @AfterClass
  public void stop() {
    cluster.close();
  }

  @Override
  public Publisher<Map.Entry<Integer, String>> createPublisher(long entries) {
    return filled.computeIfAbsent(entries, this::fill).stream().batchSize(100).entries();
  }

  private Cache<Integer, String> fill(long entries) {
    Cache<Integer, String> cache =
        cluster.node(2).cache("of-" + entries, Integer.class, String.class);
    Map<Integer, String> content = new HashMap<>();
    for (int i = 0; i < entries; i++) {
      content.put(i, "value " + i);
    }
    cache.putAll(content);
    return cache;
  }

  /** One that fails when it is subscribed to: its resume token is another cluster's. */
  @Override
  public Publisher<Map.Entry<Integer, String>> createFailedPublisher() {
    try (TestCluster other = TestCluster.of(1)) {
      Cache<Integer, String> cache = other.node(0).cache("of-3", Integer.class, String.class);
      cache.putAll(Map.of(1, "a", 2, "b", 3, "c"));
      String[] token = new String[1];
      try (var all =
          cache.stream()
              .batchSize(1)
              .listener(
                  new StreamListener() {
                    @Override
                    public void batchConsumed(Supplier<String> resume) {
                      token[0] = resume.get();
                    }
                  })
              .entries()
              .iterator()) {
        all.next();
        all.next();
      }
      return filled.computeIfAbsent(3L, this::fill).stream().resumeFrom(token[0]).entries();
    }
  }

  @Override
  public long maxElementsFromPublisher() {
    return MOST_ENTRIES;
  }

  @Override
  public long boundedDepthOfOnNextAndRequestRecursion() {
    return 1;
  }
}
