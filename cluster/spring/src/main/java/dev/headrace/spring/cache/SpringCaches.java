package dev.headrace.spring.cache;

import dev.headrace.api.Headrace;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/**
 * The caches of a node for Spring's cache abstraction. A cache is opened when it is first asked
 * for; one of which nothing is known holds strings, numbers, times and objects of allowed classes.
 * Thread-safe.
 */
public final class SpringCaches implements CacheManager {
  private final Headrace node;
  private final CachePlan plan;
  private final Map<String, SpringCache> opened = new ConcurrentHashMap<>();

  /** The caches of a node. */
  public SpringCaches(Headrace node, CachePlan plan) {
    this.node = node;
    this.plan = plan;
  }

  /**
   * A cache. Opening it sends no message.
   *
   * @throws dev.headrace.api.error.CodecException if there is no codec for a type that its
   *     properties name, or this node holds some of the cache in another format
   * @throws dev.headrace.api.error.NodeClosedException after the node was closed
   * @throws IllegalArgumentException if the name is empty or too long
   */
  @Override
  public Cache getCache(String name) {
    SpringCache present = opened.get(name);
    return present != null ? present : opened.computeIfAbsent(name, this::open);
  }

  private SpringCache open(String name) {
    return new SpringCache(
        node.cache(plan.settings(name)), plan.holdsNull(name), SpringCache.PATIENCE);
  }

  /** The names of caches that properties or beans name, or that were asked for. */
  @Override
  public Collection<String> getCacheNames() {
    Set<String> names = new TreeSet<>(plan.names());
    names.addAll(opened.keySet());
    return Collections.unmodifiableSet(names);
  }
}
