package dev.headrace.cluster.node.simulation;

import dev.headrace.api.NodeSettings;
import dev.headrace.cluster.membership.Membership;
import dev.headrace.cluster.membership.MembershipListener;
import dev.headrace.cluster.message.MessageGroup;
import dev.headrace.cluster.node.simulation.oracle.StreamBounds;
import dev.headrace.cluster.read.BatchBuffers;
import dev.headrace.cluster.read.LocalReads;
import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Timer;
import dev.headrace.stream.Transport;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.batch.ReadRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * A node that lives in a {@link World}: its engine, and the ports of the engine.
 *
 * <p>Whatever happens on a node goes through {@link #run}: a crashed node does nothing any more, a
 * paused one everything later, a slow one one thing after the other.
 */
public final class SimulatedNode {
  private static final long USER_TASK_MICROS = 300;

  public final NodeId id;
  public final NodeSettings settings;
  public final Engine engine;
  public boolean alive = true;

  /** Whether it has been paused in its life. */
  boolean wasPaused;

  /** Batches made for this node and not released yet. */
  public int batchesInUse;

  /** The newest view that the node has been told of. */
  MemberView view = new MemberView(0, List.of());

  /** How long one event occupies the node. */
  long eventNanos;

  private long lanesNanos; // when the last task of the lanes is due

  /** The node's monotonic clock. */
  final NodeClock clock;

  private final World world;
  private final long tickNanos;
  private long busyUntilNanos;
  private long pausedUntilNanos;
  private int waiting; // what is due here and has to wait until the node goes on
  private long lastEpoch = -1;

  SimulatedNode(World world, NodeId id, NodeSettings settings, Engine.Maker maker) {
    this.world = world;
    this.id = id;
    this.settings = settings;
    this.tickNanos = (4 + world.time.random.nextInt(16)) * SimulatedTime.MILLI;
    this.clock = new NodeClock(world.time);
    Member member =
        new Member(id, settings.nodeName(), "sim", 1, settings.zone(), settings.capacity());
    engine = maker.make(this, member);
    tick();
  }

  public boolean holdsSegments() {
    return settings.capacity() > 0;
  }

  /** Whether it has joined and still takes part. */
  public boolean ready() {
    return alive && engine.table() != null;
  }

  /** Whether little may be kept in memory for a segment. */
  public boolean isNarrow() {
    return world.narrow;
  }

  /** How large a segment may be whose entries come with the order to begin a copy. */
  public int carriedBytes() {
    return world.carriedBytes;
  }

  boolean paused() {
    return pausedUntilNanos > world.time.nanoTime();
  }

  /** Whether anything is due that has not happened here yet. */
  boolean isBehind() {
    return waiting > 0;
  }

  /** From now on nothing happens here for a while; then everything that was due. */
  void pause(long millis) {
    wasPaused = true;
    pausedUntilNanos = world.time.nanoTime() + millis * SimulatedTime.MILLI;
    busyUntilNanos = pausedUntilNanos;
    world.time.schedule(millis * SimulatedTime.MILLI, this::countIfGivenUp);
  }

  /** Whether the others have gone on without it, if only until it is back. */
  private void countIfGivenUp() {
    SegmentTable newest = world.newestTable();
    if (alive
        && holdsSegments()
        && newest != null
        && (newest.member(id) == null || newest.isAbsent(id))) {
      world.count(Fault.PAUSED_AND_EXCLUDED);
    }
  }

  /** The node goes on at its usual speed. */
  void recover() {
    busyUntilNanos = 0;
    eventNanos = 0;
  }

  private void tick() {
    world.time.schedule(
        world.coarse ? 10 * tickNanos : tickNanos,
        () ->
            run(
                () -> {
                  engine.tick(clock.nanoTime());
                  tick();
                }));
  }

  /** Runs something here, as soon as the node can. */
  public void run(Runnable task) {
    if (!alive) {
      return;
    }
    long now = world.time.nanoTime();
    if (busyUntilNanos > now) {
      waiting++;
      world.time.schedule(
          busyUntilNanos - now,
          () -> {
            waiting--;
            run(task);
          });
      return;
    }
    if (eventNanos > 0) {
      busyUntilNanos = now + eventNanos;
    }
    task.run();
    watch();
  }

  private void watch() {
    SegmentTable table = engine.table();
    if (alive && table != null && table.epoch() != lastEpoch) {
      lastEpoch = table.epoch();
      world.installed(this, table);
    }
    if (alive && engine.ended() != null) {
      world.ended(this);
    }
  }

  // ---- Ports of the engine

  public Membership membership() {
    return new SimulatedMembership();
  }

  public Transport transport() {
    return new Transport() {
      @Override
      public void send(NodeId to, Message message) {
        world.network.send(SimulatedNode.this, to, message);
      }

      /** What is for one connection leaves in one frame. */
      @Override
      public void send(NodeId to, List<? extends Message> messages) {
        Map<Integer, List<Message>> shares = new LinkedHashMap<>();
        for (Message message : messages) {
          int share = message.share() % settings.operationLoops();
          shares.computeIfAbsent(share, none -> new ArrayList<>()).add(message);
        }
        shares
            .values()
            .forEach(some -> send(to, some.size() == 1 ? some.get(0) : new MessageGroup(some)));
      }
    };
  }

  public ReadPort reads() {
    return (to, request, handler) -> world.network.read(this, to, request, handler);
  }

  /** Ends connections to a node that is no member any more. */
  public void forget(NodeId left) {
    world.network.breakConnections(id, left);
  }

  public Timer timer() {
    return new Timer() {
      @Override
      public long nanoTime() {
        return clock.nanoTime();
      }

      @Override
      public Cancellable schedule(long delayNanos, Runnable task) {
        return world.time.schedule(clock.worldNanos(delayNanos), () -> run(task));
      }
    };
  }

  /** Nobody's wall clock is right. */
  public long wallMillis() {
    return world.wallMillis();
  }

  /** One task after the other. */
  public Executor control() {
    return task -> world.time.schedule(0, () -> run(task));
  }

  /** One task after the other, late, and beside those of the control executor. */
  public Executor lanes() {
    return task -> {
      long now = world.time.nanoTime();
      long soon = now + world.time.delayNanos(0, USER_TASK_MICROS);
      lanesNanos = Math.max(lanesNanos, soon);
      world.time.schedule(lanesNanos - now, () -> run(task));
    };
  }

  /** Tasks run when they get a thread. */
  public Executor user() {
    return task -> world.time.schedule(world.time.delayNanos(0, USER_TASK_MICROS), () -> run(task));
  }

  public RandomGenerator random() {
    return world.time.random;
  }

  /** Where batches that this node makes are copied. */
  public BatchBuffers buffers() {
    return new SimulatedBuffers();
  }

  /** Answers a read. */
  void serve(ReadRequest request, ReadHandler handler) {
    new LocalReads(id, engine, buffers(), reads()).read(id, request, handler);
  }

  private final class SimulatedMembership implements Membership {
    @Override
    public NodeId self() {
      return id;
    }

    @Override
    public void start(MembershipListener listener) {
      throw new UnsupportedOperationException("the world starts its nodes");
    }

    @Override
    public void send(NodeId to, byte[] message) {
      world.network.control(SimulatedNode.this, to, message);
    }

    @Override
    public Executor executor() {
      return control();
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

  /** Whoever looks at a batch of this node's own after its release finds rubbish. */
  private final class SimulatedBuffers implements BatchBuffers {
    @Override
    public Buffer allocate(int bytes) {
      ByteBuffer memory = ByteBuffer.allocate(bytes);
      StreamBounds stream = world.asking();
      StreamBounds.Held held = stream == null ? null : stream.allocated(memory);
      batchesInUse++;
      return new Buffer() {
        @Override
        public ByteBuffer bytes() {
          return memory;
        }

        @Override
        public void run() {
          Arrays.fill(memory.array(), OnTheWire.RUBBISH);
          batchesInUse--;
          if (held != null) {
            held.released();
          }
        }
      };
    }

    @Override
    public long usedBytes() {
      return 0;
    }
  }
}
