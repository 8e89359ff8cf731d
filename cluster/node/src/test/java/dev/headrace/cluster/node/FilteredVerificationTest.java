package dev.headrace.cluster.node;

import static dev.headrace.api.stream.operator.Expressions.key;
import static dev.headrace.api.stream.operator.Expressions.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.api.stream.operator.Row;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/**
 * The Reactive Streams rules for a publisher that chooses and selects on a cluster of three nodes.
 */
public class FilteredVerificationTest extends PublisherVerification<Row> {
  private static final int MOST_ENTRIES = 5_000;

  /** A bound on hangs. */
  private static final int LIMIT_MILLIS = 60_000;

  /** How long nothing may come where nothing must come. */
  private static final int SILENCE_MILLIS = 100;

  /** How long a cancelled stream has for letting go of its subscriber. */
  private static final int GC_MILLIS = 2000;

  private final Map<Long, Cache<Integer, String>> filled = new HashMap<>();
  private TestCluster cluster;
  private String foreignToken;

  public FilteredVerificationTest() {
    super(new TestEnvironment(LIMIT_MILLIS, SILENCE_MILLIS), GC_MILLIS);
  }

  @BeforeClass
  public void start() {
    foreignToken = tokenOfAnotherCluster();
    cluster = TestCluster.of(3);
  }

  @AfterClass
  public void stop() {
    cluster.close();
  }

  @Override
  public Publisher<Row> createPublisher(long entries) {
    return stream(entries).batchSize(100).select(key(), value());
  }

  private CacheStream<Integer, String> stream(long entries) {
    return filled.computeIfAbsent(entries, this::fill).stream()
        .filter(value().startsWith("wanted"));
  }

  private Cache<Integer, String> fill(long entries) {
    Cache<Integer, String> cache =
        cluster.node(2).cache("of-" + entries, Integer.class, String.class);
    Map<Integer, String> content = new HashMap<>();
    for (int i = 0; i < entries; i++) {
      content.put(i, "wanted " + i);
      content.put(-1 - i, "unwanted " + i);
    }
    cache.putAll(content);
    return cache;
  }

  /** One that fails when it is subscribed to: its resume token is another cluster's. */
  @Override
  public Publisher<Row> createFailedPublisher() {
    return stream(3).resumeFrom(foreignToken).select(key());
  }

  private static String tokenOfAnotherCluster() {
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
      return token[0];
    }
  }

  // The suite's own three tests of this rule sleep for the whole bound before they look.

  @Override
  @Test
  public void required_spec309_requestZeroMustSignalIllegalArgumentException() throws Exception {
    assertRefuses(0);
  }

  @Override
  @Test
  public void required_spec309_requestNegativeNumberMustSignalIllegalArgumentException()
      throws Exception {
    assertRefuses(-1);
  }

  @Override
  @Test
  public void
      optional_spec309_requestNegativeNumberMaySignalIllegalArgumentExceptionWithSpecificMessage()
          throws Exception {
    assertRefuses(-1);
  }

  private void assertRefuses(long demand) throws Exception {
    CompletableFuture<Throwable> refusal = new CompletableFuture<>();
    createPublisher(10)
        .subscribe(
            new Subscriber<>() {
              @Override
              public void onSubscribe(Subscription subscription) {
                subscription.request(demand);
              }

              @Override
              public void onNext(Row entry) {
                refusal.completeExceptionally(new AssertionError("got " + entry));
              }

              @Override
              public void onError(Throwable failure) {
                refusal.complete(failure);
              }

              @Override
              public void onComplete() {
                refusal.completeExceptionally(new AssertionError("completed"));
              }
            });
    assertThat(refusal.get(LIMIT_MILLIS, TimeUnit.MILLISECONDS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3.9");
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
