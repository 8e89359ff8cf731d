package dev.headrace.cluster.cache;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.AsyncCache;
import dev.headrace.rebalance.message.EncodedKeys;
import dev.headrace.rebalance.message.Operation.Kind;
import dev.headrace.rebalance.message.OperationReply;
import dev.headrace.rebalance.write.caller.Completion;
import dev.headrace.rebalance.write.caller.Failure;
import dev.headrace.rebalance.write.caller.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A cache's operations as stages, completed on the node's executor. */
final class AsyncCacheView<K, V> implements AsyncCache<K, V> {
  private final String name;
  private final Requests<K, V> requests;
  private final CallPort port;
  private final Executor executor;
  private final CacheView.Patience patience;

  AsyncCacheView(String name, Requests<K, V> requests, CacheView.Place place) {
    this.name = name;
    this.requests = requests;
    this.port = place.port();
    this.executor = place.executor();
    this.patience = place.patience();
  }

  @Override
  public CompletionStage<@Nullable V> get(K key) {
    return stage(requests.get(key, true), requests::value);
  }

  @Override
  public CompletionStage<Map<K, V>> getAll(Collection<? extends K> keys) {
    List<K> asked = new ArrayList<>(keys);
    List<EncodedKeys> encoded = requests.encodeKeys(asked);
    Steps<BulkGet<K, V>> steps =
        new Steps<>(wake -> new BulkGet<>(asked, encoded, requests, port, wake));
    executor.execute(steps); // which reads and decodes what this node holds
    return steps.ended.thenApply(BulkGet::found);
  }

  @Override
  public CompletionStage<Boolean> containsKey(K key) {
    return stage(requests.get(key, false), OperationReply::applied);
  }

  @Override
  public CompletionStage<@Nullable Void> put(K key, V value) {
    return stage(requests.set(Kind.PUT, key, value, 0, false), AsyncCacheView::nothing);
  }

  @Override
  public CompletionStage<@Nullable Void> put(K key, V value, Duration lifespan) {
    long expiry = requests.expiryMillis(lifespan);
    return stage(requests.set(Kind.PUT, key, value, expiry, false), AsyncCacheView::nothing);
  }

  @Override
  public CompletionStage<@Nullable Void> putAll(Map<? extends K, ? extends V> entries) {
    List<Request> puts = new ArrayList<>(entries.size());
    entries.forEach((key, value) -> puts.add(requests.set(Kind.PUT, key, value, 0, false)));
    return all(new RoutedRequests(puts.iterator(), port), (put, reply) -> {});
  }

  @Override
  public CompletionStage<@Nullable V> getAndPut(K key, V value) {
    return stage(requests.set(Kind.PUT, key, value, 0, true), requests::value);
  }

  @Override
  public CompletionStage<@Nullable V> putIfAbsent(K key, V value) {
    return stage(requests.set(Kind.PUT_IF_ABSENT, key, value, 0, true), requests::value);
  }

  @Override
  public CompletionStage<@Nullable V> putIfAbsent(K key, V value, Duration lifespan) {
    long expiry = requests.expiryMillis(lifespan);
    return stage(requests.set(Kind.PUT_IF_ABSENT, key, value, expiry, true), requests::value);
  }

  @Override
  public CompletionStage<@Nullable V> replace(K key, V value) {
    return stage(requests.set(Kind.REPLACE, key, value, 0, true), requests::value);
  }

  @Override
  public CompletionStage<Boolean> replace(K key, V expected, V value) {
    return stage(requests.replaceIfEqual(key, expected, value), OperationReply::applied);
  }

  @Override
  public CompletionStage<Boolean> remove(K key) {
    return stage(requests.remove(key, false), OperationReply::applied);
  }

  @Override
  public CompletionStage<Boolean> remove(K key, V expected) {
    return stage(requests.removeIfEqual(key, expected), OperationReply::applied);
  }

  @Override
  public CompletionStage<@Nullable V> getAndRemove(K key) {
    return stage(requests.remove(key, true), requests::value);
  }

