package dev.headrace.cluster.ingest.batch;

import dev.headrace.replication.client.Failure;
import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gathers writes into batches and decides when they leave: a pure machine. Used by one thread at a
 * time.
 *
 * <pre>
 * event            guard                                effects
 * ---------------  -----------------------------------  ----------------------------------------
 * add              a write of its key waits in a batch, one of the two is dropped
 *                  and writes are conflated
 * add              a write of its key is under way      it waits for that one
 * add              otherwise                            it is put into the open batch of its
 *                                                       segment's node, or of its segment
 * (put)            the batch is full without it         that becomes due, another one is opened
 * (put)            the batch is full with it            it becomes due
 * take             a batch has lingered, or the source  it becomes due
 *                  has ended
 * take             batches are due, and their node has  they leave, the least loaded node's first
 *                  fewer than MAX_IN_FLIGHT in flight
 *                  (USUAL_IN_FLIGHT if the first is
 *                  not full)
 * take             a write has waited to be tried again it is put into a batch
 * ended            it has a result, or certainly will   it is over; what waits for it is put into
 *                  have none                            a batch
 * ended            it was not carried out, and may be   it waits to be tried again
 *                  later
 * giveUp                                                nothing lingers or is tried again any more
 * </pre>
 *
 * <p>A write's node is where its segment's primary is when it is put into a batch. If that is
 * elsewhere when the batch leaves, the operation client sends the write there; only the accounts
 * here are of the former node.
 */
public final class IngestMachine {
  private final IngestLimits limits;
  private final IntFunction<NodeId> primaries;
  private final @Nullable PendingKeys keys;
  private @Nullable WriteBatch[] openBySegment = {};
  private final Map<NodeId, NodeLoad> nodes = new LinkedHashMap<>();

  /** Batches that are open, in the order of opening; some may have left meanwhile. */
  private final Set<WriteBatch> lingering = new LinkedHashSet<>();

  /** Writes that wait to be tried again, in the order of their times. */
  private final ArrayDeque<PendingWrite> retries = new ArrayDeque<>();

  private boolean finishing;
  private boolean givenUp;
  private long retried;

  /** What has become of a write. */
  public enum Fate {
    /** It has a result. */
    DONE,
    /** It has none. */
    FAILED,
    /** It is tried again. */
    RETRIED
  }

  /**
   * @param keyed whether there may be several writes of a key, and a batch is for a node; if not, a
   *     batch is for a segment
   * @param primaries finds the node of a segment
   */
  public IngestMachine(IngestLimits limits, boolean keyed, IntFunction<NodeId> primaries) {
    this.limits = limits;
    this.primaries = primaries;
    this.keys = keyed ? new PendingKeys() : null;
  }

  // ---- Writes

  /**
   * A write has come.
   *
   * @return the write that is dropped in its favour, or it itself; null if none is
   */
  public @Nullable PendingWrite add(PendingWrite write, long nowNanos) {
    PendingKeys known = keys;
    PendingWrite before = known == null ? null : known.put(write);
    if (known == null || before == null) {
      put(write, nowNanos);
      return null;
    }
    if (limits.conflates() && !before.sent() && Arrays.equals(before.key(), write.key())) {
      known.put(before);
      return conflate(before, write);
    }
    before.successor = write;
    return null;
  }

  /** The earlier one stays where it is, perhaps with the later one's value. */
  private PendingWrite conflate(PendingWrite earlier, PendingWrite later) {
    if (!limits.keepsFirst()) {
      WriteBatch batch = earlier.batch();
      long added = later.bytes() - (long) earlier.bytes();
      earlier.conflate(later);
      if (batch != null) {
        batch.grow(added);
        batch.node().added(added);
      }
    }
    return later;
  }

  private void put(PendingWrite write, long nowNanos) {
    NodeLoad node = node(primaries.apply(write.segment()));
    WriteBatch batch = open(node, write.segment());
    if (batch != null
        && (batch.node() != node || batch.bytes() + write.bytes() > target(batch.node()))) {
      seal(batch, nowNanos);
      batch = null;
    }
    if (batch == null) {
      batch = new WriteBatch(node, keyed() ? WriteBatch.ANY_SEGMENT : write.segment(), nowNanos);
      node.opened();
      setOpen(node, write.segment(), batch);
      lingering.add(batch);
    }
    batch.add(write);
    node.added(write.bytes());
    if (batch.bytes() >= target(node)) {
      seal(batch, nowNanos);
    }
  }

