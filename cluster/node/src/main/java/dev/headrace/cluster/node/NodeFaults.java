package dev.headrace.cluster.node;

import dev.headrace.api.error.HeadraceException;
import dev.headrace.cluster.fault.CutListener;
import dev.headrace.cluster.fault.CutTransport;
import dev.headrace.cluster.fault.HeldTraffic;
import dev.headrace.cluster.membership.JGroupsMembership;
import dev.headrace.cluster.wire.WireListener;
import dev.headrace.cluster.wire.WireTransport;
import dev.headrace.stream.NodeId;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a node off from others and stops its threads, when a test wants it. One is given to one node
 * with {@link NodeTuning#withFaults}; other nodes have nothing of it in their way.
 *
 * <p>A cut is silent, as if packets were lost: no socket is closed. Control messages are lost.
 * Messages of operations and batches wait, as in the buffers of their connections, until the cut is
 * healed or the node drops the other one. Both nodes have to be cut off from each other.
 *
 * <p>A paused node hears nothing and does nothing: its event loops and its other threads stand
 * still as soon as they have ended what they do. What others send to it waits in the sockets;
 * control messages to it are lost. The threads that call the node go on until they need one of its
 * own.
 *
 * <p>Used by one thread, once the node has been started.
 */
public final class NodeFaults {
  private static final long STOP_SECONDS = 10;

  private final HeldTraffic held = new HeldTraffic();
  private volatile @Nullable CountDownLatch resumed; // while the node is paused
  private volatile @Nullable JGroupsMembership membership; // of its present life, as below
  private volatile @Nullable NodeThreads threads;
  private volatile @Nullable WireTransport wire;

  /** Faults of a node that is not started yet. */
  public NodeFaults() {}

  // ---- For the node

  WireListener between(WireListener listener) {
    return new CutListener(held, listener);
  }

  /** Stands between a node's engine and its ports. */
  NodePorts between(
      NodePorts ports, JGroupsMembership control, NodeThreads others, WireTransport transport) {
    membership = control;
    threads = others;
    wire = transport;
    control.loseTraffic(node -> resumed != null || held.isCut(node));
    CutTransport cut = new CutTransport(held, transport, transport);
    return new NodePorts(
        ports.membership(),
        cut,
        node -> ports.congested().test(node) || cut.congested(node),
        cut,
        ports.buffers(),
        cut.forgetting(ports.forget()),
        (node, refused) -> {
          if (!held.isCut(node.id())) {
            ports.door().knock(node, refused);
          }
        },
        ports.timer(),
        ports.wallMillis(),
        ports.control(),
        ports.lanes(),
        ports.changes(),
        ports.user(),
        ports.functions(),
        ports.random());
  }

  /** The node ends: its threads must go on for that, and what is held is lost. */
  void end() {
    CountDownLatch latch = resumed;
    if (latch != null) {
      latch.countDown(); // it stays deaf
    }
    held.end();
  }

  // ---- For tests

  /** The identity of the node. */
  public NodeId self() {
    return started(membership).self();
  }

  /** Cuts the node off from another one, as far as this side is concerned. */
  public void cut(NodeId other) {
    held.cut(other);
  }

  /** Ends what {@link #cut} began. Does nothing if the node is not cut off from the other. */
  public void heal(NodeId other) {
    held.heal(other);
  }

  /** Whether the node is cut off from another one. */
  public boolean isCut(NodeId other) {
    return held.isCut(other);
  }

  /**
   * Stops the node's threads. Does nothing if they are stopped.
   *
   * @throws HeadraceException if one of them does not stop within some seconds; they go on then
   */
  public void pause() {
    if (resumed != null) {
      return;
    }
    CountDownLatch latch = new CountDownLatch(1);
    resumed = latch;
    started(membership).suspectSilence(false);
    Semaphore standing = new Semaphore(0);
    Runnable stand =
        () -> {
          standing.release();
          stand(latch);
        };
    started(membership).executor().execute(stand);
    int own = 1 + started(threads).onEachOwn(stand) + started(wire).onEachLoop(stand);
    started(threads).onEachOfUsers(() -> stand(latch));
    awaitAll(standing, own);
  }

  private static void stand(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the node ends
    }
  }

  private void awaitAll(Semaphore standing, int threadCount) {
    boolean stopped = false;
    try {
      stopped = standing.tryAcquire(threadCount, STOP_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (!stopped) {
        resume();
      }
    }
    if (!stopped) {
      throw new HeadraceException(
          "The threads of node "
              + self()
              + " did not stop within "
              + STOP_SECONDS
              + " s, and go on: pause it from a thread that is not one of its own");
    }
  }

  /** Lets the node go on after {@link #pause}. Does nothing if it is not paused. */
  public void resume() {
    CountDownLatch latch = resumed;
    if (latch != null) {
      resumed = null;
      latch.countDown();
      started(membership).suspectSilence(true);
    }
  }

  private static <T> T started(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("No node has been started with these faults");
    }
    return part;
  }
}
