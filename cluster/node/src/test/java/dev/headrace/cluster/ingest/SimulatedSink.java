package dev.headrace.cluster.ingest;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.ingest.CacheSink;
import dev.headrace.cluster.cache.CallPort;
import dev.headrace.cluster.cache.EntryRequests;
import dev.headrace.replication.client.BulkCompletion;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.KeyRoutes;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.client.WriteGroups;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Timer;
import dev.headrace.stream.entry.HashSpace;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A sink of a cluster that is simulated in one thread: nodes that take one batch after the other,
 * each for a while, and keep what was written. Random faults if wanted.
 */
final class SimulatedSink {
  static final long MILLI = 1_000_000;
  private static final long HASH_SEED = 77;

  final Random random;
  final int segments;
  final int nodes;

  /** What was written, by key. */
  final Map<String, String> content = new HashMap<>();

  /** By key how often it was written. */
  final Map<String, Integer> writes = new HashMap<>();

  /** What all sinks have sent. */
  final IngestTotals totals = new IngestTotals();

  /** By node how long it is occupied by a batch. */
  final long[] serviceNanos;

  /** One write of so many is refused as if its segment had no owner; 0 for none. */
  int refusedOnceIn;

  /** Told of each value that is written. */
  Consumer<String> onWritten = value -> {};

