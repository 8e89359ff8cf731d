package dev.headrace.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.NodeSettings;
import dev.headrace.cluster.node.NodeCluster;
import java.io.Serializable;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.configuration.FactoryBuilder;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;
import javax.cache.processor.EntryProcessor;
import javax.cache.processor.EntryProcessorException;
import javax.cache.processor.MutableEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where entry processors run: on the primary of their entry if they can, or else on the caller. */
@Timeout(120)
class InvokeTest {
  private static final String FUNCTIONS = "-functions-";

  /** The threads on which processors have run. */
  private static final Set<String> THREADS = ConcurrentHashMap.newKeySet();

  private final HeadraceCachingProvider provider = new HeadraceCachingProvider();

  /** Adds its argument to what is there, and returns the sum. */
  public static final class Adding implements EntryProcessor<String, Long, Long>, Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public Long process(MutableEntry<String, Long> entry, Object... arguments) {
      THREADS.add(Thread.currentThread().getName());
      long sum = (entry.exists() ? entry.getValue() : 0) + (Long) arguments[0];
      entry.setValue(sum);
      return sum;
    }
  }

  /** Throws what it was made with. */
  public static final class Throwing implements EntryProcessor<String, Long, Long>, Serializable {
    private static final long serialVersionUID = 1L;

    private final RuntimeException thrown;

    Throwing(RuntimeException thrown) {
      this.thrown = thrown;
    }

    @Override
    public Long process(MutableEntry<String, Long> entry, Object... arguments) {
      THREADS.add(Thread.currentThread().getName());
      entry.setValue(-1L);
      throw thrown;
    }
  }

  /** Removes the entry, and returns what cannot travel. */
  public static final class Removing implements EntryProcessor<String, Long, Thread>, Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public Thread process(MutableEntry<String, Long> entry, Object... arguments) {
      entry.remove();
      return Thread.currentThread();
    }
  }

  @AfterEach
  void close() {
    provider.close();
    THREADS.clear();
  }

  private NodeCluster cluster(UnaryOperator<NodeSettings.Builder> adjustment) {
    return NodeCluster.of(
        2, settings -> adjustment.apply(settings.segments(16).operationLoops(1).bulkLoops(1)));
  }

  private static ClassLoader loader() {
    return InvokeTest.class.getClassLoader();
  }

  private static Cache<String, Long> created(CacheManager manager) {
    return manager.createCache("numbers", TwoManagers.numbers());
  }

  /** A manager over a node, which may read the processors. */
  private CacheManager reading(NodeCluster cluster, int node) {
    String before = System.setProperty("headrace.jcache.serialFilter", "dev.headrace.jcache.**");
    try {
      return provider.managerOver(cluster.node(node), loader());
    } finally {
      if (before == null) {
        System.clearProperty("headrace.jcache.serialFilter");
      } else {
        System.setProperty("headrace.jcache.serialFilter", before);
      }
    }
  }

  private static Set<String> keys() {
    return IntStream.range(0, 20).mapToObj(i -> "k" + i).collect(Collectors.toSet());
  }

  @Test
  void theyRunOnThePrimariesThatKnowThem() {
    try (NodeCluster cluster =
        cluster(
            settings ->
                settings.functions(
                    HeadraceCachingProvider.processors(loader(), "dev.headrace.jcache.**")))) {
      Cache<String, Long> one = created(reading(cluster, 0));
      one.put("k3", 10L);
      Map<String, ?> sums = one.invokeAll(keys(), new Adding(), 5L);
      assertThat(sums).hasSize(20);
      assertThat(one.get("k3")).isEqualTo(15);
      assertThat(one.get("k4")).isEqualTo(5);
      assertThat(THREADS).allMatch(name -> name.contains(FUNCTIONS));
      assertThat(THREADS.stream().map(name -> name.replaceAll(FUNCTIONS + ".*", "")).distinct())
          .as("nodes that have run processors")
          .hasSize(2);

      THREADS.clear();
      IllegalStateException why = new IllegalStateException("no luck");
      assertThatThrownBy(() -> one.invoke("k3", new Throwing(why)))
          .isInstanceOf(EntryProcessorException.class)
          .cause()
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("no luck");
      assertThat(THREADS).allMatch(name -> name.contains(FUNCTIONS));
      assertThat(one.get("k3")).isEqualTo(15);
      assertThatThrownBy(
              () -> one.invoke("k3", new Throwing(new EntryProcessorException("as it is"))))
          .isInstanceOf(EntryProcessorException.class)
          .hasMessage("as it is")
          .hasNoCause();

      assertThat(one.invoke("k3", new Removing()))
          .as("a result that cannot travel is one of the caller")
          .isEqualTo(Thread.currentThread());
      assertThat(one.containsKey("k3")).isFalse();
    }
  }

  @Test
  void whereNobodyKnowsThemTheCallerRunsThem() {
    try (NodeCluster cluster = cluster(settings -> settings)) {
      Cache<String, Long> one = created(reading(cluster, 0));
      one.invokeAll(keys(), new Adding(), 5L);
      assertThat(one.get("k4")).isEqualTo(5);
      assertThat(THREADS).containsExactly(Thread.currentThread().getName());
    }
  }

  @Test
  void whatAPrimaryMayNotReadTheCallerRuns() {
    try (NodeCluster cluster =
        cluster(
            settings ->
                settings.functions(
                    HeadraceCachingProvider.processors(loader(), "com.example.**")))) {
      Cache<String, Long> one = created(reading(cluster, 0));
      one.invokeAll(keys(), new Adding(), 5L);
      assertThat(one.get("k4")).isEqualTo(5);
      assertThat(THREADS).containsExactly(Thread.currentThread().getName());
    }
  }

  @Test
  void whatConcernsTheManagerRunsThere() {
    try (NodeCluster cluster =
        cluster(
            settings ->
                settings.functions(
                    HeadraceCachingProvider.processors(loader(), "dev.headrace.jcache.**")))) {
      CacheManager manager = reading(cluster, 0);
      MutableConfiguration<String, Long> passing =
          TwoManagers.numbers()
              .setExpiryPolicyFactory(
                  FactoryBuilder.factoryOf(new CreatedExpiryPolicy(Duration.ONE_DAY)));
      Cache<String, Long> expiring = manager.createCache("passing", passing);
      expiring.invoke("k", new Adding(), 5L);
      EntryProcessor<String, Long, Long> lambda =
          (EntryProcessor<String, Long, Long> & Serializable)
              (entry, arguments) -> new Adding().process(entry, arguments);
      created(manager).invoke("k", lambda, 5L);
      assertThat(THREADS).containsExactly(Thread.currentThread().getName());
    }
  }

  @Test
  void theNodesOfManagersKnowThemByThemselves() {
    Properties properties = new Properties();
    properties.setProperty("headrace.serialFilter", "dev.headrace.jcache.**");
    Cache<String, Long> alone =
        created(provider.getCacheManager(provider.getDefaultURI(), loader(), properties));
    assertThat(alone.invoke("k", new Adding(), 7L)).isEqualTo(7);
    assertThat(alone.invoke("k", new Adding(), 7L)).isEqualTo(14);
    assertThat(THREADS).allMatch(name -> name.contains(FUNCTIONS));
  }

  @Test
  void theyCountAsBothAReadAndAWrite() {
    Properties properties = new Properties();
    properties.setProperty("headrace.serialFilter", "dev.headrace.jcache.**");
    CacheManager manager = provider.getCacheManager(provider.getDefaultURI(), loader(), properties);
    Cache<String, Long> alone =
        manager.createCache("counted", TwoManagers.numbers().setStatisticsEnabled(true));
    alone.invoke("k", new Adding(), 7L);
    alone.invoke("k", new Adding(), 7L);
    var counts = ((ClusterCache<String, Long>) alone).parts().counts();
    assertThat(counts.getCacheMisses()).isEqualTo(1);
    assertThat(counts.getCacheHits()).isEqualTo(1);
    assertThat(counts.getCachePuts()).isEqualTo(2);
  }
}
