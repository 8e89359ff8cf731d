package dev.headrace.stream.protocol;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.FunctionFailedException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.api.error.ResumeTokenException;
import dev.headrace.api.error.StreamMemoryException;
import dev.headrace.api.error.WireException;
import dev.headrace.api.stream.Delivery;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership.View;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.batch.SegmentPart.Status;
import dev.headrace.stream.batch.SuspendedException;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.function.FunctionFault;
import dev.headrace.stream.token.ResumeToken;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of one stream: (event, now) → effects. It has no threads, no clock and no network;
 * the drain tells it what happened, calls {@link #advance}, and takes what is ready.
 *
 * <pre>
 * state    event           guard                     next      effects
 * new      plan                                      running   each segment is assigned to an owner
 * running  advance         credit is free            running   requests are sent
 * running  advance         no memory for 30 s        ending
 * running  received        well-formed               running   the batch is ready; cursors move;
 *                                                              what is not held there is assigned
 *                                                              elsewhere
 * running  received        another format            ending
 * running  received        a function has failed     ending
 * running  received        malformed                 running   as if the request had failed
 * running  failed          node closed or suspended  ending    (at most once and suspended: the
 *                                                              segments queued there are skipped)
 * running  failed          any other cause           running   the segments queued there are
 *                                                              assigned elsewhere, one by one
 * running  tick            adaptive, an answer late  running   its request is abandoned; its segments
 *                                                              are assigned to owners not tried
 * running  viewChanged     the epoch is newer        running   requests to nodes that own none of
 *                                                              their segments are abandoned;
 *                                                              queued segments follow their owners
 * running  segment lost    exactly once              ending    all lost segments are named
 * running  segment lost    at most once              running   the segment is skipped
 * running  giveBackUnread  batches wait unread       running   they are released, to be read again
 * ending   received                                  ending    the batch is still handed over
 * any      consumed                                  same      credit returns; the token advances
 * running  nothing ready   everything was received   finished
 * ending   nothing ready                             finished
 * </pre>
 *
 * <p>{@link ReadPlanner} decides which node reads which segment, {@link CreditShares} how much of
 * it is asked for and when.
 *
 * <p>Loss is final for {@link Delivery#EXACTLY_ONCE}: nothing more is asked, what was received is
 * handed over, then the stream ends with an error that names all lost segments. {@link
 * Delivery#AT_MOST_ONCE} skips the segment and says so between batches.
 */
public final class StreamMachine implements ReadPlanner.Effects {

  /** While the stream waits for answers, it looks at the ownership at least this often. */
  public static final long WATCH_NANOS = 1_000_000_000L;

  /** A stream that finds no memory for this long ends. */
  public static final long MEMORY_PATIENCE_NANOS = 30_000_000_000L;

  /** What the machine wants done. No effect may call back into the machine. */
  public interface Effects {

    /** Sends a request. Its outcome comes back as an event. */
    PendingRead send(NodeRead node, ReadRequest request);

    /** Abandons a request. When its answer has come, {@link StreamMachine#returned} is called. */
    void abandon(PendingRead read);

    /** Has {@link StreamMachine#viewChanged} called with the next newer view. */
    void awaitNewerThan(long epoch);

    /** Has {@link StreamMachine#advance} called soon. May be called from any thread. */
    void memoryFreed();

    /** Has {@link StreamMachine#tick} called at this moment or soon after. */
    void wakeAt(long nanos);
  }

  private final StreamOptions options;
  private final StreamSource source;
  private final NodeId self;
  private final Effects effects;
  private final CreditShares shares;
  private final Credit credit;
  private final ArrayDeque<ReadyBatch> ready = new ArrayDeque<>();
  private final AnswerTimes times = new AnswerTimes();
  private final @Nullable SegmentPool pool;

  /** Single keys of the resume token that another rail reads. */
  private List<ResumeToken.UnreadKey> leftToOthers = List.of();

  private Progress progress = new Progress(0);
  private @Nullable ReadPlanner planner;
  private long awaitedEpoch = -1;
  private boolean ending;
  private @Nullable RuntimeException fatal;
  private @Nullable Loss loss;

  /**
   * A stream that has not begun.
   *
   * @param memory the stream's account of the node's memory for streams
   * @param pool where it takes its segments from if it is a rail; null if it reads all of them
   */
  public StreamMachine(
      StreamOptions options,
      StreamSource source,
      NodeId self,
      StreamMemory.Account memory,
      Effects effects,
      @Nullable SegmentPool pool) {
    this.options = options;
    this.source = source;
    this.self = self;
    this.effects = effects;
    this.pool = pool;
    this.shares = new CreditShares(options, source, memory, effects);
    this.credit = shares.credit();
  }

  /**
   * Event: the stream begins. No request is sent before {@link #advance}.
   *
   * @param begun whether the stream is a part of one that has begun: what was lost since then ends
   *     it as a loss, and does not make its token an outdated one
   * @throws ResumeTokenException if the stream's resume token is foreign or outdated
   */
  public void plan(View view, boolean begun, long nowNanos) {
    SegmentPool from = pool;
    progress =
        from == null
            ? StreamStart.of(options, source, view, begun)
            : from.begin(() -> StreamStart.of(options, source, view, begun), effects::memoryFreed);
    ReadPlanner plan = new ReadPlanner(self, view, progress, this);
    planner = plan;
    if (from == null || from.takeUnread()) {
      progress.untold().stream().forEach(s -> ready.add(ReadyBatch.ended(s)));
    } else {
      leftToOthers = options.unread();
    }
    BitSet all = (BitSet) progress.toReceive().clone();
    for (int s = all.nextSetBit(0); s >= 0 && !ending; s = all.nextSetBit(s + 1)) {
      plan.assign(s, nowNanos);
    }
  }

  /** The single keys of the resume token that this stream has to read before anything else. */
  public List<ResumeToken.UnreadKey> unreadOfToken() {
    return leftToOthers.isEmpty() ? options.unread() : List.of();
  }

  /** Takes segments from the pool as long as few are left to receive. */
  private void takeMore(SegmentPool from, ReadPlanner plan, long nowNanos) {
    SegmentPool.Ending others = from.ending();
    if (others != null) {
      ending = true;
      fatal = others.fatal();
      loss = others.loss();
    }
    while (!ending && progress.receiving() <= options.parallelism()) {
      BitSet taken = from.take(progress);
      if (taken.isEmpty()) {
        return;
      }
      for (int s = taken.nextSetBit(0); s >= 0 && !ending; s = taken.nextSetBit(s + 1)) {
        plan.assign(s, nowNanos);
      }
    }
  }

  /** Event: the answer to a request has come. The machine owns the batch from now on. */
  public void received(PendingRead read, Batch batch, long nowNanos) {
    NodeRead node = read.from();
    ReadRequest request = read.request();
    node.inFlight = null;
    String broken = Answers.violation(request, batch);
    if (broken != null) {
      batch.release();
      failed(read, new WireException(broken), nowNanos);
      return;
    }
    int entries = Answers.entries(batch.parts());
    int bytes = batch.entries().remaining();
    times.answered(node.rate, entries, bytes, nowNanos - node.sentAtNanos);
    credit.giveBack(node, request.maxEntries() - entries, request.maxBytes() - bytes);
    List<SegmentPart> parts = Answers.parts(request, batch.parts(), options.keys());
    ready.add(ReadyBatch.of(node, request.firstCursor(), batch, parts, entries, bytes));
    node.bufferedBatches++;
    if (entries > 0 && 2L * bytes / entries < node.nextEntryBytes) {
      node.nextEntryBytes = 0;
    }
    for (SegmentPart part : parts) {
      if (!ending) {
        apply(part, node, batch, nowNanos);
      }
    }
  }

  private void apply(SegmentPart part, NodeRead node, Batch batch, long nowNanos) {
    int segment = part.segment();
    switch (part.status()) {
      case DONE -> {
        node.queue.removeFirst();
        progress.receivedAll(segment);
        planner().progressed(segment);
      }
      case MORE -> {
        progress.receivedUpTo(segment, part.cursor());
        planner().progressed(segment);
      }
      case NOT_HELD -> {
        node.queue.removeFirst();
        planner().refused(segment, node, null, nowNanos);
      }
      case TOO_LARGE -> node.nextEntryBytes = batch.entryBytes();
      case WRONG_FORMAT -> end(Answers.wrongFormat(source.cache(), segment));
      case FUNCTION_FAILED -> end(FunctionFault.error(batch.entries(), source.cache()));
    }
  }

  /** Event: a request gets no answer. */
  public void failed(PendingRead read, Throwable cause, long nowNanos) {
    NodeRead node = read.from();
    node.inFlight = null;
    credit.giveBack(node, read.request().maxEntries(), read.request().maxBytes());
    if (cause instanceof NodeClosedException closed) {
      end(closed);
    } else if (!ending && cause instanceof SuspendedException refusal) {
      suspended(node, refusal);
    } else if (!ending) {
      planner().failed(node, cause, nowNanos);
    }
  }

  /** This node must not read anything from any node, so another owner would not help. */
  private void suspended(NodeRead node, SuspendedException cause) {
    String why = String.valueOf(cause.getMessage());
    if (options.delivery() == Delivery.EXACTLY_ONCE) {
      loss = new Loss((BitSet) progress.toReceive().clone(), why, cause.missingNodes(), cause);
      end(null);
      return;
    }
    for (int segment : node.queue.removeFrom(0)) {
      lost(segment, why, cause);
    }
  }

  /** Event: the answer to an abandoned request has come and was dropped. */
  public void returned(PendingRead read) {
    if (read.from().inFlight == read) {
      read.from().inFlight = null;
    }
    credit.giveBack(read.from(), read.request().maxEntries(), read.request().maxBytes());
  }

  /** Event: the last entry of a batch, or the news of a skipped segment, has been handed over. */
  public void consumed(ReadyBatch batch) {
    NodeRead node = batch.from();
    if (node != null) {
      credit.giveBack(node, batch.entries(), batch.bytes());
      node.bufferedBatches--;
      shares.consumed(batch.entries(), batch.bytes());
    } else if (batch.skippedSegment() >= 0) {
      progress.consumedAll(batch.skippedSegment());
    }
    for (SegmentPart part : batch.parts()) {
      if (part.status() == Status.DONE) {
        progress.consumedAll(part.segment());
      } else if (part.status() == Status.MORE) {
        progress.consumedUpTo(part.segment(), part.cursor());
      }
    }
  }

  /** Event: the ownership has changed, or may have. */
  public void viewChanged(View newer, long nowNanos) {
    ReadPlanner plan = planner();
    if (newer.epoch() <= plan.view().epoch() || ending) {
      return;
    }
    for (NodeRead node : plan.nodes()) {
      PendingRead read = node.inFlight;
      if (read != null && !ReadPlanner.ownsAny(newer, node.node, read.request().segments())) {
        // If it still answers, it refuses them all: do not wait for it.
        node.inFlight = null;
        effects.abandon(read);
      }
    }
    plan.changeView(newer, nowNanos);
    BitSet open = (BitSet) progress.toReceive().clone();
    for (int s = open.nextSetBit(0); s >= 0 && !ending; s = open.nextSetBit(s + 1)) {
      String why = plan.unreadable(s);
      if (why != null && options.delivery() == Delivery.EXACTLY_ONCE) {
        lost(s, why, null);
      }
    }
  }

  /** Event: a moment for which the machine asked has come. */
  public void tick(long nowNanos) {
    if (!ending) {
      planner().retry(nowNanos);
    }
    if (!ending && options.pace().adaptive() && ready.isEmpty()) {
      hedge(nowNanos);
    }
  }

  /**
   * Asks other owners for what a node is late with, at the cursors reached. What it still answers
   * is dropped; its credit returns then. Each owner is tried once, the last one is waited for.
   */
  private void hedge(long nowNanos) {
    for (NodeRead node : List.copyOf(shares.active())) {
      PendingRead read = node.inFlight;
      if (read != null
          && read.answer() == null
          && nowNanos - node.sentAtNanos >= times.lateNanos()
          && planner().haveOtherOwners(read.request().segments(), node)) {
        node.inFlight = null;
        effects.abandon(read);
        planner().late(node, read.request().segments().length, nowNanos);
      }
    }
  }

  /** How long the stream waits for answers before {@link #tick} should look after them. */
  public long watchNanos() {
    return options.pace().adaptive() ? Math.min(WATCH_NANOS, times.lateNanos()) : WATCH_NANOS;
  }

  @Override
  public void pause(long epoch, long untilNanos) {
    if (awaitedEpoch != epoch) {
      awaitedEpoch = epoch;
      effects.awaitNewerThan(epoch);
    }
    effects.wakeAt(untilNanos);
  }

  @Override
  public void lost(int segment, String why, @Nullable Throwable cause) {
    if (ending) {
      return;
    }
    if (options.delivery() == Delivery.AT_MOST_ONCE) {
      progress.receivedAll(segment);
      ready.add(ReadyBatch.skipped(segment));
      return;
    }
    BitSet lost = new BitSet();
    lost.set(segment);
    Set<String> missing = new TreeSet<>(planner().view().missingNodes(segment));
    BitSet open = progress.toReceive();
    for (int s = open.nextSetBit(0); s >= 0; s = open.nextSetBit(s + 1)) {
      if (planner().unreadable(s) != null) {
        lost.set(s);
        missing.addAll(planner().view().missingNodes(s));
      }
    }
    loss = new Loss(lost, why, missing, cause);
    end(null);
  }

  /**
   * From now on no request is sent and nothing is assigned. What has arrived or still arrives is
   * handed over.
   */
  private void end(@Nullable RuntimeException cause) {
    if (ending) {
      return;
    }
    ending = true;
    fatal = cause;
    if (pool != null) {
      pool.end(new SegmentPool.Ending(cause, loss));
    }
  }

  /** Sends all requests that the credit allows now. Called after events. */
  public void advance(long nowNanos) {
    ReadPlanner plan = planner;
    if (plan == null || ending) {
      return;
    }
    if (pool != null) {
      takeMore(pool, plan, nowNanos);
      if (ending) {
        return;
      }
    }
    shares.advance(plan, progress, nowNanos);
    if (shares.starvedNanos(nowNanos) > MEMORY_PATIENCE_NANOS) {
      end(
          new StreamMemoryException(
              "The stream of \""
                  + source.cache()
                  + "\" has waited "
                  + MEMORY_PATIENCE_NANOS / 1_000_000_000L
                  + " s for memory: "
                  + shares.shortage()
                  + ". Read, close or cancel some of these streams, or raise streamMemoryBytes",
              FaultScope.ofCache(source.cache())));
    }
  }

  /**
   * Event: the stream is paused, and the node needs memory. What was received and not handed over
   * is released, to be read again at its cursors. Before this, the caller drops all answers that it
   * has not passed on, and calls {@link #returned} for each.
   *
   * @return whether anything was released
   */
  public boolean giveBackUnread(long nowNanos) {
    if (ending || !isAllBatches()) {
      return false; // What was received is all that the stream will ever hand over.
    }
    boolean any = !ready.isEmpty();
    BitSet anew = new BitSet();
    while (!ready.isEmpty()) {
      giveBack(ready.removeLast(), anew);
    }
    for (int s = anew.nextSetBit(0); s >= 0; s = anew.nextSetBit(s + 1)) {
      planner().assign(s, nowNanos);
    }
    shares.shrink();
    return any;
  }

  private boolean isAllBatches() {
    for (ReadyBatch each : ready) {
      if (each.batch() == null) {
        return false;
      }
    }
    return true;
  }

  private void giveBack(ReadyBatch unread, BitSet anew) {
    Batch batch = unread.batch();
    NodeRead node = unread.from();
    if (batch == null || node == null) {
      throw new IllegalStateException("the news of a skipped segment cannot be given back");
    }
    batch.release();
    credit.giveBack(node, unread.entries(), unread.bytes());
    node.bufferedBatches--;
    Cursor begin = unread.begin();
    for (SegmentPart part : unread.parts()) {
      if (part.status() == Status.DONE || part.status() == Status.MORE) {
        progress.unreceived(part.segment(), begin);
      }
      if (part.status() == Status.DONE) {
        anew.set(part.segment());
      }
      begin = Cursor.START;
    }
  }

  /** Takes the next batch to hand over, or returns null if none is ready. */
  public @Nullable ReadyBatch nextReady() {
    return ready.poll();
  }

  /**
   * Whether the stream is finished, with or without a failure: nothing is left to hand over, and
   * nothing will come.
   */
  public boolean isFinished() {
    return ready.isEmpty() && (ending || (progress.everythingReceived() && nothingToTake()));
  }

  private boolean nothingToTake() {
    return pool == null || pool.isEmpty();
  }

  /** Whether any request waits for its answer. */
  public boolean isWaiting() {
    return shares.isWaiting();
  }

  /**
   * Why the stream failed, or null. Called when it is finished, so that the error's token stands
   * behind the last batch.
   */
  public @Nullable RuntimeException failure() {
    Loss found = loss;
    if (fatal instanceof FunctionFailedException failed && !source.reduces()) {
      return failed.withResumeToken(token(List.of()).encode());
    } else if (fatal != null || found == null) {
      return fatal;
    }
    return found.interruption(source.cache(), planner().view().epoch(), token(List.of()).encode());
  }

  /**
   * The resume token for what remains behind the last consumed batch.
   *
   * @param unread single keys before that place which were not handed over
   */
  public ResumeToken token(List<ResumeToken.UnreadKey> unread) {
    List<ResumeToken.UnreadKey> all = unread;
    if (!leftToOthers.isEmpty()) {
      all = new ArrayList<>(leftToOthers);
      all.addAll(unread);
    }
    KeySelection chosen = options.keys();
    long keys = chosen == null ? ResumeToken.ALL_KEYS : chosen.fingerprint();
    return new ResumeToken(
        source.clusterIdentity(),
        source.cache(),
        keys,
        source.operatorsDigest(),
        progress.segments(),
        progress.remainder(),
        all);
  }

  /**
   * The chosen keys of a stream of keys that were not handed over, whether they are there or not.
   */
  public List<ResumeToken.UnreadKey> unread() {
    List<ResumeToken.UnreadKey> unread = new ArrayList<>();
    KeySelection keys = Objects.requireNonNull(options.keys(), "a stream of chosen keys");
    BitSet open = progress.toConsume();
    for (int s = open.nextSetBit(0); s >= 0; s = open.nextSetBit(s + 1)) {
      for (byte[] key : keys.allBehind(s, progress.consumed(s))) {
        unread.add(new ResumeToken.UnreadKey(s, progress.incarnation(s), key));
      }
    }
    return unread;
  }

  /** Whether a segment has been handed over to its end, but for single keys. */
  public boolean isConsumed(int segment) {
    return !progress.toConsume().get(segment);
  }

  /** The incarnation that the stream expects of a segment. */
  public int incarnation(int segment) {
    return progress.incarnation(segment);
  }

  /** Takes everything that was received and not handed over, for release. */
  public List<ReadyBatch> takeAllReady() {
    List<ReadyBatch> all = new ArrayList<>(ready);
    ready.clear();
    return all;
  }

  /** How many entries are buffered or requested. */
  public int creditedEntries() {
    return credit.entries();
  }

  /** How many bytes are buffered or requested. */
  public long creditedBytes() {
    return credit.bytes();
  }

  private ReadPlanner planner() {
    if (planner == null) {
      throw new IllegalStateException("an event before the stream was planned");
    }
    return planner;
  }
}
