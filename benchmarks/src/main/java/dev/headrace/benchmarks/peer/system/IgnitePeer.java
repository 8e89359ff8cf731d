package dev.headrace.benchmarks.peer.system;

import dev.headrace.benchmarks.harness.BuildFolder;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.peer.LoopbackPorts;
import dev.headrace.benchmarks.peer.ModuleOpener;
import dev.headrace.benchmarks.peer.SystemUnderTest;
import dev.headrace.benchmarks.peer.TradeView;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.View;
import dev.headrace.benchmarks.peer.Waiting;
import dev.headrace.benchmarks.peer.WalkSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.cache.Cache;
import org.apache.ignite.Ignite;
import org.apache.ignite.IgniteCache;
import org.apache.ignite.Ignition;
import org.apache.ignite.binary.BinaryObject;
import org.apache.ignite.cache.CacheAtomicityMode;
import org.apache.ignite.cache.CacheMode;
import org.apache.ignite.cache.CacheWriteSynchronizationMode;
import org.apache.ignite.cache.query.QueryCursor;
import org.apache.ignite.cache.query.ScanQuery;
import org.apache.ignite.configuration.CacheConfiguration;
import org.apache.ignite.configuration.DataRegionConfiguration;
import org.apache.ignite.configuration.DataStorageConfiguration;
import org.apache.ignite.configuration.IgniteConfiguration;
import org.apache.ignite.failure.NoOpFailureHandler;
import org.apache.ignite.logger.NullLogger;
import org.apache.ignite.spi.communication.tcp.TcpCommunicationSpi;
import org.apache.ignite.spi.discovery.tcp.TcpDiscoverySpi;
import org.apache.ignite.spi.discovery.tcp.ipfinder.vm.TcpDiscoveryVmIpFinder;
import org.jspecify.annotations.Nullable;

/**
 * Apache Ignite with embedded server nodes and, as the member without data, a client node.
 *
 * <p>A partitioned cache in atomic mode, which its manual recommends for speed, with one backup
 * that a write waits for ({@code FULL_SYNC}), because that is what an acknowledged write means
 * here. Entries lie outside the heap, which is its only storage. Statistics, the REST and the thin
 * clients' ports are off.
 */
public final class IgnitePeer implements SystemUnderTest {

  /** What Ignite's manual asks for on JDK 17. */
  private static final List<String> OPENED =
      List.of(
          "java.base/jdk.internal.access",
          "java.base/jdk.internal.misc",
          "java.base/sun.nio.ch",
          "java.base/sun.util.calendar",
          "java.management/com.sun.jmx.mbeanserver",
          "jdk.internal.jvmstat/sun.jvmstat.monitor",
          "java.base/sun.reflect.generics.reflectiveObjects",
          "jdk.management/com.sun.management.internal",
          "java.base/java.io",
          "java.base/java.nio",
          "java.base/java.net",
          "java.base/java.util",
          "java.base/java.util.concurrent",
          "java.base/java.util.concurrent.locks",
          "java.base/java.util.concurrent.atomic",
          "java.base/java.lang",
          "java.base/java.lang.invoke",
          "java.base/java.math",
          "java.sql/java.sql",
          "java.base/java.lang.reflect",
          "java.base/java.time",
          "java.base/java.text",
          "java.management/sun.management");

  private static final String CACHE = "bench";
  private static final int LOAD_BATCH_ENTRIES = 10_000;
  private static final long INITIAL_REGION_BYTES = 64L << 20;
  private static final long REGION_BYTES = 1L << 30;

  private final List<Ignite> nodes = new ArrayList<>();

  @Override
  public String version() {
    return nodes.get(0).version().toString();
  }

  @Override
  public void start(int dataNodes) {
    ModuleOpener.open(OPENED);
    System.setProperty("IGNITE_QUIET", "true");
    System.setProperty("IGNITE_NO_ASCII", "true");
    System.setProperty("IGNITE_UPDATE_NOTIFIER", "false");
    System.setProperty("IGNITE_PERFORMANCE_SUGGESTIONS_DISABLED", "true");
    int[] ports = LoopbackPorts.free(2 * (dataNodes + 1));
    for (int i = 0; i <= dataNodes; i++) {
      nodes.add(Ignition.start(configuration(ports, i, i == dataNodes)));
    }
    nodes.get(0).getOrCreateCache(cache(CACHE));
    Waiting.until(
        "Ignite's nodes to see each other",
        () -> nodes.stream().allMatch(node -> node.cluster().nodes().size() == dataNodes + 1));
  }

