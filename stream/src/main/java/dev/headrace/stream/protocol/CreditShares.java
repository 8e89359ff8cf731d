package dev.headrace.stream.protocol;

import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.protocol.StreamMachine.Effects;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Divides a stream's credit among the nodes that it asks.
 *
 * <p>Up to {@code parallelism} nodes are asked at once, and each gets an equal share of the batch
 * size and the byte budget, or, with adaptive credit, one that follows how quickly it answers. A
 * request asks for half of a share, so that one half travels while the other is handed over, or for
 * as much as a request may. When a node has finished, the others' shares grow. While an entry is
 * larger than a share, fewer nodes are asked, whose shares are larger. One that is larger than the
 * byte budget travels alone: it is asked for when nothing is buffered or in flight.
 *
 * <p>The bytes come from a window, which is at most the stream's own budget. It begins small and,
 * as long as the node's {@link StreamMemory} has room, grows eightfold with each consumed batch, up
 * to what the batch size needs. Owned by the drain.
 */
final class CreditShares {

  /**
   * The most bytes of a request to this node: no wire has to be kept busy, but a processor cache
   * warm.
   */
  static final int LOCAL_REQUEST_BYTES = 64 << 10;

  /** The window with which a stream begins if there is room, so that short streams are quick. */
  static final int FIRST_WINDOW_BYTES = 64 << 10;

  /** The factor by which the window may grow with each batch. */
  private static final int GROWTH = 8;

  /** After this time at the latest, a stream that found no memory tries again. */
  private static final long MEMORY_RETRY_NANOS = 100_000_000L;

  private final StreamOptions options;
  private final StreamSource source;
  private final Effects effects;
  private final Credit credit;
  private final StreamMemory.Account memory;
  private final Runnable freed;

  /** The window that the stream could use. */
  private long wantedBytes;

  private boolean starved;
  private long starvedSinceNanos;
  private final List<NodeRead> active = new ArrayList<>();

  CreditShares(
      StreamOptions options, StreamSource source, StreamMemory.Account memory, Effects effects) {
    this.options = options;
    this.source = source;
    this.effects = effects;
    this.memory = memory;
    this.freed = effects::memoryFreed;
    this.wantedBytes = Math.min(options.batchBytes(), FIRST_WINDOW_BYTES);
    this.credit = new Credit(options.batchSize());
  }

  Credit credit() {
    return credit;
  }

  /** The nodes that are asked now. */
  List<NodeRead> active() {
    return active;
  }

