package dev.headrace.replication.client;

import dev.headrace.api.error.FaultScope;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Notices;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.replication.lane.Lanes;
import dev.headrace.replication.message.BulkRead;
import dev.headrace.replication.message.BulkReadReply;
import dev.headrace.replication.message.EncodedEntries;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.replication.message.OperationId;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.StripedPermits;
import dev.headrace.stream.Transport;
import dev.headrace.stream.entry.HashSpace;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gets operations done by the nodes that own their segments.
 *
 * <p>A mutation goes to the primary, a GET to this node if it owns the segment and else to the
 * primary first and to the other owners after; if one takes longer than {@link Hedging} allows, a
 * second one is asked, too. An operation is sent again under the same number when its owners
 * change, when the connection is lost, when the node was not ready, and when no answer comes; the
 * lanes see to it that it happens once. When its time is up a GET is unavailable, and a mutation
 * that some node may have got is unknown.
 *
 * <p>Thread-safe; no lock is held while something is sent or a completion is called.
 */
public final class OperationClient implements TableListener {
  /**
   * The most operations under way or waiting at the same time; more are refused as overload. Of one
   * segment no more than {@link SequenceWindow#CAPACITY} are under way, the others wait for these.
   */
  public static final int MAX_OUTSTANDING = 1 << 16;

  /** Shares of the segments; those of one share have their numbers in common. */
  static final int WINDOWS = OperationId.SHARES;

  private final NodeId self;
  private final Transport transport;
  private final Notices notices;
  private final AtomicReferenceArray<@Nullable SequenceWindow> windows =
      new AtomicReferenceArray<>(WINDOWS);
  private final StripedPermits outstanding = new StripedPermits(MAX_OUTSTANDING, MAX_OUTSTANDING);
  private final Questions questions;
  private final Hedging hedging = new Hedging();
  private final Receipts receipts;
  private final Consumer<Call> attempt = this::attempt; // made once, not for each call that ends
  private final Object tables = new Object(); // held while one table replaces another
  private volatile @Nullable Known known;
  private volatile boolean closed;
  private volatile @Nullable String retired; // written before closed

  /** A table, and how it hashes keys. */
  private record Known(SegmentTable table, HashSpace space) {
    static Known of(SegmentTable table, @Nullable Known before) {
      if (before != null
          && before.table.segments() == table.segments()
          && before.table.hashSeed() == table.hashSeed()) {
        return new Known(table, before.space);
      }
      return new Known(table, new HashSpace(table.segments(), table.hashSeed()));
    }

    /** The segment of a request; -1 if it was made for another cluster's. */
    int segment(Request request) {
      if (request.kind().keyed()) {
        return space.segment(space.hash(request.key()));
      }
      byte[] entries = request.value();
      boolean elsewhere =
          request.kind().ofMany()
              && entries != null
              && EncodedEntries.firstSegment(entries, space) != request.segment();
      return elsewhere ? -1 : request.segment();
    }
  }

  /**
   * @param transport takes messages to this node too
   * @param notices tells a node that is behind the newer table
   */
  public OperationClient(NodeId self, Transport transport, Notices notices) {
    this.self = self;
    this.transport = transport;
    this.notices = notices;
    this.questions = new Questions(transport, hedging);
    this.receipts = new Receipts(transport);
  }

  /** How many operations are under way or wait; exact while none begins or ends. */
  public int outstanding() {
    return (int) outstanding.taken();
  }

  /**
   * Begins an operation.
   *
   * @param timeoutNanos when it ends without a result, to the accuracy of a tick or two
   */
  public void submit(Request request, long timeoutNanos, Completion completion) {
    submit(request, timeoutNanos, completion, transport);
  }

  /** Begins operations that leave together. */
  public Batch batch() {
    return new Batch();
  }

  /**
   * Operations that are begun one after the other and first sent together, if they go to one node;
   * for one thread.
   */
  public final class Batch {
    private final Bundle bundle = new Bundle(transport);

    /** Begins an operation, as {@link OperationClient#submit} does; it leaves now or later. */
    public void submit(Request request, long timeoutNanos, Completion completion) {
      OperationClient.this.submit(request, timeoutNanos, completion, bundle);
    }

