package dev.headrace.stream.protocol;

import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.token.ResumeToken;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * All settings of a stream. Immutable; nobody may change the set of segments.
 *
 * @param batchSize the most entries that are buffered or in flight
 * @param batchBytes the most bytes that are buffered or in flight
 * @param parallelism the most nodes that are asked at once
 * @param segments only these segments; null for all
 * @param keys only these keys; null for all
 * @param token what remains of another stream; null to begin anew
 * @param executor runs the drain
 * @param pace how the credit is divided, and how long the stream may take
 */
public record StreamOptions(
    int batchSize,
    int batchBytes,
    int parallelism,
    Delivery delivery,
    @Nullable BitSet segments,
    @Nullable KeySelection keys,
    @Nullable ResumeToken token,
    Executor executor,
    @Nullable StreamListener listener,
    StreamPace pace) {

  /** The defaults. */
  public static StreamOptions defaults(Executor executor) {
    return new StreamOptions(
        CacheStream.DEFAULT_BATCH_SIZE,
        CacheStream.DEFAULT_BATCH_BYTES,
        CacheStream.DEFAULT_PARALLELISM,
        Delivery.EXACTLY_ONCE,
        null,
        null,
        null,
        executor,
        null,
        StreamPace.FIXED);
  }

  /** These settings with another batch size. */
  public StreamOptions withBatchSize(int entries) {
    requirePositive("batchSize", entries);
    return new StreamOptions(
        entries,
        batchBytes,
        parallelism,
        delivery,
        segments,
        keys,
        token,
        executor,
        listener,
        pace);
  }

  /** These settings with another byte budget. */
  public StreamOptions withBatchBytes(int bytes) {
    requirePositive("batchBytes", bytes);
    return new StreamOptions(
        batchSize, bytes, parallelism, delivery, segments, keys, token, executor, listener, pace);
  }

  /** These settings with another parallelism. */
  public StreamOptions withParallelism(int nodes) {
    requirePositive("parallelism", nodes);
    return new StreamOptions(
        batchSize, batchBytes, nodes, delivery, segments, keys, token, executor, listener, pace);
  }

  /** These settings with another delivery. */
  public StreamOptions withDelivery(Delivery promise) {
    return new StreamOptions(
        batchSize,
        batchBytes,
        parallelism,
        promise,
        segments,
        keys,
        token,
        executor,
        listener,
        pace);
  }

  /** These settings for some segments only. */
  public StreamOptions withSegments(BitSet chosen) {
    return new StreamOptions(
        batchSize,
        batchBytes,
        parallelism,
        delivery,
        chosen,
        keys,
        token,
        executor,
        listener,
        pace);
  }

  /** These settings for some keys only. */
  public StreamOptions withKeys(KeySelection chosen) {
    return new StreamOptions(
        batchSize,
        batchBytes,
        parallelism,
        delivery,
        segments,
        chosen,
        token,
        executor,
        listener,
        pace);
  }

  /** These settings for the rest of another stream. */
  public StreamOptions withToken(ResumeToken from) {
    return new StreamOptions(
        batchSize,
        batchBytes,
        parallelism,
        delivery,
        segments,
        keys,
        from,
        executor,
        listener,
        pace);
  }

  /** These settings with another executor. */
  public StreamOptions withExecutor(Executor where) {
    return new StreamOptions(
        batchSize, batchBytes, parallelism, delivery, segments, keys, token, where, listener, pace);
  }

  /** Reads what remains of single keys within a stream, with so much of its credit, unwatched. */
  public StreamOptions lookup(KeySelection chosen, ResumeToken from, int entries, int bytes) {
    return new StreamOptions(
        entries,
        bytes,
        parallelism,
        delivery,
        null,
        chosen,
        from,
        executor,
        null,
        StreamPace.FIXED);
  }

  /** These settings with another listener, or with none. */
  public StreamOptions withListener(@Nullable StreamListener watcher) {
    return new StreamOptions(
        batchSize,
        batchBytes,
        parallelism,
        delivery,
        segments,
        keys,
        token,
        executor,
        watcher,
        pace);
  }

  /** These settings with another pace. */
  public StreamOptions withPace(StreamPace other) {
    return new StreamOptions(
        batchSize,
        batchBytes,
        parallelism,
        delivery,
        segments,
        keys,
        token,
        executor,
        listener,
        other);
  }

  /** The settings of one of so many rails, which share the credit. */
  public StreamOptions ofRail(int rails) {
    return withBatchSize(Math.max(1, batchSize / rails))
        .withBatchBytes(Math.max(1, batchBytes / rails));
  }

  /** The single keys that the token names, as far as they are chosen. */
  public List<ResumeToken.UnreadKey> unread() {
    if (token == null) {
      return List.of();
    }
    return keys == null
        ? token.unread()
        : token.unread().stream().filter(unread -> keys.contains(unread.key())).toList();
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1, but is " + value);
    }
  }
}
