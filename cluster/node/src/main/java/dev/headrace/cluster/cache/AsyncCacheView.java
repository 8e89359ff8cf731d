package dev.headrace.cluster.cache;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.CacheEntry;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A cache's operations as futures, completed on an executor. */
final class AsyncCacheView<K, V> implements AsyncCache<K, V> {
  private final String name;
  private final Requests<K, V> requests;
  private final CacheView.Place place;
  private final Supplier<CacheStream<K, V>> stream;
  private final Executor executor;
  private final CallPort port;
  private final CacheView.Patience patience;
  private final KeyQueues queues;

  AsyncCacheView(
      String name,
      Requests<K, V> requests,
      CacheView.Place place,
      Supplier<CacheStream<K, V>> stream) {
    this(name, requests, place, stream, place.executor());
  }

  private AsyncCacheView(
      String name,
      Requests<K, V> requests,
      CacheView.Place place,
      Supplier<CacheStream<K, V>> stream,
      Executor executor) {
    this.name = name;
    this.requests = requests;
    this.place = place;
    this.stream = stream;
    this.executor = executor;
    this.port = place.port();
    this.patience = place.patience();
    this.queues = place.queues();
  }

  @Override
  public AsyncCache<K, V> executor(Executor other) {
    requireNonNull(other, "executor");
    UserExecutor given = new UserExecutor(other, place.executor(), "the cache \"" + name + '"');
    return new AsyncCacheView<>(name, requests, place, stream, given);
  }

  @Override
  public CompletableFuture<@Nullable V> get(K key) {
    return stage(requests.get(key, true), requests::value);
  }

  @Override
  public CompletableFuture<@Nullable CacheEntry<K, V>> getEntry(K key) {
    return stage(requests.get(key, true), reply -> requests.entry(key, reply));
  }

  @Override
  public CompletableFuture<Map<K, V>> getAll(Collection<? extends K> keys) {
    List<K> asked = new ArrayList<>(keys);
    List<EncodedKeys> encoded = requests.encodeKeys(asked);
    Steps<BulkGet<K, V>> steps =
        new Steps<>(wake -> new BulkGet<>(asked, encoded, requests, port, wake));
    executor.execute(steps); // which reads and decodes the entries of this node
    return steps.ended.thenApply(BulkGet::found);
  }

  @Override
  public CompletableFuture<Boolean> containsKey(K key) {
    return stage(requests.get(key, false), OperationReply::applied);
  }

  @Override
  public CompletableFuture<@Nullable Void> put(K key, V value) {
    return stage(requests.set(Kind.PUT, key, value, false), AsyncCacheView::nothing);
  }

  @Override
  public CompletableFuture<@Nullable Void> put(K key, V value, Duration lifespan) {
    return stage(requests.set(Kind.PUT, key, value, lifespan, false), AsyncCacheView::nothing);
  }

  @Override
  public CompletableFuture<@Nullable Void> putAll(Map<? extends K, ? extends V> entries) {
    List<EncodedWrites> slices = new ArrayList<>();
    Iterator<? extends Map.Entry<? extends K, ? extends V>> left = entries.entrySet().iterator();
    while (left.hasNext()) {
      slices.add(requests.encodeNext(left, new EncodedWrites()));
    }
    GroupedWrites puts = new GroupedWrites(slices.iterator(), port::group, requests);
    return all(puts, (put, reply) -> {});
  }

  @Override
  public CompletableFuture<@Nullable V> getAndPut(K key, V value) {
    return stage(requests.set(Kind.PUT, key, value, true), requests::value);
  }

  @Override
  public CompletableFuture<Boolean> putIfAbsent(K key, V value) {
    return stage(requests.set(Kind.PUT_IF_ABSENT, key, value, false), OperationReply::applied);
  }

  @Override
  public CompletableFuture<Boolean> putIfAbsent(K key, V value, Duration lifespan) {
    return stage(
        requests.set(Kind.PUT_IF_ABSENT, key, value, lifespan, false), OperationReply::applied);
  }