  private boolean keyed() {
    return keys != null;
  }

  /** After how many bytes a batch is full; one of a chosen segment is never larger. */
  private long target(NodeLoad node) {
    boolean busy = keyed() && node.inFlight() >= IngestLimits.USUAL_IN_FLIGHT;
    return busy ? (long) IngestLimits.SLOW_FACTOR * limits.batchBytes() : limits.batchBytes();
  }

  /** Whether a value needs a new batch in a segment; an open one that has no room is full then. */
  public boolean needsBatch(int segment, int bytes, long nowNanos) {
    WriteBatch batch = segment < openBySegment.length ? openBySegment[segment] : null;
    if (batch != null && batch.bytes() + bytes > limits.batchBytes()) {
      seal(batch, nowNanos);
      batch = null;
    }
    return batch == null;
  }

  private @Nullable WriteBatch open(NodeLoad node, int segment) {
    if (keyed()) {
      return node.open;
    }
    return segment < openBySegment.length ? openBySegment[segment] : null;
  }

  private void setOpen(NodeLoad node, int segment, @Nullable WriteBatch batch) {
    if (keyed()) {
      node.open = batch;
      return;
    }
    if (segment >= openBySegment.length) {
      openBySegment = Arrays.copyOf(openBySegment, segment + 1);
    }
    openBySegment[segment] = batch;
  }

  private void seal(WriteBatch batch, long nowNanos) {
    close(batch);
    batch.seal();
    due(batch, nowNanos);
  }

  private void close(WriteBatch batch) {
    if (open(batch.node(), batch.segment()) == batch) {
      setOpen(batch.node(), batch.segment(), null);
    }
  }

  /** The batch that has been open for the longest time; null if none lingers. */
  private @Nullable WriteBatch oldestLingering() {
    return lingering.isEmpty() ? null : lingering.iterator().next();
  }

  private void due(WriteBatch batch, long nowNanos) {
    lingering.remove(batch);
    if (!batch.due()) {
      batch.becomeDue(nowNanos);
      batch.node().becomesDue(batch);
    }
  }

  private NodeLoad node(NodeId id) {
    NodeLoad present = nodes.get(id);
    if (present == null) {
      present = new NodeLoad(id);
      nodes.put(id, present);
    }
    return present;
  }

  /** The source has ended: nothing lingers any more. */
  public void finish() {
    finishing = true;
  }

  /**
   * Nothing lingers any more, and nothing is tried again.
   *
   * @return writes that have waited to be tried again, whose last failure counts; they have left
   *     the machine when {@link #ended} was called for each
   */
  public List<PendingWrite> giveUp() {
    finishing = true;
    givenUp = true;
    List<PendingWrite> waiting = List.copyOf(retries);
    retries.clear();
    return waiting;
  }

  /** Time has gone on; returns the batches that leave now. */
  public List<WriteBatch> take(long nowNanos) {
    while (!retries.isEmpty() && nowNanos - retries.peek().retryAtNanos() >= 0) {
      put(retries.remove(), nowNanos);
    }
    for (WriteBatch batch = oldestLingering();
        batch != null && hasLingered(batch, nowNanos);
        batch = oldestLingering()) {
      due(batch, nowNanos);
    }
    List<WriteBatch> leaving = new ArrayList<>();
    for (NodeLoad node = nextToSend(); node != null; node = nextToSend()) {
      WriteBatch batch = node.leave(nowNanos, limits.batchBytes());
      close(batch);
      leaving.add(batch);
    }
    return leaving;
  }

  private boolean hasLingered(WriteBatch batch, long nowNanos) {
    return finishing || nowNanos - batch.openedNanos() >= limits.lingerNanos();
  }

  /** The node with the fewest bytes in flight of those that have room for a batch. */
  private @Nullable NodeLoad nextToSend() {
    NodeLoad least = null;
    for (NodeLoad node : nodes.values()) {
      if (node.hasDue()
          && node.inFlight() < mostInFlight(node)
          && (least == null || node.inFlightBytes() < least.inFlightBytes())) {
        least = node;
      }
    }
    return least;
  }

