package dev.headrace.stream.protocol;

import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.StreamListener;
import java.util.BitSet;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Everything a user can set about a stream. Immutable: nobody changes the set of segments.
 *
 * @param segments only these; null for all
 * @param keys only these; null for all
 * @param token what remains of another stream; null to begin anew
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
    @Nullable StreamListener listener) {

  /** What a user gets who sets nothing. */
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
        null);
  }

  /** The same with another batch size. */
  public StreamOptions withBatchSize(int entries) {
    requirePositive("batchSize", entries);
    return new StreamOptions(
        entries, batchBytes, parallelism, delivery, segments, keys, token, executor, listener);
  }

  /** The same with another byte budget. */
  public StreamOptions withBatchBytes(int bytes) {
    requirePositive("batchBytes", bytes);
    return new StreamOptions(
        batchSize, bytes, parallelism, delivery, segments, keys, token, executor, listener);
  }

  /** The same with another number of nodes asked at once. */
  public StreamOptions withParallelism(int nodes) {
    requirePositive("parallelism", nodes);
    return new StreamOptions(
        batchSize, batchBytes, nodes, delivery, segments, keys, token, executor, listener);
  }

  /** The same with another promise. */
  public StreamOptions withDelivery(Delivery promise) {
    return new StreamOptions(
        batchSize, batchBytes, parallelism, promise, segments, keys, token, executor, listener);
  }

  /** The same with another choice of segments. */
  public StreamOptions withSegments(BitSet chosen) {
    return new StreamOptions(
        batchSize, batchBytes, parallelism, delivery, chosen, keys, token, executor, listener);
  }

  /** The same with another choice of keys. */
  public StreamOptions withKeys(KeySelection chosen) {
    return new StreamOptions(
        batchSize, batchBytes, parallelism, delivery, segments, chosen, token, executor, listener);
  }

  /** The same with another beginning. */
  public StreamOptions withToken(ResumeToken from) {
    return new StreamOptions(
        batchSize, batchBytes, parallelism, delivery, segments, keys, from, executor, listener);
  }

  /** The same with another executor. */
  public StreamOptions withExecutor(Executor where) {
    return new StreamOptions(
        batchSize, batchBytes, parallelism, delivery, segments, keys, token, where, listener);
  }

  /** Reads what remains of single keys within a stream, with so much of its credit, unwatched. */
  public StreamOptions lookup(KeySelection chosen, ResumeToken from, int entries, int bytes) {
    return new StreamOptions(
        entries, bytes, parallelism, delivery, null, chosen, from, executor, null);
  }

  /** The same with another listener. */
  public StreamOptions withListener(StreamListener watcher) {
    return new StreamOptions(
        batchSize, batchBytes, parallelism, delivery, segments, keys, token, executor, watcher);
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1, but is " + value);
    }
  }
}
