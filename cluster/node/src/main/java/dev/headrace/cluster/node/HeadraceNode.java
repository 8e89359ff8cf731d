package dev.headrace.cluster.node;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.ClusterEvent;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.Registration;
import dev.headrace.api.RepairReport;
import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.cache.AgreedSettings;
import dev.headrace.cluster.cache.FormatNotes;
import dev.headrace.cluster.call.CacheOpening;
import dev.headrace.cluster.call.CallObserver;
import dev.headrace.cluster.call.Observers;
import dev.headrace.cluster.ingest.IngestTotals;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.stream.change.ChangeReaders;
import dev.headrace.stream.pull.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node on sockets and threads, until its user closes it.
 *
 * <p>To its cluster a node is a {@link NodeLife}, with an identity of its own. A node of capacity 0
 * outlives its cluster: when all data nodes have been started anew, it begins another life in their
 * new cluster, and its caches go on there. Until then it refuses operations. A node with a capacity
 * has one life, to which its entries belong.
 *
 * <pre>
 * state      event                guard                      next       effects
 * -----------------------------------------------------------------------------------------------
 * LIVING     its life ends        it has a capacity, or      CLOSED     release the life
 *                                 leaves
 * LIVING     its life ends        it has none                REJOINING  retire the life: who waits
 *                                                                       is told, calls are refused
 * REJOINING  another life begins                             LIVING     caches go on with it
 * REJOINING  it cannot begin                                 REJOINING  try again after 1 s
 * any        close                                           CLOSED     leave in order, release
 * </pre>
 */
public final class HeadraceNode implements Headrace {
  private static final Logger LOG = LoggerFactory.getLogger(HeadraceNode.class);
  private static final long RETRY_MILLIS = 1_000;
  private static final String GOING_OVER =
      "Node %s moves to another cluster \"%s\": its own has no data node left";

  private final NodeSettings settings;
  private final NodeTuning tuning;
  private final CacheOpening opening;
  private final Map<String, AgreedSettings<?, ?>> opened = new ConcurrentHashMap<>();
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final List<Consumer<String>> forgetting = new CopyOnWriteArrayList<>();
  private final Observers observers = new Observers(this::tellObservers);
  private final AtomicReference<@Nullable String> closedBecause = new AtomicReference<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final ShutdownHook hook;
  private volatile NodeLife life;
  private volatile boolean leaving;
  private volatile @Nullable Thread rejoining;

  /** Starts a node and waits until it may be used; see {@link Headrace#start(NodeSettings)}. */
  public static HeadraceNode start(NodeSettings settings) {
    return start(settings, NodeTuning.defaults());
  }

  /** Starts a node with other tuning than the usual one. */
  public static HeadraceNode start(NodeSettings settings, NodeTuning tuning) {
    NodeLife first = NodeLife.begin(settings, tuning);
    HeadraceNode node = new HeadraceNode(settings, tuning, first);
    node.follow(first);
    if (settings.shutdownHook()) {
      node.hook.register();
    }
    return node;
  }

  /**
   * A node as its user has it, for programs that show it.
   *
   * @throws IllegalArgumentException if the node is none that {@link Headrace#start} has made
   */
  public static HeadraceNode of(Headrace node) {
    if (node instanceof HeadraceNode present) {
      return present;
    }
    throw new IllegalArgumentException(
        "This needs a node that Headrace.start has made, but was given a "
            + node.getClass().getName());
  }

  private HeadraceNode(NodeSettings settings, NodeTuning tuning, NodeLife first) {
    this.settings = settings;
    this.tuning = tuning;
    this.life = first;
    this.opening =
        settings.capacity() > 0
            ? first.engine().opening()
            : CacheOpening.ofLives(settings, () -> life.engine().ground());
    this.hook = new ShutdownHook(settings.nodeName(), () -> close(settings.shutdownTimeout()));
  }

  /** Somebody who listens to events: two of them are never the same. */
  private final class Listener implements Registration {
    private final Consumer<? super ClusterEvent> called;

    Listener(Consumer<? super ClusterEvent> called) {
      this.called = called;
    }

    void tell(ClusterEvent event) {
      if (closedBecause.get() != null) {
        return;
      }
      try {
        called.accept(event);
      } catch (RuntimeException | Error e) { // of user code
        LOG.warn("A listener to the cluster failed with {}; it will hear of more", event, e);
      }
    }

    @Override
    public void close() {
      listeners.remove(this);
    }
  }

