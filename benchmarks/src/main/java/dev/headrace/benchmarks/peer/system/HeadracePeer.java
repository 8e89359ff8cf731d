package dev.headrace.benchmarks.peer.system;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.Security;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.peer.BulkLoads;
import dev.headrace.benchmarks.peer.LoopbackPorts;
import dev.headrace.benchmarks.peer.SystemUnderTest;
import dev.headrace.benchmarks.peer.Trade;
import dev.headrace.benchmarks.peer.TradeView;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.View;
import dev.headrace.benchmarks.peer.Waiting;
import dev.headrace.benchmarks.peer.WalkSettings;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.stream.pull.CreditListener;
import io.reactivex.rxjava3.core.Flowable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Headrace at its defaults: two owners, and 256 segments unless said otherwise. */
public final class HeadracePeer implements SystemUnderTest {

  private static final CacheSettings<String, byte[]> CACHE =
      CacheSettings.of("bench", String.class, byte[].class);

  private static final int SEGMENTS = 256;
  private static final int LOAD_BATCH_BYTES = 64 << 10;

  private static final Logger NODES = Logger.getLogger("dev.headrace");

  private final Security security;
  private final int segments;
  private final List<HeadraceNode> nodes = new ArrayList<>();

  /** Headrace whose nodes know each other in this way. */
  public HeadracePeer(Security security) {
    this(security, SEGMENTS);
  }

  /**
   * Headrace with another number of segments.
   *
   * @param segments of each cache
   */
  public HeadracePeer(Security security, int segments) {
    this.security = security;
    this.segments = segments;
    NODES.setLevel(Level.WARNING);
  }

  @Override
  public String version() {
    String version = Headrace.class.getPackage().getImplementationVersion();
    return version == null ? "built from source" : version;
  }

  @Override
  public void start(int dataNodes) {
    int[] ports = LoopbackPorts.free(dataNodes + 1);
    String[] hosts =
        Arrays.stream(ports).mapToObj(port -> "127.0.0.1:" + port).toArray(String[]::new);
    for (int i = 0; i <= dataNodes; i++) {
      nodes.add(
          HeadraceNode.start(
              NodeSettings.builder()
                  .clusterName("headrace-" + ports[0])
                  .nodeName("node-" + i)
                  .bindAddress("127.0.0.1")
                  .membershipPort(ports[i])
                  .discovery(Discovery.hosts(hosts))
                  .security(security)
                  .segments(segments)
                  .capacity(i == dataNodes ? 0 : 1)
                  .build()));
    }
    Waiting.until(
        "Headrace's nodes to see each other",
        () -> nodes.stream().allMatch(node -> node.status().members().size() == dataNodes + 1));
  }

  @Override
  public void load(Entries entries) {
    Cache<String, byte[]> writer = nodes.get(0).cache(CACHE);
    writer.clear();
    Flowable<Map.Entry<String, byte[]>> all =
        Flowable.range(0, entries.count()).map(i -> Map.entry(entries.key(i), entries.value(i)));
    load(writer, all);
  }

  private static void load(
      Cache<String, byte[]> writer, Flowable<Map.Entry<String, byte[]>> entries) {
    long failed = writer.sink().batchBytes(LOAD_BATCH_BYTES).load(entries).join().failed();
    if (failed > 0) {
      throw new IllegalStateException(failed + " entries could not be loaded");
    }
  }

  @Override
  public BulkLoads bulkLoads() {
    Cache<String, byte[]> writer = nodes.get(0).cache(CACHE);
    return new BulkLoads() {
      @Override
      public void clear() {
        writer.clear();
      }

      @Override
      public Map<String, Consumer<List<Map<String, byte[]>>>> ways() {
        return Map.of(
            "sink",
            batches -> load(writer, Flowable.fromIterable(batches).flatMapIterable(Map::entrySet)),
            "putAll",
            batches -> batches.forEach(writer::putAll),
            "async putAll",
            batches -> BulkLoads.pipelined(batches, writer.async()::putAll));
      }
    };
  }

  /** The cache on the vantage's node, for what only Headrace has. */
  public Cache<String, byte[]> cache(Vantage vantage) {
    return node(vantage).cache(CACHE);
  }

  @Override
  public TradeView trades(Vantage vantage) {
    return new HeadraceTrades(node(vantage).cache("trades", String.class, Trade.class));
  }

  @Override
  public Runnable follow(Vantage vantage, Consumer<byte[]> told) {
    return new HeadraceListener(node(vantage).cache(CACHE), told)::end;
  }

  @Override
  public View view(Vantage vantage) {
    return new Node(node(vantage).cache(CACHE));
  }

  /**
   * The node's own threads and the bulk threads of all nodes, because those are not named after
   * their node: what the answering nodes allocate is counted too, and the figure is never too low.
   */
  @Override
  public boolean serves(Thread thread, Vantage vantage) {
    String name = thread.getName();
    return name.startsWith("headrace-" + node(vantage).settings().nodeName() + "-")
        || (name.startsWith("headrace-") && name.contains("-bulk"));
  }

  @Override
  public int peakHeldEntries(Vantage vantage, WalkSettings settings) {
    AtomicInteger peak = new AtomicInteger();
    StreamListener listener =
        new CreditListener() {
          @Override
          public void credited(int entries, long bytes) {
            peak.accumulateAndGet(entries, Math::max);
          }
        };
    CacheStream<String, byte[]> stream =
        stream(node(vantage).cache(CACHE), settings).listener(listener);
    try (CloseableIterator<Map.Entry<String, byte[]>> entries = stream.entries().iterator()) {
      while (entries.hasNext()) {
        entries.next();
      }
    }
    return peak.get();
  }

  private HeadraceNode node(Vantage vantage) {
    int last = nodes.size() - 1;
    return nodes.get(vantage == Vantage.REMOTE_ONLY ? last : last - 1);
  }

  private static CacheStream<String, byte[]> stream(
      Cache<String, byte[]> cache, WalkSettings settings) {
    Delivery delivery = settings.rehashAware() ? Delivery.EXACTLY_ONCE : Delivery.AT_MOST_ONCE;
    CacheStream<String, byte[]> stream = cache.stream().delivery(delivery);
    if (settings.batchEntries() > 0) {
      stream = stream.batchSize(settings.batchEntries());
    }
    return settings.sequential() ? stream.sequential() : stream;
  }

  @Override
  public void close() {
    // Nobody is left to take over: leaving one by one would move everything once more. Those that
    // are left for a moment would say that they miss the others.
    NODES.setLevel(Level.OFF);
    nodes.forEach(HeadraceNode::kill);
  }

  /** The cache on one node. */
  private static final class Node implements View {

    private final Cache<String, byte[]> cache;

    Node(Cache<String, byte[]> cache) {
      this.cache = cache;
    }

    @Override
    public Walk walk(WalkSettings settings) {
      CloseableIterator<Map.Entry<String, byte[]>> entries =
          stream(cache, settings).entries().iterator();
      return new Walk(entries, entries::close);
    }

    @Override
    public byte @Nullable [] get(String key) {
      return cache.get(key);
    }

    @Override
    public void put(String key, byte[] value) {
      cache.put(key, value);
    }
  }
}
