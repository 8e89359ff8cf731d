package dev.headrace.cluster.call;

import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.UnavailableException;
import dev.headrace.cluster.cache.CallPort;
import dev.headrace.replication.client.BulkCompletion;
import dev.headrace.replication.client.Completion;
import dev.headrace.replication.client.EncodedWrites;
import dev.headrace.replication.client.Failure;
import dev.headrace.replication.client.KeyRoutes;
import dev.headrace.replication.client.OperationClient;
import dev.headrace.replication.client.OperationFault;
import dev.headrace.replication.client.Request;
import dev.headrace.replication.client.WriteGroups;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.StripedPermits;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadPort;
import dev.headrace.stream.batch.SuspendedException;
import dev.headrace.stream.pull.StreamObserver;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's own calls: reads of its own replicas and requests to other nodes. Refuses both when
 * the node is closed or its part of the cluster must not go on. Thread-safe.
 */
public final class NodeCalls implements CallPort {
  private static final Logger LOG = LoggerFactory.getLogger(NodeCalls.class);

  /** The bytes of larger requests are counted; smaller ones are bounded by their number. */
  private static final int COUNTED_BYTES = 1 << 10;

  /** The bound of the bytes of all counted requests under way is at least this. */
  private static final long MIN_BYTES_UNDER_WAY = 128 << 20;

  private static final String BULK_READ = "get-all";

  /** What each kind of operation is called to observers. */
  private static final Map<Operation.Kind, String> NAMES = new EnumMap<>(Operation.Kind.class);

