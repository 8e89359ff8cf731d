package dev.headrace.cluster.node;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.RepairReport;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.JoinRefusedException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.cache.Catalogue;
import dev.headrace.cluster.membership.JGroupsMembership;
import dev.headrace.cluster.membership.Membership;
import dev.headrace.cluster.wire.WireSettings;
import dev.headrace.cluster.wire.WireTransport;
import dev.headrace.rebalance.message.Progress;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.write.Lanes;
import dev.headrace.stream.NodeId;
import java.math.BigDecimal;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A node on sockets and threads: an engine, a JGroups membership and a Netty wire. */
public final class HeadraceNode implements Headrace {
  private static final System.Logger LOG = System.getLogger(HeadraceNode.class.getName());
  private static final long TICK_NANOS = 5_000_000L;
  private static final long LEAVE_SECONDS = 5;

  /** A segment may take so many times as long to be taken over. */
  private static final int MAX_LEAVE_STALLS = 24;

  private static final long TELL_SECONDS = 5;

  private final NodeSettings settings;
  private final Membership membership;
  private final NodeThreads threads;
  private final WireTransport wire;
  private final NodeEngine engine;
  private final Catalogue catalogue;
  private final AtomicReference<@Nullable String> closedBecause = new AtomicReference<>();
  private final CountDownLatch released = new CountDownLatch(1);
  private volatile @Nullable Thread releasing;

  /** Starts a node and waits until it may be used; see {@link Headrace#start(NodeSettings)}. */
  public static HeadraceNode start(NodeSettings settings) {
    return start(settings, NodeTuning.defaults());
  }

  /** Starts a node that rebalances otherwise than others, or whose decisions are listened to. */
  public static HeadraceNode start(NodeSettings settings, NodeTuning tuning) {
    long deadlineNanos = System.nanoTime() + settings.joinTimeout().toNanos();
    HeadraceNode node = assemble(settings, tuning);
    try {
      node.join(deadlineNanos);
      return node;
    } catch (RuntimeException | Error e) {
      node.release(false, "The node did not start");
      throw e;
    }
  }

  /** Makes the parts of a node; if one cannot be made, nothing is left of the others. */
  private static HeadraceNode assemble(NodeSettings settings, NodeTuning tuning) {
    Membership membership = new JGroupsMembership(settings);
    NodeThreads threads = new NodeThreads(settings.nodeName());
    WireTransport wire = null;
    try {
      Listening listening = new Listening();
      wire = wire(settings, membership.self(), listening);
      Member member =
          new Member(
              membership.self(),
              settings.nodeName(),
              settings.bindAddress(),
              wire.port(),
              settings.zone(),
              settings.capacity());
      NodeEngine engine =
          new NodeEngine(settings, member, ports(membership, wire, threads), tuning);
      listening.to(engine);
      return new HeadraceNode(settings, membership, threads, wire, engine);
    } catch (RuntimeException | Error e) {
      if (wire != null) {
        wire.kill();
      }
      membership.kill();
      threads.close();
      throw e;
    }
  }

  private static WireTransport wire(NodeSettings settings, NodeId self, Listening listening) {
    return WireTransport.start(
        WireSettings.of(
                settings.clusterName(),
                self,
                settings.bindAddress(),
                settings.dataPort(),
                () -> listening.maxEntryBytes(settings))
            .with(new WireSettings.Sizes(1, 1, 1, settings.busyPoll().toNanos())),
        listening::member,
        listening,
        listening::read);
  }

  private static NodePorts ports(Membership membership, WireTransport wire, NodeThreads threads) {
    RandomGenerator random = new SecureRandom();
    return new NodePorts(
        membership,
        wire,
        wire::congested,
        wire,
        wire::forget,
        threads.timer(),
        System.currentTimeMillis(),
        membership.executor(),
        threads.lanes(),
        threads.user(),
        random);
  }

  private HeadraceNode(
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
    catalogue =
        new Catalogue(engine.opening().open(CacheSettings.catalogue()).async(), engine::holdsData);
  }