    /** Sends what has not been sent. */
    public void send() {
      bundle.release();
    }
  }

  private void submit(
      Request request, long timeoutNanos, Completion completion, Transport firstTransport) {
    Known now = known;
    if (closed) {
      String reason = retired;
      Failure failure = reason == null ? Failure.CLOSED : Failure.UNAVAILABLE;
      String text = reason == null ? "This node was closed; start another" : reason;
      completion.failed(OperationFault.of(failure, text, request));
      return;
    }
    if (now == null) {
      String text = "This node has no segment table yet; wait until it has joined";
      completion.failed(OperationFault.of(Failure.UNAVAILABLE, text, request));
      return;
    }
    int segment = now.segment(request);
    if (segment < 0) {
      String text = "This node has joined another cluster, where the entries belong elsewhere";
      completion.failed(OperationFault.of(Failure.UNAVAILABLE, text, request));
      return;
    }
    if (!outstanding.take(1)) {
      String text = "Too many operations are under way: %d; wait for some to end";
      completion.failed(
          OperationFault.of(Failure.OVERLOADED, text.formatted(outstanding()), request));
      return;
    }
    int index = OperationId.share(segment);
    SequenceWindow window = window(index);
    if (request.kind().mutation()) {
      window.mutates();
    }
    Call call = new Call(request, completion, segment, index, timeoutNanos);
    if (window.admit(call)) {
      attempt(call, firstTransport);
    } else {
      window.beginWaiting(attempt);
    }
    if (closed) {
      close();
    }
  }

  private SequenceWindow window(int index) {
    SequenceWindow window = windows.get(index);
    if (window == null) {
      windows.compareAndSet(index, null, new SequenceWindow());
      window = windows.get(index);
    }
    return Objects.requireNonNull(window);
  }

  // ---- Many keys

  /** Where keys are to be read now; null if this node does not know. */
  public @Nullable KeyRoutes readRoutes(EncodedKeys keys) {
    Known now = known;
    return now == null ? null : KeyRoutes.reading(keys, now.space, now.table, self);
  }

  /** Where keys are to be written now; null if this node does not know. */
  public @Nullable KeyRoutes writeRoutes(EncodedKeys keys) {
    Known now = known;
    return now == null ? null : KeyRoutes.writing(keys, now.space, now.table);
  }

  /**
   * Groups writes, so that they are as few operations as they can be.
   *
   * @param writes not changed from now on
   */
  public WriteGroups group(EncodedWrites writes) {
    Known now = known;
    return now == null ? WriteGroups.alone(writes) : WriteGroups.of(writes, now.space, now.table);
  }

  /**
   * Asks a node, which may be this one, for many values, once. If it takes longer than {@link
   * Hedging} allows, and there are others, these are to be asked; if no answer comes within half a
   * second, or the connection is lost, it ends without one.
   *
   * @param read its number does not matter
   */
  public void ask(NodeId node, BulkRead read, BulkCompletion completion) {
    questions.ask(node, read, completion);
    if (closed) {
      questions.endAll();
    }
  }

  /** A node has answered a bulk read. */
  public void replied(NodeId from, BulkReadReply reply) {
    questions.replied(from, reply);
  }

  // ---- Attempts

  private void attempt(Call call) {
    attempt(call, transport);
  }

  private void attempt(Call call, Transport through) {
    Known now = known;
    while (now != null) {
      SegmentTable table = now.table;
      if (table.ownerCount(call.segment()) == 0) {
        giveUp(call, table.whyUnowned(call.segment()), table.missingNodes(call.segment()));
        return;
      }
      NodeId target;
      int attempt;
      synchronized (call) {
        if (call.ending()) {
          return;
        }
        target = call.aim(table, self);
        attempt = call.attempt();
      }
      if (attempt > 1) {
        call.completion().resent();
      }
      if (target == null) {
        fail(
            call,
            Failure.UNKNOWN,
            "was asked for it before this node was excluded from the cluster and admitted again");
        return;
      }
      send(target, call, attempt, table, through);
      // A table that came in between may not have found this call on its way.
      now = changedSince(now, call.segment());
    }
  }

