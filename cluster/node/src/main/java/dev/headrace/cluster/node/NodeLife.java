package dev.headrace.cluster.node;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.headrace.api.CacheReport;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.CacheStatus;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.JoinRefusedException;
import dev.headrace.api.error.JoinTimeoutException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.catalogue.Catalogue;
import dev.headrace.cluster.membership.JGroupsMembership;
import dev.headrace.cluster.membership.Membership;
import dev.headrace.cluster.security.PortSecurity;
import dev.headrace.cluster.wire.CpuContention;
import dev.headrace.cluster.wire.WireSettings;
import dev.headrace.cluster.wire.WireTransport;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.math.BigDecimal;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One life of a node, from its joining to its end: an engine, a JGroups membership, a Netty wire
 * and their threads. The identity ends with the life. Thread-safe.
 */
final class NodeLife {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLife.class);
  private static final long LEAVE_SECONDS = 5;

  /** How often that time may pass, while segments move, before one of this node's is taken over. */
  private static final int MAX_LEAVE_STALLS = 24;

  private static final long TELL_SECONDS = 5;

  private final NodeSettings settings;
  private final Membership membership;
  private final NodeThreads threads;
  private final WireTransport wire;
  private final NodeEngine engine;
  private final Catalogue catalogue;
  private volatile Consumer<String> forgetting = cache -> {};
  private final AtomicReference<@Nullable String> endedBecause = new AtomicReference<>();
  private final CountDownLatch released = new CountDownLatch(1);
  private volatile @Nullable Thread releasing;
  private volatile boolean retired;

  /**
   * Joins a cluster and waits until the node may be used; see {@link
   * dev.headrace.api.Headrace#start(NodeSettings)}.
   */
  static NodeLife begin(NodeSettings settings, NodeTuning tuning) {
    long deadlineNanos = System.nanoTime() + settings.joinTimeout().toNanos();
    NodeLife life = assemble(settings, tuning);
    try {
      life.join(deadlineNanos);
      return life;
    } catch (RuntimeException | Error e) {
      life.release(false, "The node did not start");
      throw e;
    }
  }

  /** Makes the parts of a node. If one fails, closes the others. */
  private static NodeLife assemble(NodeSettings settings, NodeTuning tuning) {
    PortSecurity security = NodeSecurity.of(settings);
    JGroupsMembership membership = new JGroupsMembership(settings, security);
    NodeFaults faults = tuning.faults();
    NodeThreads threads = new NodeThreads(settings.nodeName());
    WireTransport wire = null;
    try {
      Listening listening = new Listening();
      wire = wire(settings, tuning, security, membership.self(), listening);
      Member member =
          new Member(
              membership.self(),
              settings.nodeName(),
              settings.bindAddress(),
              wire.port(),
              settings.zone(),
              settings.capacity());
      NodePorts ports = ports(membership, wire, threads);
      NodeEngine engine =
          new NodeEngine(
              settings,
              member,
              faults == null ? ports : faults.between(ports, membership, threads, wire),
              tuning);
      listening.to(engine);
      return new NodeLife(settings, membership, threads, wire, engine);
    } catch (RuntimeException | Error e) {
      if (wire != null) {
        wire.kill();
      }
      membership.kill();
      threads.close();
      throw e;
    }
  }

  private static WireTransport wire(
      NodeSettings settings,
      NodeTuning tuning,
      PortSecurity security,
      NodeId self,
      Listening listening) {
    NodeFaults faults = tuning.faults();
    return WireTransport.start(
        WireSettings.of(
                settings.clusterName(),
                self,
                settings.bindAddress(),
                settings.dataPort(),
                () -> listening.maxEntryBytes(settings))
            .with(security)
            .with(tuning.handOver())
            .with(
                new WireSettings.Sizes(
                    settings.operationLoops(),
                    settings.bulkLoops(),
                    CpuContention.OF_THIS_PROCESS.allowing(settings.busyPoll().toNanos()))),
        listening::member,
        faults == null ? listening : faults.between(listening),
        listening::read);
  }

  private static NodePorts ports(Membership membership, WireTransport wire, NodeThreads threads) {
    RandomGenerator random = new SecureRandom();
    return new NodePorts(
        membership,
        wire,
        wire::congested,
        wire,
        wire.buffers(),
        wire::forget,
        wire::knock,
        threads.timer(),
        System.currentTimeMillis(),
        membership.executor(),
        threads.lanes(),
        threads.changes(),
        threads.user(),
        threads.functions(),
        random);
  }

  private NodeLife(
      NodeSettings settings,
      Membership membership,
      NodeThreads threads,
      WireTransport wire,
      NodeEngine engine) {
    this.settings = settings;
    this.membership = membership;
    this.threads = threads;
    this.wire = wire;
    this.engine = engine;
    catalogue = new Catalogue(engine.opening().open(Catalogue.settings()), engine::holdsData);
    engine.removal().onForget(this::forget);
  }

  private void forget(String cache) {
    catalogue.forget(cache);
    forgetting.accept(cache);
  }

  /** Tells somebody, from now on, which caches this node forgets. */
  void onForget(Consumer<String> listener) {
    forgetting = listener;
  }

  private void join(long deadlineNanos) {
    threads.repeat(TickPace.HURRIED_NANOS, this::tick);
    membership.start(engine);
    try {
      engine.admission().joined().get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new JoinTimeoutException(
          notTakenIn(), settings.clusterName(), settings.joinTimeout(), missingNodes(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HeadraceException("The thread was interrupted while the node was joining", e);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      if (cause instanceof JoinRefusedException refusal) {
        refusal.fillInStackTrace(); // used by the thread that starts the node
        throw refusal;
      }
      throw new JoinRefusedException(String.valueOf(cause.getMessage()), cause);
    }
  }

  /** The nodes that were found and did not answer, or else those that the found cluster misses. */
  private List<String> missingNodes() {
    List<NodeId> silent = engine.admission().silent(membership.self());
    return engine.admission().stalledBecause() == null
        ? silent.stream().map(membership::nameOf).toList()
        : engine.missingNodes();
  }

  private String notTakenIn() {
    String stalled = engine.admission().stalledBecause();
    String where = "Node %s found %s cluster \"%s\"";
    List<NodeId> silent = engine.admission().silent(membership.self());
    if (stalled == null && !silent.isEmpty()) {
      return where.formatted(settings.nodeName(), "the", settings.clusterName())
          + ", but was not admitted within %s s: %s there and did not answer. Check whether they hang, or cannot reach this node"
              .formatted(
                  seconds(settings.joinTimeout()),
                  silent.stream().map(membership::nameOf).collect(Collectors.joining(", "))
                      + (silent.size() == 1 ? " is" : " are"));
    }
    if (stalled == null) {
      return where.formatted(settings.nodeName(), "no", settings.clusterName())
          + " with a data node within %s s (%s): start a node with a capacity first, or check the discovery setting"
              .formatted(seconds(settings.joinTimeout()), settings.discovery());
    }
    return where.formatted(settings.nodeName(), "the", settings.clusterName())
        + ", but was not admitted within %s s. %s. A new node does not replace a missing one: make that one reachable again; or, if its process has ended, stop the nodes that are left, whose entries are lost then, and start anew"
            .formatted(seconds(settings.joinTimeout()), stalled);
  }

  private static String seconds(Duration time) {
    return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
  }

  private long tick() {
    long nowNanos = System.nanoTime();
    long nextNanos = engine.tick(nowNanos);
    CpuContention.OF_THIS_PROCESS.look(nowNanos);
    catalogue.tick();
    return nextNanos;
  }

  NodeEngine engine() {
    return engine;
  }

  /** Notes which caches are opened. */
  Catalogue catalogue() {
    return catalogue;
  }

  /** See {@link dev.headrace.api.Headrace#destroy}. */
  CompletableFuture<@Nullable Void> destroy(String cache) {
    HeadraceException objection = engine.removal().objection();
    if (objection != null) {
      return CompletableFuture.failedFuture(objection);
    }
    return engine
        .caches()
        .thenCompose(report -> empty(cache, report))
        .thenCompose(emptied -> catalogue.remove(cache))
        .thenCompose(removed -> engine.removal().begin(cache, System.nanoTime()))
        .thenApplyAsync(done -> null, engine.ground().user());
  }

  private CompletableFuture<@Nullable Void> empty(String cache, CacheReport report) {
    CacheStatus found =
        report.caches().stream().filter(one -> one.name().equals(cache)).findAny().orElse(null);
    if (found == null && !report.complete()) {
      throw new UnavailableException(
          "Whether there is a cache \"%s\" is not known, as nodes %s did not answer: remove it when they do"
              .formatted(cache, report.missingNodes()),
          FaultScope.ofCache(cache));
    }
    if (found == null) {
      forget(cache); // opened here, perhaps, and never written
      throw new HeadraceException(
          "There is no cache \"%s\" that could be removed; caches() lists those that there are"
              .formatted(cache),
          FaultScope.ofCache(cache),
          null);
    }
    String keys = found.keyFormat();
    String values = found.valueFormat();
    if ((keys == null || values == null) && report.complete() && found.entries() == 0) {
      return CompletableFuture.completedFuture(null); // opened, and never written
    }
    if (keys == null || values == null) {
      throw new UnavailableException(
          "The format of cache \"%s\" is not known yet: open the cache, and remove it again"
              .formatted(cache),
          FaultScope.ofCache(cache));
    }
    return engine
        .opening()
        .open(new CacheSettings<>(cache, Codecs.encoded(keys), Codecs.encoded(values)))
        .async()
        .clear();
  }

  /** Bytes of direct memory that buffers in use occupy, for tests. */
  long usedBufferBytes() {
    return wire.buffers().usedBytes();
  }

  /** A description of what this node is doing, for diagnosis and tests. */
  String describe() {
    CompletableFuture<String> text = new CompletableFuture<>();
    membership.executor().execute(() -> text.complete(engine.diagnosis().describe()));
    return text.completeOnTimeout("the control thread does not answer", TELL_SECONDS, SECONDS)
        .join();
  }

  /**
   * Leaves in order: others take over what this node holds. Waits for that as long as it goes on;
   * gives up when the cluster has moved nothing for some seconds, or none of this node's segments
   * for two minutes, or the limit has passed. Call {@link #release} afterwards.
   */
  void leave(Duration limit) {
    if (endedBecause.get() != null) {
      return;
    }
    engine.leave();
    try {
      awaitLeft(System.nanoTime() + limit.toNanos());
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("Node " + settings.nodeName() + " leaves without its cluster's agreement", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitLeft(long deadlineNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    int held = Integer.MAX_VALUE;
    int stalls = 0;
    while (true) {
      RebalanceProgress before = engine.progress();
      try {
        long left = deadlineNanos - System.nanoTime();
        engine
            .admission()
            .ended()
            .get(Math.min(left, SECONDS.toNanos(LEAVE_SECONDS)), TimeUnit.NANOSECONDS);
        return;
      } catch (TimeoutException e) {
        int holds = engine.replicas();
        stalls = holds < held ? 0 : stalls + 1;
        held = holds;
        if (stalls == MAX_LEAVE_STALLS
            || System.nanoTime() - deadlineNanos >= 0
            || engine.progress().equals(before)) {
          throw e;
        }
      }
    }
  }

  /**
   * Ends this life because another one follows. Waiting operations and streams fail, and later ones
   * are refused until the other life has begun.
   */
  void retire(String reason) {
    retired = true;
    attempt("its calls", () -> engine.retire(reason));
    release(true, reason);
  }

  /** Releases everything once. Later callers wait until that is done. */
  void release(boolean orderly, String reason) {
    if (!endedBecause.compareAndSet(null, reason)) {
      awaitReleased();
      return;
    }
    releasing = Thread.currentThread();
    try {
      if (!retired) {
        attempt("its calls", engine::close);
      }
      if (orderly) {
        attempt("its membership", membership::close);
        attempt("its wire", wire::close);
      } else {
        attempt("its wire", wire::kill);
        attempt("its membership", membership::kill);
      }
      attempt("its threads", threads::close);
    } finally {
      released.countDown();
    }
  }

  /** Closes one part. If that throws, the others are closed all the same. */
  private void attempt(String what, Runnable close) {
    try {
      close.run();
    } catch (RuntimeException | Error e) {
      LOG.error(
          "Node "
              + settings.nodeName()
              + " could not close "
              + what
              + "; the other parts are closed",
          e);
    }
  }

  private void awaitReleased() {
    if (Thread.currentThread() == releasing) {
      return; // called back while it closes
    }
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
