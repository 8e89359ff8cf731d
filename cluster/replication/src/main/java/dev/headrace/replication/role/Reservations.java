package dev.headrace.replication.role;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.log.LaneSettings;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationId;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a segment that are reserved: a computation that other writes have overtaken more than
 * once gets a turn of its own. Guarded by the lane.
 *
 * <p>A conditional write that finds another version and wants so reserves the key for its node. As
 * long as the reservation lasts, mutations of the key by other nodes wait behind each other; it
 * ends with the next mutation of the node that has it, after {@link #LEASE_NANOS}, or when that
 * node goes. Then those that have waited are carried out in their order, up to the first that
 * reserves the key again. So every node that wants a key gets it in turn.
 *
 * <p>An operation whose processor other mutations have overtaken has the key for itself while it
 * runs: those of its own node wait, too, for {@link #RUN_LEASE_NANOS} at most.
 *
 * <p>Nothing rests on it but fairness: what a computation writes is conditional on the version that
 * it has seen, whoever has reserved what. So it is not replicated, and ends with the primary.
 */
final class Reservations {

  /** The most keys of a segment that are reserved at the same time. */
  static final int MAX_KEYS = 64;

  /** So long a key stays reserved for a node that is not heard of. */
  static final long LEASE_NANOS = 500_000_000L;

  /** So long a key stays reserved for one run of a processor. */
  static final long RUN_LEASE_NANOS = 5_000_000_000L;

  private final Map<ByteBuffer, Reservation> reserved = new HashMap<>(0);

  /** Bounds what waits for all keys together. */
  private final WaitingOperations.Room room;

  private static final class Reservation {
    private final byte[] key;
    private final WaitingOperations waiting;
    private @Nullable NodeId holder;
    private @Nullable OperationId only; // of the holder's operations the one that it is for, if one
    private long untilNanos;

    Reservation(byte[] key, WaitingOperations waiting) {
      this.key = key;
      this.waiting = waiting;
    }

    boolean isHeld(long nowNanos) {
      return holder != null && nowNanos - untilNanos < 0;
    }

    boolean isFor(OperationId id) {
      OperationId one = only;
      return id.caller().equals(holder) && (one == null || one.isSameOperation(id));
    }

    void give(@Nullable NodeId node, @Nullable OperationId one) {
      holder = node;
      only = one;
    }
  }

  Reservations(LaneSettings settings) {
    this.room = new WaitingOperations.Room(settings);
  }

  boolean isEmpty() {
    return reserved.isEmpty();
  }

  /** Whether a mutation has to wait for others. */
  boolean holdsUp(Operation operation, long nowNanos) {
    if (reserved.isEmpty()) {
      return false;
    }
    Reservation present = reserved.get(ByteBuffer.wrap(operation.key()));
    return present != null && !(present.isHeld(nowNanos) && present.isFor(operation.id()));
  }

  /** Lets a mutation wait that is held up; false if there is no room. */
  boolean keep(Operation operation) {
    Reservation present = reserved.get(ByteBuffer.wrap(operation.key()));
    return present != null
        && (present.waiting.contains(operation.id()) || present.waiting.keep(operation));
  }

  /** A mutation has been carried out. */
  void carriedOut(Operation operation, boolean applied, long nowNanos) {
    boolean reserves = operation.reserve() && !applied;
    if (!reserves && reserved.isEmpty()) {
      return;
    }
    Reservation present = reserved.get(ByteBuffer.wrap(operation.key()));
    boolean othersFirst = false;
    if (present != null && present.isFor(operation.id())) {
      present.give(null, null);
      othersFirst = !present.waiting.isEmpty();
    }
    if (reserves && !othersFirst) {
      give(present, operation, null, nowNanos + LEASE_NANOS);
    }
  }

  private void give(
      @Nullable Reservation present,
      Operation operation,
      @Nullable OperationId only,
      long untilNanos) {
    Reservation given = present;
    if (given == null && reserved.size() < MAX_KEYS) {
      given = new Reservation(operation.key(), new WaitingOperations(room));
      reserved.put(ByteBuffer.wrap(operation.key()), given);
    }
    if (given != null) {
      given.give(operation.id().caller(), only);
      given.untilNanos = untilNanos;
    }
  }

  /**
   * Reserves the key of an operation whose processor runs for that one alone, unless it is reserved
   * for others.
   */
  void reserveForRun(Operation operation, long nowNanos) {
    Reservation present = reserved.get(ByteBuffer.wrap(operation.key()));
    if (present == null || !present.isHeld(nowNanos) || present.isFor(operation.id())) {
      give(present, operation, operation.id(), nowNanos + RUN_LEASE_NANOS);
    }
  }

  /** An operation whose processor has run has ended, whether it was carried out or not. */
  void ended(Operation operation) {
    Reservation present = reserved.get(ByteBuffer.wrap(operation.key()));
    if (present != null && present.only != null && present.isFor(operation.id())) {
      present.give(null, null);
    }
  }

  /**
   * The next mutation of a key that need not wait any more; null if there is none, or if the key is
   * reserved.
   */
  @Nullable Operation next(byte[] key, long nowNanos) {
    if (reserved.isEmpty()) {
      return null;
    }
    ByteBuffer wrapped = ByteBuffer.wrap(key);
    Reservation present = reserved.get(wrapped);
    if (present == null || present.isHeld(nowNanos)) {
      return null;
    }
    present.give(null, null);
    Operation next = present.waiting.next();
    if (next == null) {
      reserved.remove(wrapped);
    }
    return next;
  }

  /** The keys that are not reserved any more although something waits for them. */
  List<byte[]> ended(long nowNanos) {
    List<byte[]> ended = new ArrayList<>(0);
    for (Reservation reservation : reserved.values()) {
      if (!reservation.isHeld(nowNanos)) {
        ended.add(reservation.key);
      }
    }
    return ended;
  }

  /** What was on its way to a node, or from it, may be lost: it has nothing reserved any more. */
  void release(NodeId node) {
    for (Reservation reservation : reserved.values()) {
      if (node.equals(reservation.holder)) {
        reservation.give(null, null);
      }
    }
  }

  /** Nodes that are no members have nothing reserved, and nothing that waits. */
  void forgetStrangers(SegmentTable table) {
    for (Reservation reservation : reserved.values()) {
      NodeId holder = reservation.holder;
      if (holder != null && table.member(holder) == null) {
        reservation.give(null, null);
      }
      reservation.waiting.forgetStrangers(table);
    }
  }

  /** All that waits. */
  List<Operation> waiting() {
    List<Operation> all = new ArrayList<>(0);
    reserved.values().forEach(reservation -> reservation.waiting.forEach(all::add));
    return all;
  }
}
