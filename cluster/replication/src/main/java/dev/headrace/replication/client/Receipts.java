package dev.headrace.replication.client;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.ResultsReceived;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Transport;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Tells owners from time to time which results this caller has received, so that they need not keep
 * them until it writes to the same segment again. Of the thread that ticks, but for what says so.
 */
final class Receipts {
  /** How long owners keep small results that have been received. */
  static final long INTERVAL_NANOS = 1_000_000_000L;

  /**
   * After this time, which grows with each repetition, all owners are told again: a copy or a late
   * mutation may bring a result to an owner after it was told.
   */
  static final long REPEAT_NANOS = 2_000_000_000L;

  private static final int REPEAT_GROWTH = 4;
  private static final int MAX_REPEATS = 3; // how often they are told again

  static final long MAX_BYTES = 1 << 20; // of received values, before the next tick tells of them

  /** Below it there is nothing that could have been received. */
  private static final long FIRST_NUMBER = 1;

  private final Transport transport;

  /** By window the oldest number of which owners were told; 0 if they never were. */
  private final long[] told = new long[OperationClient.WINDOWS];

  private final LongAdder bytes = new LongAdder();
  private volatile boolean tellAgain;

  // Of the last time; the first tick counts as one.
  private boolean begun;
  private long toldNanos;
  private int repeats = MAX_REPEATS; // how often they were told again since there was something new
  private long newsNanos;

  Receipts(Transport transport) {
    this.transport = transport;
  }

  /** A mutation has brought a value; on any thread. */
  void received(byte @Nullable [] value) {
    if (value != null) {
      bytes.add(value.length);
    }
  }

  /** Other owners may have results now, or what they were told is lost; on any thread. */
  void tellAgain() {
    tellAgain = true;
  }

  void tick(long nowNanos, SegmentTable table, IntFunction<@Nullable SequenceWindow> windows) {
    if (!begun) {
      begun = true;
      toldNanos = nowNanos;
    }
    if (bytes.sum() < MAX_BYTES && nowNanos - toldNanos < INTERVAL_NANOS) {
      return;
    }
    toldNanos = nowNanos;
    bytes.reset();
    boolean again = tellAgain;
    tellAgain = false;
    boolean news = again;
    again |= repeats < MAX_REPEATS && nowNanos - newsNanos >= repeatNanos();
    if (again) {
      repeats++;
    }
    Map<NodeId, LongStream.Builder> receivers = new HashMap<>();
    for (int index = 0; index < told.length; index++) {
      SequenceWindow window = windows.apply(index);
      long received = window == null ? 0 : window.received();
      boolean isNew = received > Math.max(FIRST_NUMBER, told[index]);
      if (isNew || (again && told[index] > 0)) {
        news |= isNew;
        told[index] = Math.max(told[index], received);
        for (NodeId owner : owners(table, index)) {
          receivers
              .computeIfAbsent(owner, absent -> LongStream.builder())
              .add(OperationClient.wire(told[index], index));
        }
      }
    }
    if (news) {
      repeats = 0;
      newsNanos = nowNanos;
    }
    receivers.forEach(
        (node, numbers) -> transport.send(node, new ResultsReceived(numbers.build().toArray())));
  }

  private long repeatNanos() {
    long nanos = REPEAT_NANOS;
    for (int i = 0; i < repeats; i++) {
      nanos *= REPEAT_GROWTH;
    }
    return nanos;
  }

  private static Set<NodeId> owners(SegmentTable table, int window) {
    Set<NodeId> owners = new LinkedHashSet<>();
    for (int segment = window; segment < table.segments(); segment += OperationClient.WINDOWS) {
      owners.addAll(table.owners(segment));
    }
    return owners;
  }
}
