package dev.headrace.rebalance.write.role;

import dev.headrace.rebalance.message.Operation;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.write.history.LaneSettings;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** Operations of one segment that have come before they may be served. Guarded by the lane. */
public final class WaitingOperations implements Iterable<Operation> {
  private final LaneSettings settings;
  private final ArrayDeque<Operation> waiting = new ArrayDeque<>(0);
  private long bytes;

  public WaitingOperations(LaneSettings settings) {
    this.settings = settings;
  }

  /** Keeps an operation; false if there is no room. */
  public boolean keep(Operation operation) {
    long more = operation.key().length + (long) lengthOf(operation.value());
    if (waiting.size() >= settings.maxWaiting() || bytes + more > LaneSettings.MAX_WAITING_BYTES) {
      return false;
    }
    bytes += more;
    waiting.add(operation);
    return true;
  }

  private static int lengthOf(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  /** Takes the operation that has waited longest, or null. */
  public @Nullable Operation next() {
    Operation next = waiting.poll();
    bytes = waiting.isEmpty() ? 0 : bytes;
    return next;
  }

  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  public int size() {
    return waiting.size();
  }

  /** Forgets operations of callers that are no members. */
  void forgetStrangers(SegmentTable table) {
    waiting.removeIf(operation -> table.member(operation.id().caller()) == null);
  }

  @Override
  public Iterator<Operation> iterator() {
    return waiting.iterator();
  }
}
