package dev.headrace.cluster.cache;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.AsyncCache;
import dev.headrace.api.Cache;
import dev.headrace.api.CacheEntry;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.ChangeStream;
import dev.headrace.api.stream.EntryVersion;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache whose methods wait for their results on the calling thread, which also runs the codecs
 * and the functions of {@code compute}.
 */
public final class CacheView<K, V> implements Cache<K, V> {
  private final String name;
  private final Requests<K, V> requests;
  private final CallPort port;
  private final Patience patience;
  private final KeyQueues queues;
  private final Streams<K, V> streams;
  private final AsyncCache<K, V> async;

  private CacheView(
      String name,
      Requests<K, V> requests,
      Place place,
      Streams<K, V> streams,
      AsyncCache<K, V> async) {
    this.name = name;
    this.requests = requests;
    this.port = place.port();
    this.patience = place.patience();
    this.queues = place.queues();
    this.streams = streams;
    this.async = async;
  }

  /**
   * Opens a view of a cache. Sends no message.
   *
   * @param settings the cache's name, codecs and lifespan
   * @param place the parts of the node that its caches use
   * @param streams prepares streams of the cache
   * @return a view; any thread may use it
   */
  public static <K, V> CacheView<K, V> open(
      AgreedSettings<K, V> settings, Place place, Streams<K, V> streams) {
    String name = settings.known().name();
    Requests<K, V> requests =
        new Requests<>(
            settings,
            place.segments(),
            place.clusterMillis(),
            place.maxEntryBytes(),
            place.protocol());
    AsyncCache<K, V> async = new AsyncCacheView<>(name, requests, place, streams.content());
    return new CacheView<>(name, requests, place, streams, async);
  }

  /** What prepares streams of a cache: of its content, of its changes, and into it. */
  public record Streams<K, V>(
      Supplier<CacheStream<K, V>> content,
      Supplier<ChangeStream<K, V>> changes,
      Function<EntryRequests<K, V>, CacheSink<K, V>> sink) {}

  /**
   * The parts of a node that its caches use.
   *
   * @param segments the cluster's number of segments
   * @param clusterMillis cluster time
   * @param maxEntryBytes the largest sum of encoded key and value that the cluster takes
   * @param protocol the version of the protocol that all members know
   * @param port carries calls
   * @param executor completes stages and runs what is chained to them
   * @param patience how long caches wait
   * @param queues the node's computations of one key
   */
  public record Place(
      IntSupplier segments,
      LongSupplier clusterMillis,
      IntSupplier maxEntryBytes,
      IntSupplier protocol,
      CallPort port,
      Executor executor,
      Patience patience,
      KeyQueues queues) {}

  /**
   * How long caches wait.
   *
   * @param nanoTime a monotonic clock
   * @param busyPollNanos tells how long a thread polls for its reply before it sleeps
   * @param operationNanos how long a computation is tried again when others write meanwhile
   */
  public record Patience(LongSupplier nanoTime, LongSupplier busyPollNanos, long operationNanos) {}