  static {
    for (Operation.Kind kind : Operation.Kind.values()) {
      NAMES.put(kind, kind.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
  }

  /** What a thread takes of the bound at once, so that many threads seldom meet there. */
  private static final long CHUNK_BYTES = 256 << 10;

  private final Lanes lanes;
  private final OperationClient caller;
  private final Supplier<List<String>> missingNodes;
  private final long timeoutNanos;
  private final long maxBytes;
  private final StripedPermits bytesInFlight;
  private final LongSupplier nanoTime;
  private volatile @Nullable CallObserver observer;
  private volatile @Nullable StreamObserver streamObserver;
  private volatile @Nullable String suspendedBecause;

  /** Who is to be told of the end, by numbers, so that a simulation always tells in one order. */
  private final Map<Long, Consumer<HeadraceException>> endings = new ConcurrentHashMap<>();

  private final AtomicLong endingNumbers = new AtomicLong();
  private volatile boolean closed;

  /** Why another life follows; null if none does. */
  private volatile @Nullable String retiredBecause;

  /**
   * @param missingNodes the names of the nodes without which this node must not go on
   * @param nanoTime a monotonic clock
   */
  public NodeCalls(
      NodeSettings settings,
      Lanes lanes,
      OperationClient caller,
      Supplier<List<String>> missingNodes,
      LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.lanes = lanes;
    this.caller = caller;
    this.missingNodes = missingNodes;
    this.timeoutNanos = settings.operationTimeout().toNanos();
    this.maxBytes = Math.max(MIN_BYTES_UNDER_WAY, 2L * settings.maxEntryBytes());
    this.bytesInFlight = new StripedPermits(maxBytes, CHUNK_BYTES);
  }

  @Override
  public @Nullable OperationReply readHere(Request get) {
    checkOpen();
    OperationReply reply = lanes.readHere(get.cache(), get.format(), get.key(), get.wantPrevious());
    if (reply == null || suspendedBecause != null) { // checked after the read
      return null;
    }
    CallObserver watching = observer;
    if (watching != null) {
      watching.readHere();
    }
    return reply;
  }

  @Override
  public void submit(Request request, Completion completion) {
    submit(request, completion, caller::submit);
  }

  @Override
  public Batch batch() {
    OperationClient.Batch batch = caller.batch();
    return new Batch() {
      @Override
      public void submit(Request request, Completion completion) {
        NodeCalls.this.submit(request, completion, batch::submit);
      }

      @Override
      public void send() {
        batch.send();
      }
    };
  }

  /** Hands an operation to the operation client. */
  private interface Submission {
    void submit(Request request, long timeoutNanos, Completion completion);
  }

  private void submit(Request request, Completion completion, Submission way) {
    CallObserver watching = observer;
    submitWatched(
        request,
        watching == null ? completion : new Watched(completion, request.kind(), watching),
        way);
  }

  private void submitWatched(Request request, Completion completion, Submission way) {
    String reason = suspendedBecause;
    if (reason != null && !closed) {
      completion.failed(
          OperationFault.of(Failure.UNAVAILABLE, reason, request).missing(missingNodes.get()));
      return;
    }
    long bytes = request.bytes();
    if (bytes <= COUNTED_BYTES) {
      way.submit(request, timeoutNanos, completion);
    } else if (bytesInFlight.take(bytes) || isAlone(bytes)) {
      way.submit(request, timeoutNanos, new Counted(completion, bytes));
    } else {
      completion.failed(
          OperationFault.of(
              Failure.OVERLOADED,
              "More than %d bytes of cache \"%s\" and others are being written; wait for some to end"
                  .formatted(maxBytes, request.cache()),
              request));
    }
  }

  /** Takes the bytes of a request that is larger than the bound if no other is under way. */
  private boolean isAlone(long bytes) {
    boolean alone = bytesInFlight.taken() == 0;
    if (alone) {
      bytesInFlight.takeAnyway(bytes);
    }
    return alone;
  }

  @Override
  public @Nullable KeyRoutes readRoutes(EncodedKeys keys) {
    return caller.readRoutes(keys);
  }

  @Override
  public @Nullable KeyRoutes writeRoutes(EncodedKeys keys) {
    return caller.writeRoutes(keys);
  }

  @Override
  public WriteGroups group(EncodedWrites writes) {
    return caller.group(writes);
  }

  @Override
  public void ask(NodeId node, BulkRead read, BulkCompletion completion) {
    if (suspendedBecause == null) {
      CallObserver watching = observer;
      caller.ask(node, read, watching == null ? completion : new WatchedRead(completion, watching));
    } else {
      completion.ended(null);
    }
  }

  /** Tells these of operations and streams from now on; null for nobody. */
  public void observe(@Nullable CallObserver watching, @Nullable StreamObserver watchingStreams) {
    observer = watching;
    streamObserver = watchingStreams;
  }

  /** Who is told of streams that begin; null if nobody is. */
  @Nullable StreamObserver streamObserver() {
    return streamObserver;
  }

  /** Tells how long it took. */
  private final class Watched implements Completion {
    private final Completion completion;
    private final String operation;
    private final CallObserver watching;
    private final long begunNanos = nanoTime.getAsLong();

    Watched(Completion completion, Operation.Kind kind, CallObserver watching) {
      this.completion = completion;
      this.operation = NAMES.getOrDefault(kind, "");
      this.watching = watching;
    }

    private void ended(boolean failed) {
      watching.ended(operation, nanoTime.getAsLong() - begunNanos, failed);
    }

    @Override
    public void done(OperationReply reply) {
      ended(false);
      completion.done(reply);
    }

    @Override
    public void resent() {
      completion.resent();
    }

    @Override
    public void failed(OperationFault fault) {
      ended(true);
      completion.failed(fault);
    }
  }

  /** Tells how long one node took for its part of a bulk read. */
  private final class WatchedRead implements BulkCompletion {
    private final BulkCompletion completion;
    private final CallObserver watching;
    private final long begunNanos = nanoTime.getAsLong();

    WatchedRead(BulkCompletion completion, CallObserver watching) {
      this.completion = completion;
      this.watching = watching;
    }

    private void ended(boolean failed) {
      watching.ended(BULK_READ, nanoTime.getAsLong() - begunNanos, failed);
    }

    @Override
    public void ended(@Nullable BulkReadReply reply) {
      ended(reply == null);
      completion.ended(reply);
    }

    @Override
    public boolean hasOthers() {
      return completion.hasOthers();
    }

    /** Another one is asked instead, and tells how long it took. */
    @Override
    public void slow() {
      completion.slow();
    }
  }

  /** Returns its counted bytes when it ends. */
  private final class Counted implements Completion {
    private final Completion completion;
    private final long bytes;

    Counted(Completion completion, long bytes) {
      this.completion = completion;
      this.bytes = bytes;
    }

    @Override
    public void done(OperationReply reply) {
      bytesInFlight.giveBack(bytes);
      completion.done(reply);
    }

    @Override
    public void resent() {
      completion.resent();
    }

    @Override
    public void failed(OperationFault fault) {
      bytesInFlight.giveBack(bytes);
      completion.failed(fault);
    }
  }

  /** Whether keys and values of a format may be in a cache, as far as this node knows. */
  boolean admits(String cache, int format) {
    return lanes.admits(cache, format);
  }

  /**
   * Reads of batches, which fail while this node's part of the cluster must not go on. Those that
   * wait for an answer fail when this life ends.
   */
  ReadPort guarding(ReadPort reads) {
    return (node, request, handler) -> {
      String reason = suspendedBecause;
      if (closed) {
        handler.failed(wasClosed());
      } else if (reason != null) {
        handler.failed(new SuspendedException(reason, missingNodes.get()));
      } else {
        Guarded guarded = new Guarded(handler);
        reads.read(node, request, guarded);
        guarded.awaitAnswer();
      }
    };
  }

  /**
   * Fails reads of a life that has ended with the message that the node left its cluster. The first
   * answer counts, and the end is one: whoever is to answer may never do so, such as a function
   * that blocks.
   */
  private final class Guarded implements ReadHandler {
    private final ReadHandler handler;
    private final AtomicBoolean answered = new AtomicBoolean();
    private volatile @Nullable Runnable forget;

    Guarded(ReadHandler handler) {
      this.handler = handler;
    }

    /** Has itself told of the end, unless the answer is there already. */
    void awaitAnswer() {
      if (answered.get()) {
        return;
      }
      Runnable fresh = whenEnded(reason -> failed(wasClosed()));
      forget = fresh;
      if (answered.get()) {
        fresh.run();
      }
    }

    @Override
    public void received(dev.headrace.stream.batch.Batch batch) {
      if (isFirst()) {
        handler.received(batch);
      } else {
        batch.release();
      }
    }

    @Override
    public void failed(Throwable cause) {
      if (!isFirst()) {
        return;
      }
      String reason = suspendedBecause;
      handler.failed(
          retiredBecause != null && reason != null && cause instanceof NodeClosedException
              ? new SuspendedException(reason, missingNodes.get())
              : cause);
    }

    private boolean isFirst() {
      boolean first = answered.compareAndSet(false, true);
      Runnable known = forget;
      if (first && known != null) {
        known.run();
      }
      return first;
    }
  }

  /** Why this node must not serve anything; null if it may. */
  public @Nullable String suspendedBecause() {
    return suspendedBecause;
  }

  /** Sets a suspension, or lifts it with null. */
  public void suspended(@Nullable String reason) {
    if (retiredBecause == null) {
      suspendedBecause = reason;
    }
  }

  /** Fails everything that waits and refuses new calls, because another life follows. */
  public void retire(String reason) {
    retiredBecause = reason;
    suspendedBecause = reason;
    caller.retire(reason);
    tellEnded();
  }

  public void close() {
    closed = true;
    caller.close();
    tellEnded();
  }

  private void tellEnded() {
    endings.values().forEach(this::tellSafely);
    endings.clear();
  }

  /** What one throws, such as a broken executor of a user, keeps nobody else waiting. */
  private void tellSafely(Consumer<HeadraceException> task) {
    try {
      tellIfEnded(task);
    } catch (RuntimeException | Error e) {
      LOG.error("What waited for the end of this node has failed", e);
    }
  }

  private void tellIfEnded(Consumer<HeadraceException> task) {
    String reason = retiredBecause;
    if (closed) {
      task.accept(wasClosed());
    } else if (reason != null) {
      task.accept(new UnavailableException(reason));
    }
  }

  /**
   * Runs a task when this life ends, or at once if it has; on any thread.
   *
   * @param task gets the reason: the node was closed, or moves to another cluster
   * @return forgets the task
   */
  Runnable whenEnded(Consumer<HeadraceException> task) {
    Long number = endingNumbers.getAndIncrement();
    endings.put(number, task);
    tellIfEnded(task);
    return () -> endings.remove(number);
  }

  /**
   * Checks that the node is open.
   *
   * @throws NodeClosedException after the node was closed
   */
  void checkOpen() {
    if (closed) {
      throw wasClosed();
    }
  }

  private static NodeClosedException wasClosed() {
    return new NodeClosedException("This node was closed; start another");
  }
}
