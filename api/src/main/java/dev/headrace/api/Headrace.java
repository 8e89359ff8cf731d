package dev.headrace.api;

/**
 * A node of a cluster, and the way to its caches.
 *
 * <p>Starting a node joins the cluster that its {@link NodeSettings} name, or founds it. A node may
 * be used from any thread. Closing it leaves the cluster; every later call on it, its caches or its
 * streams fails with {@link dev.headrace.api.error.NodeClosedException}.
 */
public interface Headrace extends AutoCloseable {

  /**
   * Starts a node with default settings: the cluster named "headrace" on this machine.
   *
   * @throws dev.headrace.api.error.JoinRefusedException if the cluster does not take this node
   */
  static Headrace start() {
    return start(NodeSettings.defaults());
  }

  /**
   * Starts a node and waits until it may be used.
   *
   * @throws dev.headrace.api.error.JoinRefusedException if the cluster does not take this node, for
   *     example because it has other settings
   * @throws dev.headrace.api.error.HeadraceException if a port is taken or the network is not
   *     usable
   */
  static Headrace start(NodeSettings settings) {
    return NodeProvider.load().start(settings);
  }

  /** The settings this node was started with. */
  NodeSettings settings();

  /**
   * Opens a cache with the built-in codecs of two types (strings, byte arrays, numbers, booleans,
   * UUIDs, instants, enums and records of these).
   *
   * @throws dev.headrace.api.error.CodecException if there is no built-in codec for a type
   */
  default <K, V> Cache<K, V> cache(String name, Class<K> keyType, Class<V> valueType) {
    return cache(CacheSettings.of(name, keyType, valueType));
  }

  /**
   * Opens a cache. A cache exists as soon as one node opens it; all nodes must open it with codecs
   * of the same format. Its name and formats are noted in {@link CacheSettings#catalogue()}.
   */
  <K, V> Cache<K, V> cache(CacheSettings<K, V> settings);

  /** What this node knows of its cluster now. */
  ClusterStatus status();

  /** Leaves the cluster and releases everything. Idempotent. */
  @Override
  void close();
}
