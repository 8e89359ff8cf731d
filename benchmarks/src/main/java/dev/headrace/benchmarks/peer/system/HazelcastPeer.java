package dev.headrace.benchmarks.peer.system;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.BuildInfoProvider;
import com.hazelcast.map.IMap;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.peer.BulkLoads;
import dev.headrace.benchmarks.peer.LoopbackPorts;
import dev.headrace.benchmarks.peer.SystemUnderTest;
import dev.headrace.benchmarks.peer.TradeView;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.View;
import dev.headrace.benchmarks.peer.Waiting;
import dev.headrace.benchmarks.peer.WalkSettings;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hazelcast with embedded members: a map with one synchronous backup, which makes two owners.
 *
 * <p>Values stay in its default format, {@code BINARY}, which its manual recommends where whole
 * values are read and written. Backups are not read: such a read may be stale, and no other system
 * here answers with a stale value. See {@link HazelcastSettings} for the rest.
 */
public final class HazelcastPeer implements SystemUnderTest {

  private static final String MAP = "bench";
  private static final String TRADES = "trades";

  private static final int LOAD_BATCH_ENTRIES = 10_000;

  private final List<HazelcastInstance> nodes = new ArrayList<>();

  @Override
  public String version() {
    return BuildInfoProvider.getBuildInfo().getVersion();
  }

  @Override
  public void start(int dataNodes) {
    HazelcastSettings.openPackages();
    int[] ports = LoopbackPorts.free(dataNodes + 1);
    for (int i = 0; i <= dataNodes; i++) {
      nodes.add(Hazelcast.newHazelcastInstance(config(ports, i)));
    }
    Waiting.until(
        "Hazelcast's members to place all partitions",
        () ->
            nodes.stream()
                .allMatch(
                    node ->
                        node.getCluster().getMembers().size() == dataNodes + 1
                            && node.getPartitionService().isClusterSafe()));
  }

  private static Config config(int[] ports, int node) {
    Config config = HazelcastSettings.loopback(ports, node);
    config.setLiteMember(node == ports.length - 1);
    HazelcastSettings.map(config, MAP, 1);
    HazelcastSettings.map(config, TRADES, 1);
    config
        .getMapConfig(TRADES)
        .setInMemoryFormat(InMemoryFormat.OBJECT); // which its manual recommends for queries
    return config;
  }

  @Override
  public void load(Entries entries) {
    IMap<String, byte[]> map = nodes.get(0).getMap(MAP);
    map.clear();
    entries.inBatches(LOAD_BATCH_ENTRIES, map::putAll);
  }

  @Override
  public BulkLoads bulkLoads() {
    IMap<String, byte[]> map = nodes.get(0).getMap(MAP);
    return new BulkLoads() {
      @Override
      public void clear() {
        map.clear();
      }

      @Override
      public Map<String, Consumer<List<Map<String, byte[]>>>> ways() {
        return Map.of(
            "putAll",
            batches -> batches.forEach(map::putAll),
            "putAllAsync",
            batches -> BulkLoads.pipelined(batches, map::putAllAsync));
      }
    };
  }

  @Override
  public View view(Vantage vantage) {
    return new Node(node(vantage).getMap(MAP));
  }

  @Override
  public TradeView trades(Vantage vantage) {
    return new HazelcastTrades(node(vantage).getMap(TRADES));
  }

  @Override
  public Runnable follow(Vantage vantage, Consumer<byte[]> told) {
    IMap<String, byte[]> map = node(vantage).getMap(MAP);
    UUID listener = map.addEntryListener(new HazelcastListener(told), true);
    return () -> map.removeEntryListener(listener);
  }

  private HazelcastInstance node(Vantage vantage) {
    int last = nodes.size() - 1;
    return nodes.get(vantage == Vantage.REMOTE_ONLY ? last : last - 1);
  }

  @Override
  public void close() {
    for (int i = nodes.size() - 1; i >= 0; i--) {
      nodes.get(i).getLifecycleService().terminate();
    }
  }

  /** The map on one member. */
  private static final class Node implements View {

    private final IMap<String, byte[]> map;

    Node(IMap<String, byte[]> map) {
      this.map = map;
    }

    @Override
    public Walk walk(WalkSettings settings) {
      Iterator<Map.Entry<String, byte[]>> entries;
      if (settings.way().equals("entry-set")) {
        entries = map.entrySet().iterator();
      } else {
        int fetch = settings.batchEntries();
        entries = fetch == 0 ? map.iterator() : map.iterator(fetch);
      }
      return new Walk(entries, () -> {}); // its iterators hold nothing that must be freed
    }

    @Override
    public byte @Nullable [] get(String key) {
      return map.get(key);
    }

    @Override
    public void put(String key, byte[] value) {
      map.set(key, value);
    }
  }
}
