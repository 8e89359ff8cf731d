package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationId;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** Operations of one segment that have come before they may be served. Guarded by the lane. */
public final class WaitingOperations implements Iterable<Operation> {
  private final Room room;
  private final ArrayDeque<Operation> waiting = new ArrayDeque<>(0);

  /** Room that several may share. Guarded by the lane. */
  static final class Room {
    private final LaneSettings settings;
    private int operations;
    private long bytes;

    Room(LaneSettings settings) {
      this.settings = settings;
    }

    boolean take(long more) {
      if (operations >= settings.maxWaiting() || bytes + more > LaneSettings.MAX_WAITING_BYTES) {
        return false;
      }
      operations++;
      bytes += more;
      return true;
    }

    void giveBack(long less) {
      operations--;
      bytes -= less;
    }
  }

  /** With room of its own. */
  public WaitingOperations(LaneSettings settings) {
    this(new Room(settings));
  }

  WaitingOperations(Room room) {
    this.room = room;
  }

  /** Keeps an operation; false if there is no room. */
  public boolean keep(Operation operation) {
    boolean fits = room.take(bytesOf(operation));
    if (fits) {
      waiting.add(operation);
    }
    return fits;
  }

  static long bytesOf(Operation operation) {
    return operation.key().length
        + (long) lengthOf(operation.value())
        + lengthOf(operation.expected());
  }

  private static int lengthOf(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  /** Takes the operation that has waited longest, or null. */
  public @Nullable Operation next() {
    Operation next = waiting.poll();
    if (next != null) {
      room.giveBack(bytesOf(next));
    }
    return next;
  }

  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  public int size() {
    return waiting.size();
  }

  /** Whether an operation waits that was sent again. */
  boolean contains(OperationId id) {
    for (Operation operation : waiting) {
      OperationId present = operation.id();
      if (present.sequence() == id.sequence() && present.caller().equals(id.caller())) {
        return true;
      }
    }
    return false;
  }

  /** Forgets operations of callers that are no members. */
  void forgetStrangers(SegmentTable table) {
    waiting.removeIf(
        operation -> {
          boolean stranger = table.member(operation.id().caller()) == null;
          if (stranger) {
            room.giveBack(bytesOf(operation));
          }
          return stranger;
        });
  }

  @Override
  public Iterator<Operation> iterator() {
    return waiting.iterator();
  }
}
