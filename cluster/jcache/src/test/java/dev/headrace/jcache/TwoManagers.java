package dev.headrace.jcache;

import dev.headrace.api.RetainedChanges;
import dev.headrace.cluster.node.NodeCluster;
import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.configuration.MutableConfiguration;

/** A cluster of two nodes in this process, with a manager over each. */
final class TwoManagers implements AutoCloseable {
  private final NodeCluster cluster =
      NodeCluster.of(
          2,
          settings ->
              settings
                  .segments(16)
                  .operationLoops(1)
                  .bulkLoops(1)
                  .retainedChanges(RetainedChanges.defaults().withPreviousValues()));
  private final HeadraceCachingProvider provider = new HeadraceCachingProvider();
  private final CacheManager one = manager(0);
  private final CacheManager other = manager(1);

  private CacheManager manager(int node) {
    return provider.managerOver(cluster.node(node), TwoManagers.class.getClassLoader());
  }

  CacheManager one() {
    return one;
  }

  CacheManager other() {
    return other;
  }

  /** A configuration of strings and numbers, and nothing else. */
  static MutableConfiguration<String, Long> numbers() {
    return new MutableConfiguration<String, Long>().setTypes(String.class, Long.class);
  }

  /** The cache of numbers of a manager, made by it. */
  static Cache<String, Long> numbers(CacheManager manager) {
    return manager.createCache("numbers", numbers());
  }

  @Override
  public void close() {
    provider.close();
    cluster.close();
  }
}
