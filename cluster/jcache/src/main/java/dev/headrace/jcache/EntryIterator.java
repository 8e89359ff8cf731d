package dev.headrace.jcache;

import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.jcache.entry.PlainEntry;
import java.lang.ref.Cleaner;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import javax.cache.Cache;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a cache, as a stream over the cluster delivers them: each that is there from
 * beginning to end exactly once. For one thread.
 *
 * <p>It ends its stream when it has been read to its end, when it is closed, or when nobody can
 * reach it any more.
 */
final class EntryIterator<K, V> implements Iterator<Cache.Entry<K, V>>, AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final CloseableIterator<Map.Entry<K, V>> stream;
  private final Consumer<Cache.Entry<K, V>> visited;
  private final Consumer<K> remover;
  private final Cleaner.Cleanable end;
  private @Nullable K last;
  private boolean ended;

  /**
   * Begins.
   *
   * @param visited is told of each entry before it is returned
   * @param remover removes a key
   */
  EntryIterator(
      CloseableIterator<Map.Entry<K, V>> stream,
      Consumer<Cache.Entry<K, V>> visited,
      Consumer<K> remover) {
    this.stream = stream;
    this.visited = visited;
    this.remover = remover;
    this.end = CLEANER.register(this, stream::close);
  }

  @Override
  public boolean hasNext() {
    if (!ended && !CacheParts.translated(stream::hasNext)) {
      close();
    }
    return !ended;
  }

  @Override
  public Cache.Entry<K, V> next() {
    if (!hasNext()) {
      throw new NoSuchElementException("The cache has no more entries");
    }
    Map.Entry<K, V> entry = CacheParts.translated(stream::next);
    PlainEntry<K, V> next = new PlainEntry<>(entry.getKey(), entry.getValue());
    last = next.getKey();
    visited.accept(next);
    return next;
  }

  @Override
  public void remove() {
    K key = last;
    if (key == null) {
      throw new IllegalStateException("There is no entry to remove: call next() first, once each");
    }
    last = null;
    remover.accept(key);
  }

  @Override
  public void close() {
    ended = true;
    end.clean();
  }
}
