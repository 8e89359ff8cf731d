package dev.headrace.jcache;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheLoaderException;
import javax.cache.integration.CompletionListenerFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits for {@code loadAll} is told how it has ended, however that was. */
@Timeout(120)
final class LoadListenersTest {
  private final CacheManager manager = new HeadraceCachingProvider().getCacheManager();

  @AfterEach
  void closeManager() {
    manager.close();
  }

  private Cache<String, Long> cacheLoadedBy(CacheLoader<String, Long> loader) {
    return manager.createCache(
        "numbers", TwoManagers.numbers().setCacheLoaderFactory(() -> loader));
  }

  /** Loads nothing, by an Error. */
  private static final class FailingLoader implements CacheLoader<String, Long> {
    @Override
    public Long load(String key) {
      throw new NoClassDefFoundError("com/example/Driver");
    }

    @Override
    public Map<String, Long> loadAll(Iterable<? extends String> keys) {
      throw new NoClassDefFoundError("com/example/Driver");
    }
  }

  /** A key, whose second reader finds the manager closed. */
  private final class ClosingKeys extends AbstractSet<String> {
    private int readers;

    @Override
    public Iterator<String> iterator() {
      readers++;
      if (readers == 2) {
        manager.close();
      }
      return Set.of("a").iterator();
    }

    @Override
    public int size() {
      return 1;
    }
  }

  @Test
  void anErrorOfTheLoaderIsTold() {
    Cache<String, Long> cache = cacheLoadedBy(new FailingLoader());
    CompletionListenerFuture done = new CompletionListenerFuture();

    cache.loadAll(Set.of("a"), true, done);

    assertThatThrownBy(() -> done.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(CacheLoaderException.class)
        .hasMessageContaining("Keys of cache numbers were not loaded")
        .hasRootCauseInstanceOf(NoClassDefFoundError.class);
  }

  @Test
  void aLoadThatComesWhileTheManagerClosesIsToldToHaveFailed() {
    Cache<String, Long> cache = cacheLoadedBy(new FailingLoader());
    CompletionListenerFuture done = new CompletionListenerFuture();

    cache.loadAll(new ClosingKeys(), true, done);

    assertThatThrownBy(() -> done.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(CacheLoaderException.class)
        .hasMessageContaining("was closed before the keys were loaded");
  }
}
