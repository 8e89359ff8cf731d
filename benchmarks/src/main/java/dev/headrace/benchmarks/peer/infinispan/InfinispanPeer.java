package dev.headrace.benchmarks.peer.infinispan;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.infinispan.AdvancedCache;
import org.infinispan.CacheStream;
import org.infinispan.commons.util.Version;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.configuration.global.ShutdownHookBehavior;
import org.infinispan.context.Flag;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.remoting.transport.jgroups.JGroupsTransport;
import org.jspecify.annotations.Nullable;

/**
 * Embedded Infinispan: a synchronous distributed cache over its own stock TCP stack.
 *
 * <p>The cache keeps its default storage, Java objects on the heap, which is the fastest for
 * embedded use: local entries are handed out without decoding, and only what crosses the wire is
 * encoded. Its default marshaller, ProtoStream, knows {@code String} and {@code byte[]} natively.
 *
 * <p>Runs in a class loader of its own, with the JGroups that it was released with, not with ours.
 */
public final class InfinispanPeer implements SystemUnderTest {

  private static final String CACHE = "bench";
  private static final String TRADES = "trades";

  /** In the stock stack, failure detection listens this far above a node's port. */
  private static final int FAILURE_DETECTION_OFFSET = 50_000;

  private static final String STOCK_STACK = "org/infinispan/configuration/default-jgroups-tcp.xml";

  /** As many entries per {@code putAll} as in Infinispan's own iteration benchmark. */
  private static final int LOAD_BATCH_ENTRIES = 10_000;

  private final List<DefaultCacheManager> nodes = new ArrayList<>();
  private final List<AdvancedCache<String, byte[]>> caches = new ArrayList<>();
  private boolean holdsTrades;

  /** Infinispan, of which nothing runs yet. */
  public InfinispanPeer() {}

  @Override
  public String version() {
    return Version.getVersion();
  }

  @Override
  public void prepareForTrades() {
    holdsTrades = true;
  }

  @Override
  public void start(int dataNodes) {
    Thread thread = Thread.currentThread();
    ClassLoader usual = thread.getContextClassLoader();
    thread.setContextClassLoader(InfinispanPeer.class.getClassLoader());
    try {
      startNodes(dataNodes);
    } finally {
      thread.setContextClassLoader(usual);
    }
  }

  private void startNodes(int dataNodes) {
    int first = 10_000 + (int) (ProcessHandle.current().pid() % 500) * 8;
    int[] ports = LoopbackPorts.freePairs(dataNodes + 1, FAILURE_DETECTION_OFFSET, first);
    for (int i = 0; i <= dataNodes; i++) {
      DefaultCacheManager node = new DefaultCacheManager(global(ports, i).build());
      nodes.add(node);
      node.defineConfiguration(CACHE, cache(i == dataNodes ? 0 : 1).build());
      caches.add(node.<String, byte[]>getCache(CACHE).getAdvancedCache());
      if (holdsTrades) {
        node.defineConfiguration(TRADES, cache(i == dataNodes ? 0 : 1).build());
        node.getCache(TRADES);
      }
    }
    Waiting.until(
        "Infinispan's nodes to agree on the owners of all segments",
        () -> caches.stream().allMatch(cache -> settled(cache, dataNodes + 1)));
  }

  private static boolean settled(AdvancedCache<String, byte[]> cache, int members) {
    return cache.getDistributionManager().getCacheTopology().getMembers().size() == members
        && !cache.getDistributionManager().isRehashInProgress();
  }

  private GlobalConfigurationBuilder global(int[] ports, int node) {
    GlobalConfigurationBuilder global = GlobalConfigurationBuilder.defaultClusteredBuilder();
    global
        .transport()
        .clusterName("infinispan-" + ports[0])
        .nodeName("node-" + node)
        .addProperty(JGroupsTransport.CONFIGURATION_XML, stack(ports, node));
    if (holdsTrades) {
      global.serialization().addContextInitializer(new TradesSchema());
      // Lambdas are Java's serialization.
      global
          .serialization()
          .allowList()
          .addRegexps("dev\\.headrace\\.benchmarks\\..*", "java\\..*", "\\[.*");
    }
    global.jmx().disable();
    global.metrics().gauges(false).histograms(false);
    global.shutdown().hookBehavior(ShutdownHookBehavior.DONT_REGISTER);
    return global;
  }

  private static ConfigurationBuilder cache(float capacity) {
    ConfigurationBuilder cache = new ConfigurationBuilder();
    cache.clustering().cacheMode(CacheMode.DIST_SYNC).hash().numOwners(2).capacityFactor(capacity);
    cache.statistics().disable();
    return cache;
  }