  /** Asks another owner for a read, too, if the one that was asked takes long. */
  private void hedge(Call call, long nowNanos) {
    Known now = known;
    NodeId second = now == null ? null : call.hedge(nowNanos, hedging);
    if (now != null && second != null) {
      send(second, call, call.attempt(), now.table, transport);
    }
  }

  private void send(NodeId to, Call call, int attempt, SegmentTable table, Transport through) {
    SequenceWindow window = window(call.window());
    OperationId id =
        new OperationId(
            self,
            wire(call.number(), call.window()),
            wire(window.oldest(), call.window()),
            attempt);
    through.send(to, call.request().operation(id, call.segment(), table));
  }

  private @Nullable Known changedSince(Known before, int segment) {
    Known now = known;
    return now != null
            && now.space == before.space
            && now.table.segmentEpoch(segment) != before.table.segmentEpoch(segment)
        ? now
        : null;
  }

  /** A number as other nodes know it. */
  static long wire(long number, int window) {
    return number << OperationId.SHARE_BITS | window;
  }

  public void replied(NodeId from, OperationReply reply) {
    SequenceWindow window = windows.get(OperationId.share(reply.sequence()));
    Call call = window == null ? null : window.find(reply.sequence() >>> OperationId.SHARE_BITS);
    if (call == null) {
      return;
    }
    switch (reply.outcome()) {
      case DONE -> {
        if (end(call)) {
          call.answeredBy(from, hedging);
          if (call.request().kind().mutation()) {
            receipts.received(reply.value());
          }
          call.completion().done(reply);
        }
      }
      case STALE -> refused(call, from, reply);
      case UNKNOWN -> fail(call, Failure.UNKNOWN, "came too late to be told from a repetition");
      case UNAVAILABLE ->
          decline(call, reply, Failure.UNAVAILABLE, "has fewer owners than a write needs");
      case WRONG_FORMAT ->
          end(
              call,
              Failure.WRONG_FORMAT,
              "Cache \"%s\" holds keys or values of another format"
                  .formatted(call.request().cache()),
              List.of(),
              null);
      case TOO_LARGE -> fail(call, Failure.TOO_LARGE, "takes no entry of this size");
      case TOO_MANY_CACHES ->
          decline(
              call,
              reply,
              Failure.TOO_MANY_CACHES,
              "cannot be opened: there are %d caches already".formatted(Lanes.MAX_CACHES));
      case MEMORY_FULL -> memoryFull(call, reply);
    }
  }

  private void decline(Call call, OperationReply reply, Failure failure, String reason) {
    decline(call, reply, failure, reason, null);
  }

  private void memoryFull(Call call, OperationReply reply) {
    String node = reply.fullNode();
    String reason = "has an owner without room for the entry";
    decline(call, reply, Failure.MEMORY_FULL, node == null ? reason : reason + ": " + node, node);
  }

  /**
   * The primary does not carry out an attempt. Others may have come further: their answers are
   * waited for, if any can come.
   */
  private void decline(
      Call call, OperationReply reply, Failure failure, String reason, @Nullable String fullNode) {
    switch (call.declinedForGood(reply.number())) {
      case WAIT -> {}
      case NOT_CARRIED_OUT -> end(call, failure, text(call, reason), List.of(), fullNode);
      case UNKNOWN -> end(call, Failure.UNKNOWN, text(call, reason), List.of(), fullNode);
    }
  }

  private void refused(Call call, NodeId from, OperationReply reply) {
    Known now = known;
    SegmentTable table = now == null ? null : now.table;
    boolean again = call.refused(from, reply.number(), table);
    if (table != null && reply.epoch() < table.epoch() && !from.equals(self)) {
      notices.outdated(from, reply.epoch());
    }
    if (again) {
      attempt(call);
    }
  }

  // ---- Ends

  private boolean end(Call call) {
    SequenceWindow window = window(call.window());
    if (!window.end(call)) {
      return false;
    }
    outstanding.giveBack(1);
    window.beginWaiting(attempt);
    return true;
  }

  /** Ends a call without a result; what some node may have got is unknown. */
  private void giveUp(Call call, String reason, List<String> missing) {
    fail(call, call.uncertain() ? Failure.UNKNOWN : Failure.UNAVAILABLE, reason, missing);
  }