  /**
   * Tells somebody of the operations of this node from now on, those of its catalogue included.
   * While anybody is told, each is timed.
   *
   * @return ends the observation when it is closed
   */
  public Registration observe(CallObserver observer) {
    return observers.add(observer);
  }

  /**
   * Tells somebody of the streams that begin on this node from now on: those of its callers, which
   * reductions and requests for HTTP are, too. Streams of changes are not told.
   *
   * @return ends the observation when it is closed; of a stream that has begun before, the rest is
   *     told
   */
  public Registration observe(StreamObserver observer) {
    return observers.add(observer);
  }

  /**
   * Tells somebody which caches this node forgets from now on, because they were removed from the
   * cluster: another one of the name may have other formats.
   *
   * @param listener called by threads of the node's network; must be short
   * @return ends that when it is closed
   */
  public Registration onForget(Consumer<String> listener) {
    forgetting.add(listener);
    return () -> forgetting.remove(listener);
  }

  private void tellObservers() {
    tellObservers(life);
  }

  /** Under a lock, so that what was found last is installed last. */
  private void tellObservers(NodeLife present) {
    synchronized (observers) {
      present.engine().observe(observers.calls(), observers.streams());
    }
  }

  /** Listens to a life, and decides what follows when it ends by itself. */
  private void follow(NodeLife present) {
    tellObservers(present);
    present.engine().events().to(event -> listeners.forEach(each -> each.tell(event)));
    present.onForget(cache -> forgetting.forEach(each -> each.accept(cache)));
    var unused =
        present.engine().admission().ended().thenAccept(reason -> endAside(present, reason));
  }

  /**
   * Uses a thread of its own: the caller is a thread of the ending life, which waits for its
   * threads.
   */
  private void endAside(NodeLife present, String reason) {
    Thread end = new Thread(() -> ended(present, reason), "headrace-end-" + settings.nodeName());
    end.setDaemon(true);
    end.start();
  }

  private void ended(NodeLife present, String reason) {
    if (settings.capacity() > 0 || leaving || closedBecause.get() != null) {
      end(reason, () -> present.release(true, reason));
      return;
    }
    LOG.warn("Node {} rejoins its cluster: {}", settings.nodeName(), reason);
    Thread next = new Thread(() -> rejoin(present), "headrace-rejoin-" + settings.nodeName());
    next.setDaemon(true);
    rejoining = next;
    next.start();
  }

  /** Begins another life, and tries again until that succeeds. */
  private void rejoin(NodeLife past) {
    past.retire(GOING_OVER.formatted(settings.nodeName(), settings.clusterName()));
    String failed = "";
    while (closedBecause.get() == null) {
      try {
        NodeLife next = NodeLife.begin(settings, tuning);
        opened.values().stream()
            .filter(AgreedSettings::isAgreed)
            .forEach(each -> next.catalogue().opened(each.known()));
        life = next;
        if (closedBecause.get() != null) {
          next.release(true, "The node was closed");
        } else {
          follow(next);
          next.engine().events().follow(past.engine().events());
        }
        return;
      } catch (RuntimeException e) { // any failure may pass
        String why = String.valueOf(e.getMessage());
        if (!why.equals(failed)) {
          LOG.warn("Node {} tries again: {}", settings.nodeName(), why);
        }
        failed = why;
        pause();
      }
    }
    past.engine().events().close();
  }