  /**
   * The stock TCP stack, bound to one loopback port, with a list of hosts in place of multicast
   * discovery. Nothing that moves bytes is changed.
   */
  private static String stack(int[] ports, int node) {
    String hosts =
        Arrays.stream(ports)
            .mapToObj(port -> "127.0.0.1[" + port + "]")
            .collect(Collectors.joining(","));
    String stack = stockStack();
    stack = replaced(stack, "bind_addr=\"[^\"]*\"", "bind_addr=\"127.0.0.1\"");
    stack = replaced(stack, "bind_port=\"[^\"]*\"", "bind_port=\"" + ports[node] + "\"");
    stack = replaced(stack, "port_range=\"[^\"]*\"", "port_range=\"0\"");
    return replaced(
        stack, "<MPING[^>]*/>", "<TCPPING initial_hosts=\"" + hosts + "\" port_range=\"0\"/>");
  }

  private static String replaced(String stack, String pattern, String replacement) {
    String changed = stack.replaceFirst(pattern, replacement);
    if (changed.equals(stack)) {
      throw new IllegalStateException(STOCK_STACK + " no longer contains " + pattern);
    }
    return changed;
  }

  private static String stockStack() {
    try (InputStream stack = DefaultCacheManager.class.getResourceAsStream("/" + STOCK_STACK)) {
      if (stack == null) {
        throw new IllegalStateException("Infinispan no longer ships " + STOCK_STACK);
      }
      return new String(stack.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("Infinispan's stack cannot be read: " + STOCK_STACK, e);
    }
  }

  @Override
  public void load(Entries entries) {
    AdvancedCache<String, byte[]> writer = caches.get(0).withFlags(Flag.IGNORE_RETURN_VALUES);
    writer.clear();
    entries.inBatches(LOAD_BATCH_ENTRIES, writer::putAll);
  }

  @Override
  public BulkLoads bulkLoads() {
    AdvancedCache<String, byte[]> writer = caches.get(0).withFlags(Flag.IGNORE_RETURN_VALUES);
    return new BulkLoads() {
      @Override
      public void clear() {
        writer.clear();
      }

      @Override
      public Map<String, Consumer<List<Map<String, byte[]>>>> ways() {
        return Map.of(
            "putAll",
            batches -> batches.forEach(writer::putAll),
            "putAllAsync",
            batches -> BulkLoads.pipelined(batches, writer::putAllAsync));
      }
    };
  }

  @Override
  public TradeView trades(Vantage vantage) {
    int last = nodes.size() - 1;
    DefaultCacheManager node = nodes.get(vantage == Vantage.REMOTE_ONLY ? last : last - 1);
    return new InfinispanTrades(node.<String, Trade>getCache(TRADES).getAdvancedCache());
  }

  @Override
  public Runnable follow(Vantage vantage, Consumer<byte[]> told) {
    int last = caches.size() - 1;
    AdvancedCache<String, byte[]> cache =
        caches.get(vantage == Vantage.REMOTE_ONLY ? last : last - 1);
    InfinispanListener listener = new InfinispanListener(told);
    cache.addListener(listener);
    return () -> cache.removeListener(listener);
  }

  @Override
  public View view(Vantage vantage) {
    int last = caches.size() - 1;
    return new Node(caches.get(vantage == Vantage.REMOTE_ONLY ? last : last - 1));
  }

  @Override
  public void close() {
    for (int i = nodes.size() - 1; i >= 0; i--) {
      nodes.get(i).stop();
    }
  }

  /** The cache on one node. */
  private static final class Node implements View {

    private final AdvancedCache<String, byte[]> cache;

    /** Without the old value, a write needs one trip less. */
    private final AdvancedCache<String, byte[]> writer;

    Node(AdvancedCache<String, byte[]> cache) {
      this.cache = cache;
      this.writer = cache.withFlags(Flag.IGNORE_RETURN_VALUES);
    }

    @Override
    public Walk walk(WalkSettings settings) {
      CacheStream<Map.Entry<String, byte[]>> stream = cache.entrySet().stream();
      if (settings.batchEntries() > 0) {
        stream = stream.distributedBatchSize(settings.batchEntries());
      }
      if (settings.sequential()) {
        stream = stream.sequentialDistribution();
      }
      if (!settings.rehashAware()) {
        stream = stream.disableRehashAware();
      }
      Iterator<Map.Entry<String, byte[]>> entries = stream.iterator();
      return new Walk(entries, stream::close);
    }

    @Override
    public byte @Nullable [] get(String key) {
      return cache.get(key);
    }

    @Override
    public void put(String key, byte[] value) {
      writer.put(key, value);
    }
  }
}