  /**
   * The number that stands for the formats of a cache's keys and values.
   *
   * @return never 0, which stands for any format
   */
  public static int format(CacheSettings<?, ?> settings) {
    return Formats.hash(settings.keyCodec(), settings.valueCodec());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public AsyncCache<K, V> async() {
    return async;
  }

  @Override
  public @Nullable V get(K key) {
    return requests.value(read(requests.get(key, true)));
  }

  @Override
  public @Nullable CacheEntry<K, V> getEntry(K key) {
    return requests.entry(key, read(requests.get(key, true)));
  }

  @Override
  public Map<K, V> getAll(Collection<? extends K> keys) {
    List<K> asked = new ArrayList<>(keys);
    BulkGet<K, V> get = new BulkGet<>(asked, requests.encodeKeys(asked), requests, port, waking());
    run(get, false);
    return get.found();
  }

  @Override
  public boolean containsKey(K key) {
    return read(requests.get(key, false)).applied();
  }

  @Override
  public void put(K key, V value) {
    run(requests.set(Kind.PUT, key, value, false));
  }

  @Override
  public void put(K key, V value, Duration lifespan) {
    run(requests.set(Kind.PUT, key, value, lifespan, false));
  }

  @Override
  public void putAll(Map<? extends K, ? extends V> entries) {
    entries.forEach( // before anything is written
        (key, value) -> {
          requireNonNull(key, "key");
          requireNonNull(value, "value");
        });
    Iterator<? extends Map.Entry<? extends K, ? extends V>> left = entries.entrySet().iterator();
    Iterator<EncodedWrites> slices =
        new Iterator<>() {
          private final EncodedWrites room = new EncodedWrites();

          @Override
          public boolean hasNext() {
            return left.hasNext();
          }

          @Override
          public EncodedWrites next() {
            room.reset(); // the operations of those before have been made
            return requests.encodeNext(left, room);
          }
        };
    GroupedWrites puts = new GroupedWrites(slices, port::group, requests);
    run(new Bulk<>(puts, put -> put, (put, reply) -> {}, port, waking()), true);
  }

  @Override
  public @Nullable V getAndPut(K key, V value) {
    return requests.value(run(requests.set(Kind.PUT, key, value, true)));
  }

  @Override
  public boolean putIfAbsent(K key, V value) {
    return run(requests.set(Kind.PUT_IF_ABSENT, key, value, false)).applied();
  }

  /**
   * Sets a value if the key is absent. Returns the present value, or null if the new one was set.
   */
  @Nullable V presentOrPut(K key, V value) {
    return requests.value(run(requests.set(Kind.PUT_IF_ABSENT, key, value, true)));
  }

  @Override
  public boolean putIfAbsent(K key, V value, Duration lifespan) {
    return run(requests.set(Kind.PUT_IF_ABSENT, key, value, lifespan, false)).applied();
  }

  @Override
  public boolean replace(K key, V value) {
    return run(requests.set(Kind.REPLACE, key, value, false)).applied();
  }

  @Override
  public @Nullable V getAndReplace(K key, V value) {
    return requests.value(run(requests.set(Kind.REPLACE, key, value, true)));
  }

  @Override
  public boolean replace(K key, V expected, V value) {
    return run(requests.replaceIfEqual(key, expected, value)).applied();
  }

  @Override
  public boolean replaceIfVersion(K key, EntryVersion version, V value) {
    return run(requests.replaceIfVersion(key, version, value)).applied();
  }

  @Override
  public boolean replaceIfVersion(K key, EntryVersion version, V value, Duration lifespan) {
    return run(requests.replaceIfVersion(key, version, value, lifespan)).applied();
  }

  @Override
  public boolean remove(K key) {
    return run(requests.remove(key, false)).applied();
  }

  @Override
  public boolean remove(K key, V expected) {
    return run(requests.removeIfEqual(key, expected)).applied();
  }

  @Override
  public boolean removeIfVersion(K key, EntryVersion version) {
    return run(requests.removeIfVersion(key, version)).applied();
  }

  @Override
  public @Nullable V getAndRemove(K key) {
    return requests.value(run(requests.remove(key, true)));
  }

  @Override
  public void removeAll(Collection<? extends K> keys) {
    List<K> all = new ArrayList<>(keys);
    all.forEach(key -> requireNonNull(key, "key")); // before anything is removed
    Iterator<Request> removals = all.stream().map(key -> requests.remove(key, false)).iterator();
    RoutedRequests routed = new RoutedRequests(removals, port);
    run(new Bulk<>(routed, each -> each, (each, reply) -> {}, port, waking()), true);
  }

  @Override
  public @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    return change(key, EntryChange.compute(key, function), null);
  }

  @Override
  public @Nullable V compute(
      K key,
      BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function,
      Duration lifespan) {
    return change(key, EntryChange.compute(key, function), requireNonNull(lifespan, "lifespan"));
  }

