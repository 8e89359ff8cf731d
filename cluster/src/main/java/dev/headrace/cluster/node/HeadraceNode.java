package dev.headrace.cluster.node;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.JoinRefusedException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.cache.Catalogue;
import dev.headrace.cluster.membership.JGroupsMembership;
import dev.headrace.cluster.membership.Membership;
import dev.headrace.cluster.wire.WireSettings;
import dev.headrace.cluster.wire.WireTransport;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A node on sockets and threads: an engine, a JGroups membership and a Netty wire. */
public final class HeadraceNode implements Headrace {
  private static final System.Logger LOG = System.getLogger(HeadraceNode.class.getName());
  private static final long TICK_NANOS = 5_000_000L;
  private static final long LEAVE_SECONDS = 5;

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
    long deadlineNanos = System.nanoTime() + settings.joinTimeout().toNanos();
    HeadraceNode node = assemble(settings);
    try {
      node.join(deadlineNanos);
      return node;
    } catch (RuntimeException | Error e) {
      node.release(false, "The node did not start");
      throw e;
    }
  }

  /** Makes the parts of a node; if one cannot be made, nothing is left of the others. */
  private static HeadraceNode assemble(NodeSettings settings) {
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
      NodeEngine engine = new NodeEngine(settings, member, ports(membership, wire, threads));
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
        threads.control(),
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
    catalogue = new Catalogue(engine.open(CacheSettings.catalogue()).async());
  }

  private void join(long deadlineNanos) {
    var unused =
        engine.ended().thenAccept(reason -> threads.user().execute(() -> release(true, reason)));
    threads.every(TICK_NANOS, () -> engine.tick(System.nanoTime()));
    membership.start(engine);
    try {
      engine.joined().get(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new JoinRefusedException(
          "Node "
              + settings.nodeName()
              + " found no cluster \""
              + settings.clusterName()
              + "\" with a data node within "
              + settings.joinTimeout()
              + " ("
              + settings.discovery()
              + "): start a node with a capacity first, or check the discovery setting",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HeadraceException("The thread was interrupted while the node was joining", e);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      throw new JoinRefusedException(String.valueOf(cause.getMessage()), cause);
    }
  }

  @Override
  public NodeSettings settings() {
    return settings;
  }

  @Override
  public <K, V> Cache<K, V> cache(CacheSettings<K, V> cache) {
    checkOpen();
    catalogue.opened(cache);
    return engine.open(cache);
  }

  @Override
  public ClusterStatus status() {
    checkOpen();
    return engine.status();
  }

  /**
   * Leaves in order: others take over at once. Waits for that at most some seconds. If the node is
   * being closed already, waits until it is.
   */
  @Override
  public void close() {
    if (closedBecause.get() == null) {
      engine.leave();
      try {
        engine.ended().get(LEAVE_SECONDS, TimeUnit.SECONDS);
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

  /**
   * Ends as a crashed process would, for tests and demonstrations: sockets are closed, nobody is
   * told.
   */
  public void kill() {
    release(false, "The node was killed");
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
