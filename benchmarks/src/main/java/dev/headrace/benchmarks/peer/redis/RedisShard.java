package dev.headrace.benchmarks.peer.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.KeyValue;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One server of Redis over one connection; for one thread. */
final class RedisShard {

  private final StatefulRedisConnection<String, byte[]> connection;
  private final RedisAsyncCommands<String, byte[]> commands;
  private final boolean alone;

  /**
   * A server.
   *
   * @param alone whether it has all slots, so that one {@code MGET} may name any keys
   */
  RedisShard(StatefulRedisConnection<String, byte[]> connection, boolean alone) {
    this.connection = connection;
    this.commands = connection.async();
    this.alone = alone;
  }

  /** The next keys. */
  CompletableFuture<KeyScanCursor<String>> scan(ScanCursor cursor, int count) {
    return (count == 0
            ? commands.scan(cursor)
            : commands.scan(cursor, ScanArgs.Builder.limit(count)))
        .toCompletableFuture();
  }

  /**
   * The values of some keys. In a cluster, keys of several slots cannot share a command: there they
   * are asked for one by one, but sent and flushed together.
   */
  CompletableFuture<List<KeyValue<String, byte[]>>> values(List<String> keys) {
    if (keys.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    if (alone) {
      return commands.mget(keys.toArray(String[]::new)).toCompletableFuture();
    }
    connection.setAutoFlushCommands(false);
    List<CompletableFuture<byte[]>> values = new ArrayList<>(keys.size());
    for (String key : keys) {
      values.add(commands.get(key).toCompletableFuture());
    }
    connection.flushCommands();
    connection.setAutoFlushCommands(true);
    // A connection answers in order: with the last value all are there.
    return values
        .get(values.size() - 1)
        .thenApply(
            last -> {
              List<KeyValue<String, byte[]>> found = new ArrayList<>(keys.size());
              for (int i = 0; i < keys.size(); i++) {
                found.add(KeyValue.fromNullable(keys.get(i), values.get(i).join()));
              }
              return found;
            });
  }
}