  /**
   * How many batches may be in flight to a node for the next one to leave. One that is not full
   * waits for an answer if there are some already, and fills meanwhile (Nagle, RFC 896): the more
   * writes of a segment it has, the fewer operations they are.
   */
  private static int mostInFlight(NodeLoad node) {
    return node.nextIsSealed() ? IngestLimits.MAX_IN_FLIGHT : IngestLimits.USUAL_IN_FLIGHT;
  }

  /** Whether something has to happen at a time, and when: nanoseconds; MAX_VALUE for never. */
  public long nextNanos(long nowNanos) {
    long waitNanos = Long.MAX_VALUE;
    WriteBatch oldest = oldestLingering();
    if (oldest != null) {
      waitNanos = oldest.openedNanos() + limits.lingerNanos() - nowNanos;
    }
    if (!retries.isEmpty()) {
      waitNanos = Math.min(waitNanos, retries.peek().retryAtNanos() - nowNanos);
    }
    return waitNanos == Long.MAX_VALUE ? waitNanos : Math.max(0, waitNanos);
  }

  /** A write that has left has ended. */
  public Fate ended(PendingWrite write, long nowNanos) {
    WriteBatch batch = write.batch();
    if (batch == null && !givenUp) {
      throw new IllegalStateException("a write has ended that was in no batch");
    }
    Failure failure = write.failure();
    if (batch != null) {
      left(batch, write, nowNanos);
      if (mayRetry(write, nowNanos)) {
        retried++;
        batch.node().retried(1);
        write.batch(null);
        write.retryAt(nowNanos + IngestLimits.BACKOFF_NANOS);
        retries.add(write);
        return Fate.RETRIED;
      }
    }
    PendingWrite successor = write.successor;
    if (successor != null) {
      write.successor = null;
      put(successor, nowNanos);
    } else if (keys != null) {
      keys.remove(write);
    }
    return failure == null ? Fate.DONE : Fate.FAILED;
  }

  private void left(WriteBatch batch, PendingWrite write, long nowNanos) {
    int resent = write.takeResent();
    retried += resent;
    batch.node().retried(resent);
    if (batch.ended()) {
      batch.node().ended(batch, nowNanos);
    }
  }

  /** Whether it was certainly not carried out, and may be later. */
  private boolean mayRetry(PendingWrite write, long nowNanos) {
    Failure failure = write.failure();
    return !givenUp
        && (failure == Failure.UNAVAILABLE || failure == Failure.OVERLOADED)
        && nowNanos - write.firstSentNanos() < limits.retryNanos();
  }

  // ---- What it can tell

  /** How often writes were sent again. */
  public long retried() {
    return retried;
  }

  public long openBytes(int segment) {
    WriteBatch batch = segment < openBySegment.length ? openBySegment[segment] : null;
    return batch == null ? 0 : batch.bytes();
  }

  public boolean lingers(int segment, long nowNanos) {
    WriteBatch batch = segment < openBySegment.length ? openBySegment[segment] : null;
    return batch != null && !batch.due() && !hasLingered(batch, nowNanos);
  }

  public long queuedBytes(NodeId node) {
    NodeLoad load = nodes.get(node);
    return load == null ? 0 : load.queuedBytes();
  }

  /** How long another batch would take at a node; 0 if that is not known. */
  public long expectedNanos(NodeId node) {
    NodeLoad load = nodes.get(node);
    return load == null ? 0 : load.expectedNanos();
  }

  /** How long a batch has waited for room at a node. */
  public long stalledNanos(NodeId node, long nowNanos) {
    NodeLoad load = nodes.get(node);
    if (load == null || !load.hasDue() || load.inFlight() < mostInFlight(load)) {
      return 0;
    }
    return Math.max(0, nowNanos - load.dueSinceNanos());
  }

  /** What was sent to each node. */
  public List<NodeTotals> totals(Function<NodeId, String> names) {
    return nodes.values().stream().map(node -> node.totals(names.apply(node.id()))).toList();
  }
}