  private final long[] busyUntilNanos;
  private final int[] primaries; // by segment
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          Comparator.comparingLong((Event event) -> event.atNanos)
              .thenComparingLong(event -> event.number));
  private final List<Consumer<HeadraceException>> endings = new ArrayList<>();
  private final Set<Written> inFlight = new LinkedHashSet<>();
  private @Nullable HeadraceException ended;
  private long nowNanos = 1;
  private long numbers;
  private long messages;

  private static final class Event {
    final long atNanos;
    final long number;
    final Runnable task;
    boolean cancelled;

    Event(long atNanos, long number, Runnable task) {
      this.atNanos = atNanos;
      this.number = number;
      this.task = task;
    }
  }

  SimulatedSink(long seed) {
    this(seed, 12, 3);
  }

  SimulatedSink(long seed, int segments, int nodes) {
    this.random = new Random(seed);
    this.segments = segments;
    this.nodes = nodes;
    this.serviceNanos = new long[nodes];
    this.busyUntilNanos = new long[nodes];
    this.primaries = new int[segments];
    for (int segment = 0; segment < segments; segment++) {
      primaries[segment] = segment % nodes;
    }
  }

  CacheSink<String, String> sink() {
    SinkEnvironment environment =
        new SinkEnvironment(
            "simulated",
            () -> new HashSpace(segments, HASH_SEED),
            segment -> id(primaries[segment]),
            id -> "node-" + id.low(),
            new Port(),
            timer(),
            task -> at(0, task),
            this::whenEnded,
            totals,
            random::nextLong);
    return SinkPlan.of(() -> environment, new Texts());
  }

  private Runnable whenEnded(Consumer<HeadraceException> task) {
    HeadraceException reason = ended;
    if (reason != null) {
      task.accept(reason);
    }
    endings.add(task);
    return () -> endings.remove(task);
  }

  /** The node's life ends: what is under way is over, and no timer rings any more. */
  void endLife(HeadraceException reason) {
    ended = reason;
    List.copyOf(inFlight).forEach(written -> fail(written, Failure.UNKNOWN));
    List.copyOf(endings).forEach(task -> task.accept(reason));
  }

  private static NodeId id(int node) {
    return new NodeId(1, node);
  }

  // ---- Time

  long nowNanos() {
    return nowNanos;
  }

  void at(long delayNanos, Runnable task) {
    events.add(new Event(nowNanos + delayNanos, numbers++, task));
  }

  private Timer timer() {
    return new Timer() {
      @Override
      public long nanoTime() {
        return nowNanos;
      }

      @Override
      public Cancellable schedule(long delayNanos, Runnable task) {
        Runnable unlessEnded =
            () -> {
              if (ended == null) {
                task.run();
              }
            };
        Event event = new Event(nowNanos + delayNanos, numbers++, unlessEnded);
        events.add(event);
        return () -> event.cancelled = true;
      }
    };
  }

  /** Runs until nothing is left to be done. */
  void run() {
    for (Event event = events.poll(); event != null; event = events.poll()) {
      if (!event.cancelled) {
        nowNanos = Math.max(nowNanos, event.atNanos);
        event.task.run();
      }
    }
  }

  /** A segment moves to another node. */
  void move(int segment, int node) {
    primaries[segment] = node;
  }

  long messages() {
    return messages;
  }

  // ---- Nodes

  /** By identity: every attempt is one. */
  private static final class Written {
    final Request request;
    final Completion completion;

    Written(Request request, Completion completion) {
      this.request = request;
      this.completion = completion;
    }
  }

  private final class Port implements CallPort {
    @Override
    public Batch batch() {
      Map<Integer, List<Written>> byNode = new LinkedHashMap<>();
      HashSpace space = new HashSpace(segments, HASH_SEED);
      return new Batch() {
        @Override
        public void submit(Request request, Completion completion) {
          int segment = space.segment(space.hash(request.key()));
          Written written = new Written(request, completion);
          inFlight.add(written);
          if (ended != null) {
            fail(written, Failure.UNAVAILABLE);
            return;
          }
          byNode.computeIfAbsent(primaries[segment], none -> new ArrayList<>()).add(written);
        }

        @Override
        public void send() {
          byNode.forEach(SimulatedSink.this::arrive);
        }
      };
    }

    @Override
    public @Nullable OperationReply readHere(Request get) {
      throw new AssertionError("a sink does not read");
    }

    @Override
    public void submit(Request request, Completion completion) {
      throw new AssertionError("a sink writes in batches");
    }

    @Override
    public @Nullable KeyRoutes readRoutes(EncodedKeys keys) {
      throw new AssertionError("a sink does not read");
    }

    @Override
    public WriteGroups group(EncodedWrites writes) {
      return WriteGroups.alone(writes);
    }

    @Override
    public @Nullable KeyRoutes writeRoutes(EncodedKeys keys) {
      throw new AssertionError("a sink routes by itself");
    }

    @Override
    public void ask(NodeId node, BulkRead read, BulkCompletion completion) {
      throw new AssertionError("a sink does not read");
    }
  }

  /** A node takes what has come, when it has done with what came before. */
  private void arrive(int node, List<Written> batch) {
    messages++;
    long begin = Math.max(nowNanos, busyUntilNanos[node]);
    busyUntilNanos[node] = begin + serviceNanos[node];
    at(busyUntilNanos[node] - nowNanos, () -> batch.forEach(this::write));
  }

  private void write(Written written) {
    long delay = refusedOnceIn == 0 ? 0 : random.nextInt(3_000_000);
    if (refusedOnceIn > 0 && random.nextInt(refusedOnceIn) == 0) {
      Failure failure = random.nextBoolean() ? Failure.UNAVAILABLE : Failure.OVERLOADED;
      at(delay, () -> fail(written, failure));
      return;
    }
    // Two writes of a key that are under way together could be carried out in any order.
    at(
        refusedOnceIn == 0 ? 0 : random.nextInt(3_000_000),
        () -> {
          Request request = written.request;
          String key = new String(request.key(), StandardCharsets.UTF_8);
          String value = new String(request.value(), StandardCharsets.UTF_8);
          boolean absent = !content.containsKey(key);
          boolean applied = request.kind() == Kind.PUT || absent;
          if (applied) {
            content.put(key, value);
            onWritten.accept(value);
            writes.merge(key, 1, Integer::sum);
          }
          OperationReply reply = new OperationReply(1, Outcome.DONE, applied, null, 1, 1, 0, 1);
          at(delay, () -> done(written, reply));
        });
  }

  private void done(Written written, OperationReply reply) {
    if (inFlight.remove(written)) {
      written.completion.done(reply);
    }
  }

  private void fail(Written written, Failure failure) {
    if (inFlight.remove(written)) {
      written.completion.failed(new OperationFault(failure, "refused", FaultScope.NONE, null));
    }
  }

  /** Keys and values as UTF-8. */
  private static final class Texts implements EntryRequests<String, String> {
    @Override
    public Request set(boolean ifAbsent, String key, String value, @Nullable Duration lifespan) {
      Kind kind = ifAbsent ? Kind.PUT_IF_ABSENT : Kind.PUT;
      return Request.set(kind, "simulated", 1, keyOf(key), valueAlone(value), 0, false);
    }

    @Override
    public byte[] valueAlone(String value) {
      return value.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] keyOf(String key) {
      return key.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public long expiryMillisOf(@Nullable Duration lifespan) {
      return 0;
    }

    @Override
    public Request set(byte[] key, byte[] value, long expiryMillis) {
      return Request.set(Kind.PUT, "simulated", 1, key, value, expiryMillis, false);
    }

    @Override
    public String decodeKey(byte[] key) {
      return new String(key, StandardCharsets.UTF_8);
    }
  }

  /** Latencies of a load of values, from when they were sent until they were acknowledged. */
  Latencies append(
      Function<CacheSink<String, String>, CacheSink<String, String>> change,
      int valueBytes,
      int perSecond,
      long burstNanos,
      int bursts) {
    return new Latencies(this, change.apply(sink()), valueBytes, perSecond, burstNanos, bursts);
  }
}
