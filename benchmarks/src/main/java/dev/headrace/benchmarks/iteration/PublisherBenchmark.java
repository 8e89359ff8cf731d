package dev.headrace.benchmarks.iteration;

import dev.headrace.api.Cache;
import dev.headrace.api.Security;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.ContentPublisher;
import dev.headrace.api.stream.StreamPublisher;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.ForkedBenchmark;
import dev.headrace.benchmarks.harness.WarmUp;
import dev.headrace.benchmarks.harness.WrongContentException;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.system.HeadracePeer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;

/**
 * The same content through each of the interfaces that a stream has; one operation is one walk.
 *
 * <p>A {@code Publisher} is drained with unbounded demand; signals come on the stream's executor,
 * and the measuring thread waits for the last one. An iterator decodes on the measuring thread.
 */
@State(Scope.Benchmark)
@Threads(1)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class PublisherBenchmark extends ForkedBenchmark {

  /** Length of each value. */
  @Param({"10", "100", "1000"})
  int valueBytes;

  /** Number of entries. */
  @Param("50000")
  int entries;

  /** Entries of a batch; 0 for the default. */
  @Param({"0", "4096", "32768"})
  int batchSize;

  /** Where the readers stand. */
  @Param({"owner", "remote-only"})
  String vantage;

  private HeadracePeer cluster;
  private Cache<String, byte[]> cache;

  /** Starts the cluster, fills it, and walks over it until that is compiled. */
  @Setup(Level.Trial)
  public void start(Blackhole blackhole) {
    cluster = new HeadracePeer(Security.none());
    cluster.start(IterationBenchmark.NODES);
    cluster.load(new Entries(entries, valueBytes));
    cache = cluster.cache(Vantage.of(vantage));
    WarmUp.untilCompiled(() -> walk(blackhole));
  }

  private void walk(Blackhole blackhole) {
    try {
      publisher(blackhole);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("The warm-up was interrupted", e);
    }
  }

  /** Ends the cluster. */
  @TearDown(Level.Trial)
  public void stop() {
    cluster.close();
  }

  private ContentPublisher<Map.Entry<String, byte[]>> stream() {
    CacheStream<String, byte[]> stream = cache.stream();
    return (batchSize == 0 ? stream : stream.batchSize(batchSize)).entries();
  }

  /** The bare publisher. */
  @Benchmark
  public int publisher(Blackhole blackhole) throws InterruptedException {
    return drain(stream(), blackhole);
  }

  /** Through the JDK's interface. */
  @Benchmark
  public int flow(Blackhole blackhole) throws InterruptedException {
    return drain(FlowAdapters.toPublisher(stream().toFlow()), blackhole);
  }

  /** Through RxJava. */
  @Benchmark
  public int flowable(Blackhole blackhole) throws InterruptedException {
    return drain(stream().toFlowable(), blackhole);
  }

  /** Pulled entry by entry. */
  @Benchmark
  public int iterator(Blackhole blackhole) {
    int delivered = 0;
    try (CloseableIterator<Map.Entry<String, byte[]>> iterator = stream().iterator()) {
      while (iterator.hasNext()) {
        Map.Entry<String, byte[]> entry = iterator.next();
        blackhole.consume(entry.getKey());
        blackhole.consume(entry.getValue());
        delivered++;
      }
    }
    return requireAll(delivered);
  }

  /** One publisher whose consumer works for a microsecond with each entry. */
  @Benchmark
  public int busy() throws InterruptedException {
    return drain(List.of(stream()));
  }

  /** Two rails with such consumers: against {@link #busy} this is what rails bring. */
  @Benchmark
  public int rails() throws InterruptedException {
    return drain(stream().rails(2));
  }

  private int drain(List<? extends StreamPublisher<Map.Entry<String, byte[]>>> publishers)
      throws InterruptedException {
    List<BusySubscriber> subscribers = new ArrayList<>();
    for (StreamPublisher<Map.Entry<String, byte[]>> publisher : publishers) {
      BusySubscriber subscriber = new BusySubscriber();
      publisher.subscribe(subscriber);
      subscribers.add(subscriber);
    }
    int delivered = 0;
    for (BusySubscriber subscriber : subscribers) {
      delivered += subscriber.await();
    }
    return requireAll(delivered);
  }

  private int drain(Publisher<Map.Entry<String, byte[]>> publisher, Blackhole blackhole)
      throws InterruptedException {
    DrainingSubscriber subscriber = new DrainingSubscriber(blackhole);
    publisher.subscribe(subscriber);
    return requireAll(subscriber.await());
  }

  private int requireAll(int delivered) {
    if (delivered != entries) {
      throw new WrongContentException(delivered + " of " + entries + " entries were delivered");
    }
    return delivered;
  }
}