  @Override
  public CompletionStage<@Nullable V> compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    requireNonNull(function, "function");
    return change(key, Change.compute(key, function));
  }

  @Override
  public CompletionStage<@Nullable V> computeIfAbsent(
      K key, Function<? super K, ? extends @Nullable V> function) {
    requireNonNull(function, "function");
    return change(key, Change.ifAbsent(key, function));
  }

  @Override
  public CompletionStage<@Nullable V> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    requireNonNull(function, "function");
    return change(key, Change.ifPresent(key, function));
  }

  @Override
  public CompletionStage<@Nullable V> merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    requireNonNull(value, "value");
    requireNonNull(function, "function");
    return change(key, Change.merge(value, function));
  }

  @Override
  public CompletionStage<Long> size() {
    long[] sum = new long[1];
    return all(requests.countAll().iterator(), (count, reply) -> sum[0] += reply.number())
        .thenApply(nothing -> sum[0]);
  }

  @Override
  public CompletionStage<@Nullable Void> clear() {
    return all(requests.clearAll().iterator(), (clear, reply) -> {});
  }

  private static @Nullable Void nothing(OperationReply reply) {
    return null;
  }

  /** Reads, decides and writes if nothing came between; else decides again. */
  private CompletionStage<@Nullable V> change(K key, Change<V> change) {
    Request get = requests.get(key, true);
    Retries retries = new Retries(name, patience);
    return stage(get, Function.identity())
        .thenCompose(reply -> change(get.key(), reply, change, retries));
  }

  private CompletionStage<@Nullable V> change(
      byte[] key, OperationReply read, Change<V> change, Retries retries) {
    Change.Decision<V> decision = change.decide(requests.value(read));
    if (!decision.write()) {
      return CompletableFuture.completedFuture(decision.value());
    }
    return stage(requests.ifUnchanged(key, read, decision.value()), Function.identity())
        .thenCompose(
            reply -> {
              if (reply.applied()) {
                return CompletableFuture.completedFuture(decision.value());
              }
              retries.again();
              return change(key, reply, change, retries);
            });
  }

  private <R> CompletableFuture<R> stage(Request request, Function<OperationReply, R> result) {
    CompletableFuture<R> stage = new CompletableFuture<>();
    port.submit(
        request,
        new Completion() {
          @Override
          public void done(OperationReply reply) {
            executor.execute(() -> complete(stage, reply, result));
          }

          @Override
          public void failed(Failure why, String message) {
            boolean mutation = request.kind().mutation();
            executor.execute(
                () -> stage.completeExceptionally(Failures.of(why, message, mutation)));
          }
        });
    return stage;
  }

  private static <R> void complete(
      CompletableFuture<R> stage, OperationReply reply, Function<OperationReply, R> result) {
    try {
      stage.complete(result.apply(reply));
    } catch (RuntimeException | Error e) { // whatever a codec throws
      stage.completeExceptionally(e);
    }
  }

  /** Runs requests a window at a time; replies are handled one after the other. */
  private CompletableFuture<@Nullable Void> all(
      Iterator<Request> all, BiConsumer<Request, OperationReply> handler) {
    Steps<Bulk<Request>> steps =
        new Steps<>(wake -> new Bulk<>(all, each -> each, handler, port, wake));
    steps.run();
    return steps.ended.thenApply(bulk -> null);
  }

  private final class Steps<S extends Stepwise> implements Runnable {
    private final CompletableFuture<S> ended = new CompletableFuture<>();
    private final S work;

    /** Makes what is to be done, given what wakes it. */
    Steps(Function<Runnable, S> work) {
      this.work = work.apply(() -> executor.execute(this));
    }

    @Override
    public void run() {
      if (work.step()) {
        Throwable failure = work.failure();
        if (failure == null) {
          ended.complete(work);
        } else {
          ended.completeExceptionally(failure);
        }
      }
    }
  }
}
