package dev.headrace.cluster.node;

import dev.headrace.api.NodeSettings;
import dev.headrace.cluster.membership.Membership;
import dev.headrace.cluster.membership.MembershipListener;
import dev.headrace.cluster.wire.ReadReply;
import dev.headrace.rebalance.table.Member;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Timer;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;

/** A node engine of the production code on simulated ports. */
final class SimulatedNode {
  private static final int MAX_ANSWER_BYTES = 1 << 16;

  final NodeId id;
  final NodeEngine engine;
  boolean alive = true;

  /** Batches made for this node and not released yet. */
  int batchesInUse;

  private final SimulatedCluster cluster;

  SimulatedNode(SimulatedCluster cluster, NodeId id, NodeSettings settings) {
    this.cluster = cluster;
    this.id = id;
    Executor later = task -> cluster.time.schedule(0, whileAlive(task));
    Timer timer = new AliveTimer();
    NodePorts ports =
        new NodePorts(
            new SimulatedMembership(),
            (to, message) -> cluster.send(this, to, message),
            to -> false,
            (node, request, handler) -> cluster.read(this, node, request, handler),
            left -> cluster.forget(this, left),
            timer,
            1_000_000,
            later,
            later,
            cluster.time.random);
    Member member =
        new Member(id, settings.nodeName(), "sim", 1, settings.zone(), settings.capacity());
    engine = new NodeEngine(settings, member, ports);
    tick();
  }

  private void tick() {
    cluster.time.schedule(
        5_000_000,
        () -> {
          if (alive) {
            engine.tick(cluster.time.nanoTime());
            tick();
          }
        });
  }

  /** Nothing of a crashed node runs any more. */
  private Runnable whileAlive(Runnable task) {
    return () -> {
      if (alive) {
        task.run();
      }
    };
  }

  /** Answers a read of its own or of another node, at once. */
  void serve(SimulatedNode asker, ReadRequest request, ReadHandler handler) {
    engine.read(request, new Reply(asker, request, handler));
  }

  private final class AliveTimer implements Timer {
    @Override
    public long nanoTime() {
      return cluster.time.nanoTime();
    }

    @Override
    public Cancellable schedule(long delayNanos, Runnable task) {
      return cluster.time.schedule(delayNanos, whileAlive(task));
    }
  }

  private final class SimulatedMembership implements Membership {
    @Override
    public NodeId self() {
      return id;
    }

    @Override
    public void start(MembershipListener listener) {
      throw new UnsupportedOperationException("the simulated cluster starts its nodes");
    }

    @Override
    public void send(NodeId to, byte[] message) {
      cluster.control(SimulatedNode.this, to, message);
    }

    @Override
    public void close() {
      alive = false;
    }

    @Override
    public void kill() {
      alive = false;
    }
  }

  private static final class Reply implements ReadReply {
    private final SimulatedNode asker;
    private final ReadHandler handler;
    private final ByteBuffer buffer;

    Reply(SimulatedNode asker, ReadRequest request, ReadHandler handler) {
      this.asker = asker;
      this.handler = handler;
      this.buffer = ByteBuffer.allocate(Math.min(request.maxBytes(), MAX_ANSWER_BYTES));
    }

    @Override
    public ByteBuffer entries(int capacityBytes) {
      return buffer;
    }

    @Override
    public void answer(long epoch, List<SegmentPart> parts, long entryBytes) {
      ByteBuffer entries = buffer.duplicate().flip();
      asker.batchesInUse++;
      handler.received(
          new Batch(epoch, entries, List.copyOf(parts), entryBytes, () -> asker.batchesInUse--));
    }

    @Override
    public void fail(String reason) {
      handler.failed(new IllegalStateException(reason));
    }
  }
}