  @Override
  public CompletableFuture<Boolean> replace(K key, V value) {
    return stage(requests.set(Kind.REPLACE, key, value, false), OperationReply::applied);
  }

  @Override
  public CompletableFuture<@Nullable V> getAndReplace(K key, V value) {
    return stage(requests.set(Kind.REPLACE, key, value, true), requests::value);
  }

  @Override
  public CompletableFuture<Boolean> replace(K key, V expected, V value) {
    return stage(requests.replaceIfEqual(key, expected, value), OperationReply::applied);
  }

  @Override
  public CompletableFuture<Boolean> replaceIfVersion(K key, EntryVersion version, V value) {
    return stage(requests.replaceIfVersion(key, version, value), OperationReply::applied);
  }

  @Override
  public CompletableFuture<Boolean> replaceIfVersion(
      K key, EntryVersion version, V value, Duration lifespan) {
    return stage(requests.replaceIfVersion(key, version, value, lifespan), OperationReply::applied);
  }

  @Override
  public CompletableFuture<Boolean> remove(K key) {
    return stage(requests.remove(key, false), OperationReply::applied);
  }

  @Override
  public CompletableFuture<Boolean> remove(K key, V expected) {
    return stage(requests.removeIfEqual(key, expected), OperationReply::applied);
  }

  @Override
  public CompletableFuture<Boolean> removeIfVersion(K key, EntryVersion version) {
    return stage(requests.removeIfVersion(key, version), OperationReply::applied);
  }

  @Override
  public CompletableFuture<@Nullable V> getAndRemove(K key) {
    return stage(requests.remove(key, true), requests::value);
  }

  @Override
  public CompletableFuture<@Nullable Void> removeAll(Collection<? extends K> keys) {
    List<Request> removals = new ArrayList<>(keys.size());
    keys.forEach(key -> removals.add(requests.remove(key, false)));
    return all(new RoutedRequests(removals.iterator(), port), (each, reply) -> {});
  }