  private static IgniteConfiguration configuration(int[] ports, int node, boolean client) {
    int members = ports.length / 2;
    TcpDiscoveryVmIpFinder finder = new TcpDiscoveryVmIpFinder();
    finder.setAddresses(
        Arrays.stream(ports, 0, members - 1).mapToObj(port -> "127.0.0.1:" + port).toList());
    TcpDiscoverySpi discovery = new TcpDiscoverySpi();
    discovery.setIpFinder(finder);
    discovery.setLocalPort(ports[node]);
    discovery.setLocalPortRange(0);
    TcpCommunicationSpi communication = new TcpCommunicationSpi();
    communication.setLocalPort(ports[members + node]);
    communication.setLocalPortRange(0);
    IgniteConfiguration configuration = new IgniteConfiguration();
    configuration.setIgniteInstanceName("ignite-" + ports[node]);
    configuration.setConsistentId("node-" + node);
    configuration.setClientMode(client);
    configuration.setLocalHost("127.0.0.1");
    configuration.setDiscoverySpi(discovery);
    configuration.setCommunicationSpi(communication);
    configuration.setWorkDirectory(BuildFolder.folder("ignite").toAbsolutePath().toString());
    configuration.setGridLogger(new NullLogger());
    configuration.setMetricsLogFrequency(0);
    configuration.setConnectorConfiguration(null);
    configuration.setClientConnectorConfiguration(null);
    configuration.setFailureHandler(new NoOpFailureHandler());
    configuration.setDataStorageConfiguration(
        new DataStorageConfiguration()
            .setDefaultDataRegionConfiguration(
                new DataRegionConfiguration()
                    .setInitialSize(INITIAL_REGION_BYTES)
                    .setMaxSize(REGION_BYTES)));
    return configuration;
  }

  private static <V> CacheConfiguration<String, V> cache(String name) {
    return new CacheConfiguration<String, V>(name)
        .setCacheMode(CacheMode.PARTITIONED)
        .setAtomicityMode(CacheAtomicityMode.ATOMIC)
        .setBackups(1)
        .setWriteSynchronizationMode(CacheWriteSynchronizationMode.FULL_SYNC)
        .setCopyOnRead(false)
        .setStatisticsEnabled(false);
  }

  @Override
  public void load(Entries entries) {
    IgniteCache<String, byte[]> writer = nodes.get(0).cache(CACHE);
    writer.clear();
    // Its manual warns of maps without an order.
    entries.inBatches(LOAD_BATCH_ENTRIES, batch -> writer.putAll(new TreeMap<>(batch)));
  }

  @Override
  public View view(Vantage vantage) {
    return new Node(node(vantage).cache(CACHE));
  }

  private Ignite node(Vantage vantage) {
    int last = nodes.size() - 1;
    return nodes.get(vantage == Vantage.REMOTE_ONLY ? last : last - 1);
  }

  @Override
  public TradeView trades(Vantage vantage) {
    nodes.get(0).getOrCreateCache(IgnitePeer.<BinaryObject>cache(IgniteTrades.CACHE));
    return IgniteTrades.on(node(vantage));
  }

  @Override
  public void close() {
    Ignition.stopAll(true);
  }

  /** The cache on one node. */
  private static final class Node implements View {

    private final IgniteCache<String, byte[]> cache;

    Node(IgniteCache<String, byte[]> cache) {
      this.cache = cache;
    }

    @Override
    public Walk walk(WalkSettings settings) {
      ScanQuery<String, byte[]> query = new ScanQuery<>();
      if (settings.batchEntries() > 0) {
        query.setPageSize(settings.batchEntries());
      }
      QueryCursor<Cache.Entry<String, byte[]>> cursor = cache.query(query);
      return new Walk(new Entered(cursor.iterator()), cursor::close);
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

  /** JCache's entries as those of maps. */
  private record Entered(Iterator<Cache.Entry<String, byte[]>> entries)
      implements Iterator<Map.Entry<String, byte[]>> {

    @Override
    public boolean hasNext() {
      return entries.hasNext();
    }

    @Override
    public Map.Entry<String, byte[]> next() {
      Cache.Entry<String, byte[]> entry = entries.next();
      return Map.entry(entry.getKey(), entry.getValue());
    }
  }
}