  private void fail(Call call, Failure failure, String reason) {
    fail(call, failure, reason, List.of());
  }

  private void fail(Call call, Failure failure, String reason, List<String> missing) {
    end(call, failure, text(call, reason), missing, null);
  }

  private String text(Call call, String reason) {
    Known now = known;
    String epoch = now == null ? "no epoch" : "epoch " + Epoch.toString(now.table.epoch());
    return "Segment %d of cache \"%s\" %s (%s, %s)"
        .formatted(call.segment(), call.request().cache(), reason, epoch, call.describe());
  }

  private void end(
      Call call, Failure failure, String message, List<String> missing, @Nullable String fullNode) {
    if (end(call)) {
      FaultScope scope = new FaultScope(call.request().cache(), List.of(call.segment()), missing);
      call.completion().failed(new OperationFault(failure, message, scope, fullNode));
    }
  }

  // ---- Events

  /** The node has a newer table; an older one is ignored. */
  @Override
  public void onTable(TableDelta delta, SegmentTable table) {
    Known before;
    Known now;
    synchronized (tables) {
      before = known;
      if (before != null
          && before.table.clusterId() == table.clusterId()
          && table.epoch() <= before.table.epoch()) {
        return;
      }
      now = Known.of(table, before);
      known = now;
    }
    receipts.tellAgain();
    hedging.onTable(delta, table);
    if (before != null && before.space != now.space) {
      questions.endAll();
      String reason = "is gone: this node has joined another cluster; try again";
      endAll(call -> giveUp(call, reason, List.of()));
      return;
    }
    Bundle bundle = new Bundle(transport);
    forEachCall(
        call -> {
          if (call.movedBy(table, self)) {
            attempt(call, bundle);
          }
        });
    bundle.release();
  }

  /** What was sent to a node, or by it, may be lost. */
  public void disconnected(NodeId node) {
    questions.disconnected(node);
    receipts.tellAgain();
    forEachCall(call -> call.lost(node));
  }

  /**
   * Time goes on; by one thread, every few milliseconds.
   *
   * @param nowNanos a monotonic clock
   */
  public void tick(long nowNanos) {
    questions.tick(nowNanos);
    Known now = known;
    if (now != null) {
      receipts.tick(nowNanos, now.table, windows::get);
    }
    if (outstanding() <= 0) {
      return; // What begins at this moment is seen by the next tick.
    }
    forEachWaiting(
        call -> {
          if (call.overdue(nowNanos)) {
            String reason = "could not be asked: too many operations are under way there";
            fail(call, Failure.UNAVAILABLE, reason);
          }
        });
    Bundle bundle = new Bundle(transport);
    forEachCall(
        call -> {
          if (call.overdue(nowNanos)) {
            giveUp(call, "has not answered in time", call.silent());
          } else if (call.rested(nowNanos)) {
            attempt(call, bundle);
          } else {
            hedge(call, nowNanos);
          }
        });
    bundle.release();
  }

  /** Ends all operations as closed, and refuses new ones. */
  public void close() {
    closed = true;
    questions.endAll();
    String reason = retired;
    endAll(
        reason == null
            ? call -> fail(call, Failure.CLOSED, "was given up because this node was closed")
            : call -> giveUp(call, "was given up: " + reason, List.of()));
  }

  /**
   * As {@link #close}, but the node goes on with another caller in this one's place: what was under
   * way and may have changed something is of unknown outcome, everything else was not carried out.
   */
  public void retire(String reason) {
    retired = reason;
    close();
  }

  private void endAll(Consumer<Call> end) {
    forEachWaiting(end);
    forEachCall(end);
  }

  private void forEachWaiting(Consumer<Call> action) {
    for (int index = 0; index < WINDOWS; index++) {
      SequenceWindow window = windows.get(index);
      if (window != null) {
        window.waiting().forEach(action);
      }
    }
  }

  private void forEachCall(Consumer<Call> action) {
    for (int index = 0; index < WINDOWS; index++) {
      SequenceWindow window = windows.get(index);
      if (window != null) {
        long next = window.next();
        for (long number = window.oldest(); number < next; number++) {
          Call call = window.find(number);
          if (call != null) {
            action.accept(call);
          }
        }
      }
    }
  }
}