  @Override
  public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
    return change(key, EntryChange.ifAbsent(key, function), null);
  }

  @Override
  public @Nullable V computeIfAbsent(
      K key, Function<? super K, ? extends @Nullable V> function, Duration lifespan) {
    return change(key, EntryChange.ifAbsent(key, function), requireNonNull(lifespan, "lifespan"));
  }

  @Override
  public @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    return change(key, EntryChange.ifPresent(key, function), null);
  }

  @Override
  public @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function, Duration lifespan) {
    return change(key, EntryChange.ifPresent(key, function), requireNonNull(lifespan, "lifespan"));
  }

  @Override
  public @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    return change(key, EntryChange.merge(value, function), null);
  }

  @Override
  public @Nullable V merge(
      K key,
      V value,
      BiFunction<? super V, ? super V, ? extends @Nullable V> function,
      Duration lifespan) {
    return change(key, EntryChange.merge(value, function), requireNonNull(lifespan, "lifespan"));
  }

  @Override
  public <A, R> @Nullable R process(K key, FunctionName<A, R> processor, A argument) {
    return requests.processed(processor, run(requests.process(key, processor, argument)));
  }

  @Override
  public long size() {
    try {
      return streams.content().get().count().get();
    } catch (StreamInterruptedException e) {
      throw Failures.uncounted(e);
    }
  }

  @Override
  public void clear() {
    runAll(requests.clearAll(), (clear, reply) -> {}, true);
  }

  @Override
  public ConcurrentMap<K, V> asMap() {
    return new MapView<>(this);
  }

  @Override
  public CacheStream<K, V> stream() {
    return streams.content().get();
  }

  @Override
  public ChangeStream<K, V> changes() {
    return streams.changes().get();
  }

  @Override
  public CacheSink<K, V> sink() {
    return streams.sink().apply(requests);
  }

  private @Nullable V change(K key, EntryChange<V> change, @Nullable Duration lifespan) {
    Retries retries = new Retries(name, patience);
    Computation<K, V> computation = new Computation<>(requests, key, change, lifespan, retries);
    boolean alone = !queues.isBusy(name, computation.key());
    if (alone && attempt(computation)) {
      return computation.result();
    }
    WaitingThread waiting = new WaitingThread();
    if (!queues.enter(name, computation.key(), waiting)) {
      throw WaitingThread.tooMany(name);
    }
    KeyQueues.Permit permit = waiting.await(name, patience);
    OperationReply leaves = null;
    try {
      computation.begin(permit);
      boolean ended = attempt(computation);
      while (!ended) {
        ended = attempt(computation);
      }
      leaves = computation.leaves();
    } finally {
      permit.end(leaves);
      Request release = computation.release();
      if (release != null) {
        port.submit(release, Completion.IGNORED);
      }
    }
    return computation.result();
  }

  /** Reads if necessary, decides and writes. Returns false if another write came in between. */
  private boolean attempt(Computation<K, V> computation) {
    if (computation.mustRead()) {
      computation.read(read(computation.get()));
    }
    Request write = computation.decide();
    return write == null ? !computation.mustRead() : computation.written(run(write));
  }

  private OperationReply read(Request get) {
    OperationReply here = port.readHere(get);
    return here == null ? run(get) : here;
  }

  private OperationReply run(Request request) {
    Waiter waiter = new Waiter(request, patience.busyPollNanos().getAsLong());
    port.submit(request, waiter);
    return waiter.await();
  }

  private void runAll(
      List<Request> all, BiConsumer<Request, OperationReply> handler, boolean mutation) {
    run(new Bulk<>(all.iterator(), each -> each, handler, port, waking()), mutation);
  }

  private static Runnable waking() {
    Thread thread = Thread.currentThread();
    return () -> LockSupport.unpark(thread);
  }

  private void run(Stepwise bulk, boolean mutation) {
    while (!bulk.step()) {
      if (Thread.currentThread().isInterrupted()) {
        throw Failures.interrupted(name, mutation);
      }
      LockSupport.park(bulk);
    }
    Throwable failure = bulk.failure();
    if (failure instanceof HeadraceException exception) {
      exception.fillInStackTrace(); // of the thread that asked, not of the one that answered
      throw exception;
    } else if (failure instanceof RuntimeException exception) {
      throw exception;
    } else if (failure instanceof Error error) {
      throw error;
    }
  }
}
