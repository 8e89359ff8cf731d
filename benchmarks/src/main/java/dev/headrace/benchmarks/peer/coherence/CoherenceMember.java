package dev.headrace.benchmarks.peer.coherence;

import com.tangosol.net.CacheFactory;
import com.tangosol.net.NamedCache;
import com.tangosol.net.PartitionedService;
import com.tangosol.net.partition.PartitionSet;
import com.tangosol.net.partition.PartitionedIterator;
import com.tangosol.util.filter.AlwaysFilter;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.peer.ClusterMember;
import dev.headrace.benchmarks.peer.TradeView;
import dev.headrace.benchmarks.peer.View;
import dev.headrace.benchmarks.peer.WalkSettings;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Coherence's cluster as this class loader has it. */
public final class CoherenceMember implements ClusterMember {

  private static final String CACHE = "bench";
  private static final String TRADES = "trades";
  private static final int LOAD_BATCH_ENTRIES = 10_000;

  private @Nullable NamedCache<String, byte[]> cache; // set by start

  /** A member that has not joined yet. */
  public CoherenceMember() {}

  @Override
  public void start() {
    CacheFactory.ensureCluster();
    cache = CacheFactory.getCache(CACHE);
  }

  private NamedCache<String, byte[]> cache() {
    if (cache == null) {
      throw new IllegalStateException("The member has not joined yet");
    }
    return cache;
  }

  private PartitionedService service() {
    return (PartitionedService) cache().getCacheService();
  }

  @Override
  public String version() {
    return CacheFactory.VERSION;
  }

  @Override
  public int partitions() {
    PartitionedService service = service();
    return service.getOwnedPartitions(service.getCluster().getLocalMember()).cardinality();
  }

  @Override
  public void load(Entries entries) {
    NamedCache<String, byte[]> writer = cache();
    writer.clear();
    entries.inBatches(LOAD_BATCH_ENTRIES, writer::putAll);
  }

  @Override
  public View view() {
    return new Node(cache(), service().getPartitionCount());
  }

  @Override
  public TradeView trades() {
    // The calling thread's loader has another copy of Coherence than the serializer of trades.
    ClassLoader own = CoherenceMember.class.getClassLoader();
    return new CoherenceTrades(CacheFactory.getCache(TRADES, own));
  }

  @Override
  public void close() {
    CacheFactory.shutdown();
  }

  /** The cache on this member. */
  private record Node(NamedCache<String, byte[]> cache, int partitions) implements View {

    @Override
    public Walk walk(WalkSettings settings) {
      Iterator<Map.Entry<String, byte[]>> entries =
          switch (settings.way()) {
            case "entry-set" -> cache.entrySet().iterator();
            case "by-member" -> byMember();
            case "stream" -> cache.entrySet().stream().iterator();
            default -> throw new IllegalArgumentException("Coherence has no way " + settings.way());
          };
      return new Walk(entries, () -> {}); // its iterators hold nothing that must be freed
    }

    private Iterator<Map.Entry<String, byte[]>> byMember() {
      PartitionSet all = new PartitionSet(partitions);
      all.fill();
      int options = PartitionedIterator.OPT_ENTRIES | PartitionedIterator.OPT_BY_MEMBER;
      return new PartitionedIterator<>(cache, AlwaysFilter.INSTANCE(), all, options);
    }

    @Override
    public byte @Nullable [] get(String key) {
      return cache.get(key);
    }

    @Override
    public void put(String key, byte[] value) {
      // Unlike put, putAll brings no previous value back.
      cache.putAll(Map.of(key, value));
    }
  }
}