  @Override
  public CompletableFuture<@Nullable V> compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    return change(key, EntryChange.compute(key, function), null);
  }

  @Override
  public CompletableFuture<@Nullable V> compute(
      K key,
      BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function,
      Duration lifespan) {
    return change(key, EntryChange.compute(key, function), requireNonNull(lifespan, "lifespan"));
  }

  @Override
  public CompletableFuture<@Nullable V> computeIfAbsent(
      K key, Function<? super K, ? extends @Nullable V> function) {
    return change(key, EntryChange.ifAbsent(key, function), null);
  }

  @Override
  public CompletableFuture<@Nullable V> computeIfAbsent(
      K key, Function<? super K, ? extends @Nullable V> function, Duration lifespan) {
    return change(key, EntryChange.ifAbsent(key, function), requireNonNull(lifespan, "lifespan"));
  }

  @Override
  public CompletableFuture<@Nullable V> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    return change(key, EntryChange.ifPresent(key, function), null);
  }

  @Override
  public CompletableFuture<@Nullable V> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function, Duration lifespan) {
    return change(key, EntryChange.ifPresent(key, function), requireNonNull(lifespan, "lifespan"));
  }

  @Override
  public <A, R> CompletableFuture<@Nullable R> process(
      K key, FunctionName<A, R> processor, A argument) {
    return stage(
        requests.process(key, processor, argument), reply -> requests.processed(processor, reply));
  }

  @Override
  public CompletableFuture<@Nullable V> merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    return change(key, EntryChange.merge(value, function), null);
  }

  @Override
  public CompletableFuture<@Nullable V> merge(
      K key,
      V value,
      BiFunction<? super V, ? super V, ? extends @Nullable V> function,
      Duration lifespan) {
    return change(key, EntryChange.merge(value, function), requireNonNull(lifespan, "lifespan"));
  }

  @Override
  public CompletableFuture<Long> size() {
    CompletableFuture<Long> size = new CompletableFuture<>();
    try {
      var unused =
          stream
              .get()
              .executor(executor)
              .count()
              .toCompletionStage()
              .whenComplete(
                  (count, failure) -> {
                    if (failure instanceof StreamInterruptedException interrupted) {
                      size.completeExceptionally(Failures.uncounted(interrupted));
                    } else if (failure != null) {
                      size.completeExceptionally(failure);
                    } else {
                      size.complete(count);
                    }
                  });
    } catch (HeadraceException e) {
      size.completeExceptionally(e);
    }
    return size;
  }

  @Override
  public CompletableFuture<@Nullable Void> clear() {
    return all(requests.clearAll().iterator(), (clear, reply) -> {});
  }

  private static @Nullable Void nothing(OperationReply reply) {
    return null;
  }

  private CompletableFuture<@Nullable V> change(
      K key, EntryChange<V> change, @Nullable Duration lifespan) {
    Retries retries = new Retries(name, patience);
    Computation<K, V> computation = new Computation<>(requests, key, change, lifespan, retries);
    if (queues.isBusy(name, computation.key())) {
      return inTurn(computation, retries);
    }
    return attempt(computation)
        .thenCompose(
            ended ->
                ended
                    ? CompletableFuture.completedFuture(computation.result())
                    : inTurn(computation, retries));
  }

  /** Waits for its turn, then tries until it is done. */
  private CompletableFuture<@Nullable V> inTurn(Computation<K, V> computation, Retries retries) {
    CompletableFuture<@Nullable V> result = new CompletableFuture<>();
    KeyQueues.Waiting waiting =
        permit -> {
          executor.execute(() -> begun(permit, computation, retries, result));
          return true;
        };
    if (!queues.enter(name, computation.key(), waiting)) {
      result.completeExceptionally(WaitingThread.tooMany(name));
    }
    return result;
  }

  private void begun(
      KeyQueues.Permit permit,
      Computation<K, V> computation,
      Retries retries,
      CompletableFuture<@Nullable V> result) {
    if (retries.overdue()) {
      permit.end(null);
      result.completeExceptionally(WaitingThread.tooLate(name));
      return;
    }
    computation.begin(permit);
    var unused =
        untilDone(computation)
            .whenComplete(
                (done, failure) -> {
                  permit.end(failure == null ? computation.leaves() : null);
                  Request release = computation.release();
                  if (release != null) {
                    port.submit(release, Completion.IGNORED);
                  }
                  if (failure == null) {
                    result.complete(computation.result());
                  } else {
                    result.completeExceptionally(cause(failure));
                  }
                });
  }

  /** The failure of a stage, without the exceptions that stages wrap around it. */
  private static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private CompletableFuture<Boolean> untilDone(Computation<K, V> computation) {
    return attempt(computation)
        .thenCompose(
            ended -> ended ? CompletableFuture.completedFuture(true) : untilDone(computation));
  }

  /**
   * Reads if necessary, decides and writes. Completes with false if another write came in between.
   */
  private CompletableFuture<Boolean> attempt(Computation<K, V> computation) {
    if (computation.mustRead()) {
      return stage(computation.get(), Function.identity())
          .thenCompose(
              reply -> {
                computation.read(reply);
                return decided(computation);
              });
    }
    try {
      return decided(computation);
    } catch (RuntimeException | Error e) { // anything that a function throws
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Boolean> decided(Computation<K, V> computation) {
    Request write = computation.decide();
    return write == null
        ? CompletableFuture.completedFuture(!computation.mustRead())
        : stage(write, computation::written);
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
          public void failed(OperationFault fault) {
            boolean mutation = request.kind().mutation();
            executor.execute(() -> stage.completeExceptionally(Failures.of(fault, mutation)));
          }
        });
    return stage;
  }

  private static <R> void complete(
      CompletableFuture<R> stage, OperationReply reply, Function<OperationReply, R> result) {
    try {
      stage.complete(result.apply(reply));
    } catch (RuntimeException | Error e) { // anything that a codec throws
      stage.completeExceptionally(e);
    }
  }

  /** Runs requests, a window of them at a time, and handles their replies one by one. */
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

    /** Makes the work, which gets the task that wakes it. */
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