  private void join(long deadlineNanos) {
    var unused =
        engine
            .admission()
            .ended()
            .thenAccept(reason -> threads.user().execute(() -> release(true, reason)));
    threads.every(TICK_NANOS, this::tick);
    membership.start(engine);
    try {
      engine.admission().joined().get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new JoinRefusedException(notTakenIn(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HeadraceException("The thread was interrupted while the node was joining", e);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      if (cause instanceof JoinRefusedException refusal) {
        refusal.fillInStackTrace(); // of the thread that starts the node
        throw refusal;
      }
      throw new JoinRefusedException(String.valueOf(cause.getMessage()), cause);
    }
  }

  private String notTakenIn() {
    String stalled = engine.admission().stalledBecause();
    String where = "Node %s found %s cluster \"%s\"";
    if (stalled == null) {
      return where.formatted(settings.nodeName(), "no", settings.clusterName())
          + " with a data node within %s s (%s): start a node with a capacity first, or check the discovery setting"
              .formatted(seconds(settings.joinTimeout()), settings.discovery());
    }
    return where.formatted(settings.nodeName(), "the", settings.clusterName())
        + ", but was not taken in within %s s. %s. A node that is started anew does not replace one that is missing: bring that one back into reach; or, if its process has ended, stop the nodes that are left, whose entries are lost then, and start anew"
            .formatted(seconds(settings.joinTimeout()), stalled);
  }

  private static String seconds(Duration time) {
    return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
  }

  private void tick() {
    engine.tick(System.nanoTime());
    catalogue.tick();
  }

  @Override
  public NodeSettings settings() {
    return settings;
  }

  @Override
  public <K, V> Cache<K, V> cache(CacheSettings<K, V> cache) {
    checkOpen();
    catalogue.opened(cache);
    return engine.opening().open(cache);
  }

  @Override
  public ClusterStatus status() {
    checkOpen();
    return engine.status();
  }

  /** What goes on in this node, for people who look for trouble, and for tests. */
  public String describe() {
    CompletableFuture<String> text = new CompletableFuture<>();
    membership.executor().execute(() -> text.complete(engine.describe()));
    return text.completeOnTimeout("the control thread does not answer", TELL_SECONDS, SECONDS)
        .join();
  }

  @Override
  public CompletionStage<RepairReport> repair(Set<String> caches, Consumer<RepairReport> progress) {
    checkOpen();
    return engine.repair(caches, progress);
  }

  /**
   * Leaves in order: others take over what this node holds. Waits for that as long as it goes on;
   * gives up when the cluster has moved nothing for some seconds, or none of this node's segments
   * for two minutes. If the node is being closed already, waits until it is.
   */
  @Override
  public void close() {
    if (closedBecause.get() == null) {
      engine.leave();
      try {
        awaitLeft();
      } catch (TimeoutException | ExecutionException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "Node " + settings.nodeName() + " leaves without its cluster's agreement",
            e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    release(true, "The node was closed");
  }

  private void awaitLeft() throws InterruptedException, ExecutionException, TimeoutException {
    int held = Integer.MAX_VALUE;
    int stalls = 0;
    while (true) {
      Progress before = engine.progress();
      try {
        engine.admission().ended().get(LEAVE_SECONDS, TimeUnit.SECONDS);
        return;
      } catch (TimeoutException e) {
        int holds = engine.replicas();
        stalls = holds < held ? 0 : stalls + 1;
        held = holds;
        if (stalls == MAX_LEAVE_STALLS || engine.progress().equals(before)) {
          throw e;
        }
      }
    }
  }

  /**
   * Ends as a crashed process would, for tests and demonstrations: sockets are closed, nobody is
   * told.
   */
  public void kill() {
    release(false, "The node was killed");
  }

  /** The lanes, for tests that damage what is under them. */
  Lanes lanes() {
    return engine.lanes();
  }

  /** Gives everything back, once; whoever comes later waits until that is done. */
  private void release(boolean orderly, String reason) {
    if (!closedBecause.compareAndSet(null, reason)) {
      awaitReleased();
      return;
    }
    releasing = Thread.currentThread();
    try {
      attempt("its calls", engine::close);
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

  /** What one part throws must not keep the others open. */
  private void attempt(String what, Runnable close) {
    try {
      close.run();
    } catch (RuntimeException | Error e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "Node " + settings.nodeName() + " could not close " + what + "; it goes on closing",
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
