package dev.headrace.benchmarks.peer.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.KeyValue;
import io.lettuce.core.ScanCursor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A walk by {@code SCAN} and {@code MGET} over all servers at once.
 *
 * <p>The keys after these are asked for together with the values of these, so that a server is not
 * idle while a page is read.
 */
final class RedisWalk implements Iterator<Map.Entry<String, byte[]>> {

  /** Pages of values that are under way from one server. */
  private static final int PAGES = 2;

  private final Deque<ShardPages> rotation = new ArrayDeque<>();
  private Iterator<KeyValue<String, byte[]>> page = Collections.emptyIterator();

  /**
   * Starts a walk.
   *
   * @param count the hint of {@code SCAN}; 0 for its default, 10
   */
  RedisWalk(List<RedisShard> shards, int count) {
    for (RedisShard shard : shards) {
      rotation.add(new ShardPages(shard, count));
    }
  }

  @Override
  public boolean hasNext() {
    while (!page.hasNext()) {
      ShardPages shardPages = rotation.poll();
      if (shardPages == null) {
        return false;
      }
      List<KeyValue<String, byte[]>> next = shardPages.next();
      if (next != null) {
        rotation.add(shardPages);
        page = next.iterator();
      }
    }
    return true;
  }

  @Override
  public Map.Entry<String, byte[]> next() {
    if (!hasNext()) {
      throw new NoSuchElementException("The walk is over");
    }
    KeyValue<String, byte[]> entry = page.next();
    return Map.entry(entry.getKey(), entry.getValue());
  }

  /** The pages of one server, in order. */
  private static final class ShardPages {

    private final RedisShard shard;
    private final int count;
    private final Deque<CompletableFuture<List<KeyValue<String, byte[]>>>> pages =
        new ArrayDeque<>();
    private @Nullable CompletableFuture<KeyScanCursor<String>> scan; // null after the last one

    ShardPages(RedisShard shard, int count) {
      this.shard = shard;
      this.count = count;
      this.scan = shard.scan(ScanCursor.INITIAL, count);
    }

    /** The next page, or null after the last one. */
    @Nullable List<KeyValue<String, byte[]>> next() {
      while (scan != null && pages.size() < PAGES) {
        KeyScanCursor<String> found = scan.join();
        pages.add(shard.values(new ArrayList<>(found.getKeys())));
        scan = found.isFinished() ? null : shard.scan(found, count);
      }
      CompletableFuture<List<KeyValue<String, byte[]>>> page = pages.poll();
      return page == null ? null : page.join();
    }
  }
}
