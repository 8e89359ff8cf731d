package dev.headrace.stream.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.BatchReader;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.function.FunctionTable;
import dev.headrace.stream.plan.StreamPlan;
import dev.headrace.stream.protocol.Streams;
import dev.headrace.stream.store.SegmentStore;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

/**
 * The Reactive Streams rules for a publisher of a stream, over a synthetic node that answers.
 *
 * @param <T> what it publishes
 */
public abstract class SyntheticVerification<T> extends PublisherVerification<T> {

  /** The segments of a cluster, unless a subclass makes another one. */
  static final int SEGMENTS = 16;

  private static final int MOST_STORED = 100_000;

  /** A bound on hangs. */
  static final int LIMIT_MILLIS = 60_000;

  /** How long nothing may come where nothing must come. */
  static final int SILENCE_MILLIS = 50;

  /** How long a cancelled stream has for letting go of its subscriber before each collection. */
  private static final int GC_MILLIS = 300;

  /** A bound on hangs, of a minute and more. */
  private static final int MOST_COLLECTIONS = 150;

  private ExecutorService executor;

  SyntheticVerification() {
    super(new TestEnvironment(LIMIT_MILLIS, SILENCE_MILLIS), GC_MILLIS);
  }

  @BeforeClass
  public void start() {
    executor = Executors.newFixedThreadPool(2);
  }

  /** What runs the streams. */
  ExecutorService executor() {
    return executor;
  }

  @AfterClass
  public void stop() {
    executor.shutdownNow();
  }

  /** The publisher of a stream that is verified. */
  abstract Publisher<T> publisher(CacheStream<String, String> stream);

  /** A cluster whose first node answers, and of which the stream makes so many elements. */
  SyntheticCluster cluster(int elements) {
    SyntheticCluster cluster = new SyntheticCluster(elements, 1, SEGMENTS, 1);
    cluster.fill(elements);
    return cluster;
  }

  /** The value of each entry of a segment without end, as the node answers it. */
  byte[] endlessValue() {
    return new byte[] {'v'};
  }

  @Override
  public Publisher<T> createPublisher(long elements) {
    if (elements > MOST_STORED) {
      return endless();
    }
    SyntheticCluster cluster = cluster((int) elements);
    SegmentStore store = cluster.nodes.get(0).store;
    FunctionTable functions = cluster.functions;
    return publisher(
        stream(cluster, (node, request, handler) -> answer(store, functions, request, handler)));
  }

  /** May be called by several threads, unlike the synthetic cluster's own port. */
  private static void answer(
      SegmentStore store, FunctionTable functions, ReadRequest request, ReadHandler handler) {
    BatchReader reader = new BatchReader(functions);
    ByteBuffer out = ByteBuffer.allocate(request.maxBytes());
    List<SegmentPart> parts = reader.answer(store, 0, request, out);
    handler.received(new Batch(0, out.flip(), parts, reader.entryBytes(), () -> {}));
  }

  private CacheStream<String, String> stream(SyntheticCluster cluster, ReadPort port) {
    StreamEnvironment environment =
        new StreamEnvironment(
            cluster,
            port,
            cluster,
            executor,
            cluster.space,
            SyntheticCluster.IDENTITY,
            id -> "one",
            () -> cluster.clusterMillis,
            cluster.memory);
    return StreamPlan.over(
            environment,
            new CacheSettings<>(SyntheticCluster.CACHE, Codecs.string(), Codecs.string()),
            0)
        .batchSize(7);
  }

  @Override
  public Publisher<T> createFailedPublisher() {
    SyntheticCluster cluster = new SyntheticCluster(1, 1, SEGMENTS, 1);
    String token =
        Streams.token(SyntheticCluster.IDENTITY + 1, SyntheticCluster.CACHE, SEGMENTS, 3, 0);
    if (!ResumeTokenException.class.isInstance(refusal(cluster, token))) {
      throw new AssertionError("a foreign token is refused when subscribed, and not before");
    }
    return publisher(cluster.stream().resumeFrom(token).executor(executor));
  }

  private Throwable refusal(SyntheticCluster cluster, String token) {
    Collector<Map.Entry<String, String>> collector = new Collector<>(1);
    cluster.stream().resumeFrom(token).executor(Runnable::run).entries().subscribe(collector);
    return collector.errors.get(0);
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
    return Integer.MAX_VALUE;
  }

  /** A segment without end, for the rule about more demand than a long can count. */
  private Publisher<T> endless() {
    SyntheticCluster cluster = new SyntheticCluster(1, 1, 1, 1);
    byte[] value = endlessValue();
    AtomicLong position = new AtomicLong();
    ReadPort port =
        (node, request, handler) -> {
          ByteBuffer out = ByteBuffer.allocate(64);
          EntryLayout.append(out, new byte[] {'k'}, value, 1, 1, 0);
          Cursor cursor = Cursor.after(position.incrementAndGet());
          SegmentPart part = new SegmentPart(0, 1, SegmentPart.Status.MORE, cursor);
          handler.received(new Batch(0, out.flip(), List.of(part), 0, () -> {}));
        };
    return publisher(stream(cluster, port));
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