  /** Whether any request waits for its answer. */
  boolean isWaiting() {
    for (NodeRead node : active) {
      if (node.inFlight != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * A batch was consumed: the window may grow, up to what the batch size needs of entries of this
   * size.
   */
  void consumed(int entries, int bytes) {
    if (entries > 0) {
      long useful = (long) (2.0 * options.batchSize() * ((double) bytes / entries + 1));
      long larger = Math.min(useful, GROWTH * credit.windowBytes());
      wantedBytes = Math.min(options.batchBytes(), Math.max(wantedBytes, larger));
    }
  }

  /** Returns the part of the window that is not in use. */
  void shrink() {
    memory.shrink(credit.bytes());
    credit.window(Math.min(options.batchBytes(), memory.window()));
    wantedBytes = 0;
  }

  /** For how long the stream has been unable to go on for want of memory. */
  long starvedNanos(long nowNanos) {
    return starved ? nowNanos - starvedSinceNanos : 0;
  }

  /** Why there is no memory, for an error message. */
  String shortage() {
    return memory.shortage();
  }

  private void starve(boolean before, long nowNanos) {
    starved = true;
    starvedSinceNanos = before ? starvedSinceNanos : nowNanos;
    effects.wakeAt(nowNanos + MEMORY_RETRY_NANOS);
  }

  /** Sends all requests that the credit allows now. */
  void advance(ReadPlanner plan, Progress progress, long nowNanos) {
    boolean starvedBefore = starved;
    starved = false;
    activate(plan);
    if (active.isEmpty()) {
      return;
    }
    if (!memory.begin(options.batchBytes(), nowNanos, freed)) {
      starve(starvedBefore, nowNanos);
      return;
    }
    resize(nowNanos);
    boolean weighted = options.pace().adaptive() && !isAnyEntryLarge();
    for (NodeRead node : active) {
      if (node.nextEntryBytes > shareBytes(node, weighted) && node.mayAsk()) {
        if (credit.isUntouched()) {
          long bytes = Math.max(node.nextEntryBytes, credit.windowBytes());
          if (memory.reserve(bytes, nowNanos, freed)) {
            Allowance all = new Allowance(options.batchSize(), (int) bytes, true);
            send(plan, progress, node, all, nowNanos);
          } else {
            starve(starvedBefore, nowNanos);
          }
        }
        return;
      }
    }
    for (NodeRead node : active) {
      Allowance due =
          node.mayAsk() ? due(node, share(node, weighted), shareBytes(node, weighted)) : null;
      if (due != null) {
        send(plan, progress, node, due, nowNanos);
      }
    }
  }

  /** Whether a node waits for room for an entry; then all have equal shares until it came. */
  private boolean isAnyEntryLarge() {
    for (NodeRead node : active) {
      if (node.nextEntryBytes > 0) {
        return true;
      }
    }
    return false;
  }

  private int share(NodeRead node, boolean weighted) {
    return weighted
        ? Math.max(1, (int) (options.batchSize() * AnswerTimes.partOfEntries(node, active)))
        : options.batchSize() / active.size();
  }

  private int shareBytes(NodeRead node, boolean weighted) {
    return weighted
        ? Math.max(1, (int) (credit.windowBytes() * AnswerTimes.partOfBytes(node, active)))
        : (int) (credit.windowBytes() / active.size());
  }

  private void resize(long nowNanos) {
    long largestShareBytes = options.batchBytes() / active.size();
    for (NodeRead node : active) {
      if (node.nextEntryBytes > 0 && node.nextEntryBytes <= largestShareBytes) {
        wantedBytes = Math.max(wantedBytes, node.nextEntryBytes * active.size());
      }
    }
    memory.resize(wantedBytes, credit.bytes(), nowNanos);
    credit.window(Math.min(options.batchBytes(), memory.window()));
  }

  /** Lets nodes that have work take the place of those that have finished. */
  private void activate(ReadPlanner plan) {
    for (NodeRead node : active) {
      node.active = node.hasWork();
    }
    active.removeIf(node -> !node.active);
    int mostActive = mostActive();
    if (active.size() > mostActive) {
      leaveOut(active.size() - mostActive);
    }
    List<NodeRead> nodes = plan.nodes();
    for (int i = 0; i < nodes.size() && active.size() < mostActive; i++) {
      NodeRead node = nodes.get(i);
      if (!node.active && !node.queue.isEmpty()) {
        node.active = true;
        active.add(node);
      }
    }
  }

  /** Asks so many nodes no more, if possible; those with a large entry stay before the others. */
  private void leaveOut(int count) {
    boolean onlyLarge = active.stream().allMatch(node -> node.nextEntryBytes > 0);
    int left = count;
    for (int i = active.size() - 1; i >= 0 && left > 0; i--) {
      NodeRead node = active.get(i);
      if (node.inFlight == null && (onlyLarge || node.nextEntryBytes == 0)) {
        node.active = false;
        active.remove(i);
        left--;
      }
    }
  }

  /** How many nodes are asked at once: no more than have shares with room for a large entry. */
  private int mostActive() {
    int most = Math.min(options.parallelism(), Math.min(options.batchSize(), options.batchBytes()));
    for (NodeRead node : active) {
      long bytes = node.nextEntryBytes;
      if (bytes > 0 && bytes <= options.batchBytes()) {
        most = (int) Math.min(most, options.batchBytes() / bytes);
      }
    }
    return most;
  }

  /** What a node is to be asked for now: half of its share if half of it is free, else null. */
  private @Nullable Allowance due(NodeRead node, int share, int shareBytes) {
    int free = Math.min(share - node.heldEntries, credit.freeEntries());
    long freeBytes = Math.min(shareBytes - node.heldBytes, credit.freeBytes());
    long known = node.nextEntryBytes;
    long enoughBytes = known > 0 ? known : Math.max(1, shareBytes / 2);
    if (free < Math.max(1, share / 2) || freeBytes < enoughBytes) {
      return null;
    }
    long bytes = known > 0 ? freeBytes : Math.min(freeBytes, shareBytes - shareBytes / 2);
    bytes = Math.min(bytes, Math.max(known, options.pace().requestBytes()));
    if (node.local && known == 0) {
      bytes = Math.min(bytes, LOCAL_REQUEST_BYTES);
    }
    return new Allowance(Math.min(free, share - share / 2), (int) bytes, false);
  }

  private void send(
      ReadPlanner plan, Progress progress, NodeRead node, Allowance allowance, long nowNanos) {
    node.sentAtNanos = nowNanos;
    int first = node.queue.get(0);
    KeySelection keys = options.keys();
    byte[][] chunk = keys == null ? null : keys.behind(first, progress.received(first));
    int count = chunk == null ? segmentsToAsk(progress, node, allowance.entries) : 1;
    int[] segments = new int[count];
    int[] incarnations = new int[count];
    for (int i = 0; i < count; i++) {
      segments[i] = node.queue.get(i);
      incarnations[i] = progress.incarnation(segments[i]);
    }
    credit.draw(node, allowance.entries, allowance.bytes, allowance.alone);
    node.inFlight =
        effects.send(
            node,
            new ReadRequest(
                source.cache(),
                source.format(),
                plan.view().epoch(),
                segments,
                incarnations,
                progress.received(first),
                allowance.entries,
                allowance.bytes,
                allowance.alone,
                source.projection(),
                chunk,
                source.operators()));
  }

  /**
   * How many segments a request names. Only the first one may have been begun, and a small request
   * names few.
   */
  private static int segmentsToAsk(Progress progress, NodeRead node, int entries) {
    int most = Math.min(ReadRequest.MAX_SEGMENTS, Math.max(16, entries));
    int count = 1;
    while (count < Math.min(most, node.queue.size())
        && progress.received(node.queue.get(count)).isStart()) {
      count++;
    }
    return count;
  }

  /**
   * What one answer may contain.
   *
   * @param alone whether it may exceed the window because nothing else is held
   */
  private record Allowance(int entries, int bytes, boolean alone) {}
}
