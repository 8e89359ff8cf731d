package dev.headrace.jcache;

import dev.headrace.api.Headrace;
import dev.headrace.api.stream.operator.NodeFunctions;
import dev.headrace.jcache.processor.ProcessorRunner;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Predicate;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.OptionalFeature;
import javax.cache.spi.CachingProvider;
import org.jspecify.annotations.Nullable;

/**
 * JCache's way to Headrace; {@code Caching.getCachingProvider()} makes it.
 *
 * <p>The URI of a manager names its cluster: {@code headrace:quotes} is the cluster of that name on
 * this machine, {@code headrace:quotes?hosts=10.0.0.7:7800,10.0.0.8:7800&bindAddress=10.0.0.9} one
 * that is found by a list of hosts. {@code headrace:alone}, the default, is a node that meets
 * nobody. Parameters are the keys of {@link dev.headrace.api.NodeConfiguration}; {@code hosts},
 * {@code folder} and {@code previousValues} (whether listeners hear the values of entries that
 * expire), which are short for {@code discovery.hosts}, {@code discovery.folder} and {@code
 * retainedChanges.previousValues}; and {@code serialFilter}. The manager's properties may give the
 * same, as {@code headrace.capacity}; a {@code secret} only they may. For what has no key start a
 * node, and make a manager {@linkplain #managerOver over it}.
 *
 * <p>Each manager has a node of its own, which starts when its first cache is created, and leaves
 * the cluster when the manager is closed. Thread-safe.
 */
public final class HeadraceCachingProvider implements CachingProvider {

  /** Guarded by this. */
  private final Map<Place, ClusterCaches> managers = new HashMap<>();

  /** What tells managers apart. */
  private record Place(URI uri, ClassLoader loader) {}

  /** Makes a provider without managers. */
  public HeadraceCachingProvider() {}

  @Override
  public ClassLoader getDefaultClassLoader() {
    return HeadraceCachingProvider.class.getClassLoader();
  }

  @Override
  public URI getDefaultURI() {
    return NodeParameters.ALONE;
  }

  @Override
  public Properties getDefaultProperties() {
    return new Properties();
  }

  @Override
  public CacheManager getCacheManager() {
    return getCacheManager(getDefaultURI(), getDefaultClassLoader(), null);
  }

  @Override
  public CacheManager getCacheManager(@Nullable URI uri, @Nullable ClassLoader classLoader) {
    return getCacheManager(uri, classLoader, null);
  }

  /**
   * The manager of a URI and a class loader.
   *
   * @param uri the cluster; null for a node that meets nobody
   * @param classLoader loads the classes of values; null for the one of the provider
   * @param properties of the manager if there is none yet; null for none
   * @throws CacheException if the URI or a property is wrong
   */
  @Override
  public synchronized CacheManager getCacheManager(
      @Nullable URI uri, @Nullable ClassLoader classLoader, @Nullable Properties properties) {
    URI cluster = uri == null ? getDefaultURI() : uri;
    ClassLoader loader = classLoader == null ? getDefaultClassLoader() : classLoader;
    ClusterCaches present = managers.get(new Place(cluster, loader));
    if (present != null) {
      return present;
    }
    Properties copy = new Properties();
    if (properties != null) {
      properties
          .stringPropertyNames()
          .forEach(name -> copy.put(name, properties.getProperty(name)));
    }
    NodeParameters parameters = NodeParameters.of(cluster, copy);
    ProcessorRunner runner = runner(loader, parameters.serialFilter());
    OwnedNode node =
        OwnedNode.startedWith(
            parameters.settings().toBuilder().functions(runner.functions()).build());
    return add(
        new ClusterCaches.Identity(cluster, loader, copy, parameters.serialFilter(), runner), node);
  }

  /**
   * The manager over a node of the program, with all that its settings can say. Closing the manager
   * does not close the node. Its URI is {@code headrace:CLUSTER?nodeName=NAME}.
   *
   * @param node the node
   * @param classLoader loads the classes of values
   */
  public synchronized CacheManager managerOver(Headrace node, ClassLoader classLoader) {
    URI uri = uri(node);
    ClusterCaches present = managers.get(new Place(uri, classLoader));
    if (present != null) {
      return present;
    }
    NodeParameters parameters = NodeParameters.of(NodeParameters.ALONE, new Properties());
    ProcessorRunner runner = runner(classLoader, parameters.serialFilter());
    return add(
        new ClusterCaches.Identity(
            uri, classLoader, new Properties(), parameters.serialFilter(), runner),
        OwnedNode.ofProgram(node));
  }

  private static ProcessorRunner runner(ClassLoader loader, @Nullable String serialFilter) {
    try {
      return new ProcessorRunner(loader, serialFilter);
    } catch (IllegalArgumentException e) {
      throw new CacheException("The serialFilter is no pattern: " + e.getMessage(), e);
    }
  }

  /**
   * What a node of the program has to know so that entry processors run there on the entries of
   * which it is the primary: {@code NodeSettings.builder().functions(...)}. The nodes of managers
   * know it by themselves. Without it the callers of processors run them.
   *
   * @param classLoader loads the classes of processors, keys and values
   * @param serialFilter which of them may be read, beside value classes of the JDK: a pattern as of
   *     {@code jdk.serialFilter}
   * @throws IllegalArgumentException if the pattern is none
   */
  public static NodeFunctions<byte[], byte[]> processors(
      ClassLoader classLoader, String serialFilter) {
    return new ProcessorRunner(classLoader, serialFilter).functions();
  }

  private static URI uri(Headrace node) {
    try {
      return new URI(
          NodeParameters.ALONE.getScheme(),
          node.settings().clusterName() + "?nodeName=" + node.settings().nodeName(),
          null);
    } catch (URISyntaxException e) {
      throw new CacheException("The names of cluster and node make no URI", e);
    }
  }

  private ClusterCaches add(ClusterCaches.Identity identity, OwnedNode node) {
    ClusterCaches manager = new ClusterCaches(this, identity, node, this::forget);
    managers.put(new Place(identity.uri(), identity.loader()), manager);
    return manager;
  }

  private synchronized void forget(ClusterCaches manager) {
    managers.remove(new Place(manager.getURI(), manager.getClassLoader()), manager);
  }

  @Override
  public void close() {
    closeAll(manager -> true);
  }

  @Override
  public void close(ClassLoader classLoader) {
    closeAll(manager -> manager.getClassLoader().equals(classLoader));
  }

  @Override
  public void close(URI uri, ClassLoader classLoader) {
    closeAll(
        manager -> manager.getURI().equals(uri) && manager.getClassLoader().equals(classLoader));
  }

  /** Nodes leave their clusters without the provider being held. */
  private void closeAll(Predicate<ClusterCaches> which) {
    List<ClusterCaches> all;
    synchronized (this) {
      all = List.copyOf(managers.values());
    }
    all.stream().filter(which).forEach(ClusterCaches::close);
  }

  /** Storing by reference is not supported: entries are in other processes, too. */
  @Override
  public boolean isSupported(OptionalFeature optionalFeature) {
    return false;
  }
}
