package dev.headrace.cluster.node;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.JoinRefusedException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.membership.JGroupsMembership;
import dev.headrace.cluster.membership.Membership;
import dev.headrace.cluster.wire.WireSettings;
import dev.headrace.cluster.wire.WireTransport;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import java.security.SecureRandom;
import java.util.Objects;
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
  private final AtomicReference<@Nullable String> closedBecause = new AtomicReference<>();

  // Written once, before the node is handed out.
  private WireTransport wire;
  private NodeEngine engine;

  /** Starts a node and waits until it may be used; see {@link Headrace#start(NodeSettings)}. */
  public static HeadraceNode start(NodeSettings settings) {
    HeadraceNode node = new HeadraceNode(settings);
    try {
      node.join();
      return node;
    } catch (RuntimeException e) {
      node.release(false, "The node did not start");
      throw e;
    }
  }

  private HeadraceNode(NodeSettings settings) {
    this.settings = settings;
    this.membership = new JGroupsMembership(settings);
    this.threads = new NodeThreads(settings.nodeName());
    NodeId self = membership.self();
    Listening listening = new Listening();
    this.wire =
        WireTransport.start(
            WireSettings.of(
                    settings.clusterName(),
                    self,
                    settings.bindAddress(),
                    settings.dataPort(),
                    settings.maxEntryBytes())
                .with(new WireSettings.Sizes(1, 1, 1, settings.busyPoll().toNanos())),
            listening::member,
            listening,
            listening::read);
    Member member =
        new Member(
            self,
            settings.nodeName(),
            settings.bindAddress(),
            wire.port(),
            settings.zone(),
            settings.capacity());
    this.engine = new NodeEngine(settings, member, ports());
    listening.to(engine);
  }

  private NodePorts ports() {
    RandomGenerator random = new SecureRandom();
    return new NodePorts(
        membership,
        wire,
        wire,
        wire::forget,
        threads.timer(),
        System.currentTimeMillis(),
        threads.control(),
        threads.user(),
        random);
  }

  private void join() {
    var unused =
        engine.ended().thenAccept(reason -> threads.user().execute(() -> release(true, reason)));
    threads.every(TICK_NANOS, () -> engine.tick(System.nanoTime()));
    membership.start(engine);
    try {
      engine.joined().get(settings.joinTimeout().toNanos(), TimeUnit.NANOSECONDS);
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
    return engine.open(cache);
  }

  @Override
  public ClusterStatus status() {
    checkOpen();
    return engine.status();
  }

  /** Leaves in order: others take over at once. Waits for that at most some seconds. */
  @Override
  public void close() {
    if (closedBecause.get() != null) {
      return;
    }
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
    release(true, "The node was closed");
  }

  /**
   * Ends as a crashed process would, for tests and demonstrations: sockets are closed, nobody is
   * told.
   */
  public void kill() {
    release(false, "The node was killed");
  }

  private void release(boolean orderly, String reason) {
    if (!closedBecause.compareAndSet(null, reason)) {
      return;
    }
    engine.close();
    if (orderly) {
      membership.close();
      wire.close();
    } else {
      wire.kill();
      membership.kill();
    }
    threads.close();
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
