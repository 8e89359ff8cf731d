package dev.headrace.cluster.ingest.batch;

import dev.headrace.stream.NodeId;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** What waits for a node, what is in flight to it, and what it has taken. */
final class NodeLoad {
  /** Over about so many batches the time that a node takes is smoothed. */
  private static final int SMOOTHING_BATCHES = 8;

  private final NodeId id;

  /** Batches that may leave, in the order in which they came to that. */
  private final ArrayDeque<WriteBatch> due = new ArrayDeque<>();

  /** The open batch of entries with keys. */
  @Nullable WriteBatch open;

  private int inFlight;
  private long inFlightBytes;
  private int waiting;
  private long waitingBytes;

  /** How long it takes for one batch, smoothed; 0 as long as that is not known. */
  private double serviceNanos;

  // Sums over all batches that have left.
  private long batches;
  private long entries;
  private long bytes;
  private double fill;
  private long lingerNanos;
  private long answered;
  private long answerNanos;
  private long retried;

  NodeLoad(NodeId id) {
    this.id = id;
  }

  NodeId id() {
    return id;
  }

  void opened() {
    waiting++;
  }

  void added(long moreBytes) {
    waitingBytes += moreBytes;
  }

  void becomesDue(WriteBatch batch) {
    due.add(batch);
  }

  /** Whether a batch waits for nothing but room. */
  boolean hasDue() {
    return !due.isEmpty();
  }

  /** Whether the first of these takes no more writes. */
  boolean nextIsSealed() {
    WriteBatch first = due.peek();
    return first != null && first.sealed();
  }

  /** When the first of these came to wait for room. */
  long dueSinceNanos() {
    WriteBatch first = due.peek();
    return first == null ? Long.MAX_VALUE : first.dueNanos();
  }

  int inFlight() {
    return inFlight;
  }

  long inFlightBytes() {
    return inFlightBytes;
  }

  /** Bytes that wait or are in flight. */
  long queuedBytes() {
    return waitingBytes + inFlightBytes;
  }

  /** How long a batch would take that left behind those that are there. */
  long expectedNanos() {
    return (long) (serviceNanos * (inFlight + due.size() + 1));
  }

  WriteBatch leave(long nowNanos, int batchBytes) {
    WriteBatch batch = due.remove();
    batch.leave(nowNanos);
    waiting--;
    waitingBytes -= batch.bytes();
    inFlight++;
    inFlightBytes += batch.bytes();
    batches++;
    entries += batch.writes().size();
    bytes += batch.bytes();
    fill += Math.min(1, (double) batch.bytes() / batchBytes);
    lingerNanos += nowNanos - batch.openedNanos();
    return batch;
  }

  void ended(WriteBatch batch, long nowNanos) {
    double sample = (double) (nowNanos - batch.sentNanos()) / inFlight;
    serviceNanos =
        answered == 0 ? sample : serviceNanos + (sample - serviceNanos) / SMOOTHING_BATCHES;
    inFlight--;
    inFlightBytes -= batch.bytes();
    answered++;
    answerNanos += nowNanos - batch.sentNanos();
  }

  void retried(int times) {
    retried += times;
  }

  NodeTotals totals(String name) {
    return new NodeTotals(
        name,
        batches,
        entries,
        bytes,
        fill,
        lingerNanos,
        answered,
        answerNanos,
        retried,
        waiting,
        inFlightBytes);
  }
}
