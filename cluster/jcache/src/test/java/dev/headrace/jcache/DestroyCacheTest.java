package dev.headrace.jcache;

import static dev.headrace.jcache.TwoManagers.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Headrace;
import dev.headrace.api.error.OutcomeUnknownException;
import dev.headrace.api.error.UnavailableException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a cache that the cluster cannot remove at the moment. */
@Timeout(120)
final class DestroyCacheTest {
  private final Set<String> failing = ConcurrentHashMap.newKeySet();
  private TwoManagers managers;
  private Headrace node;
  private CacheManager manager;

  @BeforeEach
  void start() {
    managers = new TwoManagers();
    node = managers.one().unwrap(Headrace.class);
    Headrace faulty =
        (Headrace)
            Proxy.newProxyInstance(
                Headrace.class.getClassLoader(),
                new Class<?>[] {Headrace.class},
                (proxy, method, arguments) -> {
                  if (failing.contains(method.getName())) {
                    return CompletableFuture.failedFuture(
                        method.getName().equals("destroy")
                            ? new OutcomeUnknownException("a node has not answered")
                            : new UnavailableException("this part must not go on alone"));
                  }
                  try {
                    return method.invoke(node, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    manager = new HeadraceCachingProvider().managerOver(faulty, getClass().getClassLoader());
  }

  @AfterEach
  void stop() {
    manager.close();
    managers.close();
  }

  private boolean clusterLists(String cache) {
    return node.caches().join().cache(cache).isPresent();
  }

  @Test
  void aCacheThatCouldNotBeRemovedIsRemovedByTheNextCall() {
    numbers(manager).put("a", 1L);
    failing.add("destroy");

    assertThatThrownBy(() -> manager.destroyCache("numbers"))
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("a node has not answered");
    assertThatThrownBy(() -> manager.destroyCache("numbers"))
        .as("while it is still there")
        .isInstanceOf(CacheException.class);
    assertThat(manager.getCacheNames()).isEmpty();
    assertThat(clusterLists("numbers")).isTrue();
    failing.clear();

    manager.destroyCache("numbers");

    assertThat(clusterLists("numbers")).isFalse();
  }

  @Test
  void aCacheThatIsCreatedAnewAfterAFailureIsAnOrdinaryOne() {
    Cache<String, Long> first = numbers(manager);
    first.put("a", 1L);
    failing.add("destroy");
    assertThatThrownBy(() -> manager.destroyCache("numbers")).isInstanceOf(CacheException.class);
    failing.clear();

    Cache<String, Long> second = numbers(manager);
    second.put("b", 2L);
    second.close();
    manager.destroyCache("numbers");

    assertThat(first.isClosed()).isTrue();
    assertThat(numbers(manager).get("b")).as("of a closed cache").isEqualTo(2L);
  }

  @Test
  void aClusterThatCannotBeAskedIsTheExceptionThatJCacheNames() {
    numbers(manager).put("a", 1L);
    failing.add("destroy");
    failing.add("caches");

    assertThatThrownBy(() -> manager.destroyCache("numbers"))
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("a node has not answered")
        .hasStackTraceContaining("this part must not go on alone");
  }
}