  private void pause() {
    try {
      var unused = closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public NodeSettings settings() {
    return settings;
  }

  @Override
  public <K, V> Cache<K, V> cache(CacheSettings<K, V> cache) {
    checkOpen();
    AgreedSettings<K, V> agreed = AgreedSettings.following(cache, new PresentNotes());
    NodeLife present = life;
    if (!agreed.follows() || !present.engine().holdsData() || !agree(agreed)) {
      present.catalogue().opened(cache);
    }
    if (settings.capacity() == 0) {
      opened.putIfAbsent(cache.name(), agreed);
    }
    return opening.open(agreed);
  }

  /**
   * Agrees on a cache's format, so that whoever opens it hears at once that its values cannot be
   * read. Returns false if the cluster does not answer.
   */
  private static boolean agree(AgreedSettings<?, ?> settings) {
    try {
      settings.agree();
      return true;
    } catch (CodecException e) {
      throw e;
    } catch (HeadraceException e) { // the first operation asks again
      LOG.debug("The format of cache \"{}\" is not known yet", settings.known().name(), e);
      return false;
    }
  }

  /** The notes of whichever life this node has. */
  private final class PresentNotes implements FormatNotes {
    @Override
    public @Nullable Note find(String cache) {
      return life.catalogue().find(cache);
    }

    @Override
    public Note claim(String cache, Note own) {
      return life.catalogue().claim(cache, own);
    }
  }

  @Override
  public ClusterStatus status() {
    checkOpen();
    return life.engine().status();
  }

  @Override
  public Registration listen(Consumer<? super ClusterEvent> listener) {
    Objects.requireNonNull(listener, "listener");
    checkOpen();
    Listener added = new Listener(listener);
    listeners.add(added);
    return added;
  }

  @Override
  public CompletableFuture<CacheReport> caches() {
    checkOpen();
    return life.engine().caches();
  }

  @Override
  public CompletableFuture<@Nullable Void> destroy(String cache) {
    Objects.requireNonNull(cache, "cache");
    checkOpen();
    return life.destroy(cache);
  }

  /** What this node knows now, for programs that show the cluster. Sends no message. */
  public NodeView view() {
    checkOpen();
    return life.engine().nodeView();
  }

  /**
   * The most writes of one segment that this node has ordered or carried out and that, as far as it
   * knows, not all owners have. Sends no message.
   *
   * @throws NodeClosedException after the node was closed
   */
  public int replicationLag() {
    checkOpen();
    return lanes().load().mutations();
  }

  /**
   * What the sinks of this node have sent to each node, since it has joined. Sends no message.
   *
   * @throws NodeClosedException after the node was closed
   */
  public IngestTotals ingest() {
    checkOpen();
    return life.engine().ground().ingest();
  }

  /**
   * The streams of changes that this node reads, for its caches or over HTTP, since it has joined.
   *
   * @throws NodeClosedException after the node was closed
   */
  public ChangeReaders changeReaders() {
    checkOpen();
    return life.engine().ground().changeReaders();
  }

  /** A description of what this node is doing, for diagnosis and tests. */
  public String describe() {
    return life.describe();
  }

  @Override
  public CompletableFuture<RepairReport> repair(
      Set<String> caches, Consumer<RepairReport> progress) {
    checkOpen();
    return life.engine().repair(caches, progress);
  }

  @Override
  public CompletableFuture<Set<Integer>> giveUp(Set<Integer> segments) {
    checkOpen();
    return life.engine().giveUp(Set.copyOf(segments));
  }

  /**
   * Leaves in order: others take over what this node holds. Waits for that as long as it goes on;
   * gives up when the cluster has moved nothing for some seconds, or none of this node's segments
   * for two minutes. If the node is being closed already, waits until it is.
   */
  @Override
  public void close() {
    close(NodeSettings.MAX_TIMEOUT);
  }

  @Override
  public void close(Duration limit) {
    if (limit.isNegative()) {
      throw new IllegalArgumentException("limit must not be negative, but is " + limit);
    }
    leaving = true;
    boolean tooLong = limit.compareTo(NodeSettings.MAX_TIMEOUT) > 0;
    life.leave(tooLong ? NodeSettings.MAX_TIMEOUT : limit);
    end("The node was closed", () -> life.release(true, "The node was closed"));
  }

  /**
   * Closes all sockets without telling other nodes, as a crash does; for tests and demonstrations.
   */
  public void kill() {
    end("The node was killed", () -> life.release(false, "The node was killed"));
  }

  private void end(String reason, Runnable release) {
    if (closedBecause.compareAndSet(null, reason)) {
      hook.forget();
    }
    closed.countDown();
    NodeFaults faults = tuning.faults();
    if (faults != null) {
      faults.end();
    }
    awaitNoOtherLife();
    release.run();
  }

  /** Interrupts a life that is beginning, and waits until that has ended. */
  private void awaitNoOtherLife() {
    Thread beginning = rejoining;
    if (beginning == null || beginning == Thread.currentThread()) {
      return;
    }
    beginning.interrupt();
    try {
      beginning.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The lanes; tests damage replicas by them. */
  Lanes lanes() {
    return life.engine().lanes();
  }

  /** Bytes of direct memory that buffers in use occupy, for tests. */
  long usedBufferBytes() {
    return life.usedBufferBytes();
  }

  private void checkOpen() {
    String reason = closedBecause.get();
    if (reason != null) {
      throw new NodeClosedException(
          reason
              + "; start another node to go on using cluster \""
              + settings.clusterName()
              + "\"");
    }
  }
}
