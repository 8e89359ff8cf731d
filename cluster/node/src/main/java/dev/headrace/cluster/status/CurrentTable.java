package dev.headrace.cluster.status;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableListener;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import dev.headrace.stream.Timer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest segment table of this node, and the tasks that wait for a newer one. Thread-safe.
 *
 * <pre>
 * state    event    guard               next     effects
 * ---------------------------------------------------------------------------------------------
 * EMPTY    show                         EMPTY    the table can be looked at, not acted by
 * EMPTY    onTable                      OPEN     run who waits
 * OPEN     onTable  it is newer         OPEN     run who waits for this epoch
 * any      await    none is newer yet   same     wait
 * any      retire                       RETIRED  run everybody; nobody waits any more
 * any      close                        CLOSED   the same, and the table is refused
 * </pre>
 */
public final class CurrentTable implements Ownership, TableListener {
  private static final Logger LOG = LoggerFactory.getLogger(CurrentTable.class);

  private final NodeId self;
  private final List<Waiting> waiting = new ArrayList<>(); // guarded by itself
  private volatile @Nullable SegmentTable table;
  private volatile @Nullable SegmentTable shown;
  private volatile boolean closed;
  private volatile boolean retired; // set under waiting

  public CurrentTable(NodeId self) {
    this.self = self;
  }

  @Override
  public NodeId self() {
    return self;
  }

  /**
   * The newest table.
   *
   * @throws IllegalStateException before the first one
   * @throws NodeClosedException after {@link #close}
   */
  @Override
  public SegmentTable view() {
    if (closed) {
      throw new NodeClosedException("This node was closed; start another");
    }
    SegmentTable newest = table == null ? shown : table;
    if (newest == null) {
      throw new IllegalStateException("The node has no segment table yet");
    }
    return newest;
  }

  /** The newest table, or null before the first one of which this node is a member. */
  public @Nullable SegmentTable orNull() {
    return table;
  }

  /** Its epoch, or -1 before the first one. */
  public long epochOrNone() {
    SegmentTable now = table;
    return now == null ? -1 : now.epoch();
  }

  /** A member of the newest table; null if the node is not one. */
  public @Nullable Member member(NodeId id) {
    SegmentTable now = table;
    return now == null ? null : now.member(id);
  }

  /** The name of a node, or its identity if the table does not have it. */
  public String nameOf(NodeId id) {
    SegmentTable now = table;
    Member member = now == null ? null : now.member(id);
    return now == null || member == null ? id.toString() : Statuses.name(member, now);
  }

  /** The names of the data nodes in the table, or in the shown one, that are not present. */
  public List<String> membersMissingIn(List<NodeId> present) {
    SegmentTable newest = table == null ? shown : table;
    return newest == null
        ? List.of()
        : newest.members().stream()
            .filter(member -> member.capacity() > 0 && !present.contains(member.id()))
            .map(Member::name)
            .toList();
  }

  /** Shows a table of which this node is not a member, until it has one of its own. */
  public void show(SegmentTable foreign) {
    shown = foreign;
  }

  /** Replaces the table by a newer one and runs what waited for it. */
  @Override
  public void onTable(TableDelta delta, SegmentTable newer) {
    List<Waiting> due;
    synchronized (waiting) {
      SegmentTable present = table;
      if (present != null && present.epoch() >= newer.epoch()) {
        return;
      }
      table = newer;
      due = waiting.stream().filter(waiter -> waiter.epoch < newer.epoch()).toList();
      waiting.removeAll(due);
    }
    due.forEach(Waiting::run);
  }

  /** Closes the table with its node. Waiting tasks run, and find out. */
  public void close() {
    closed = true;
    retire();
  }

  /** No newer table will come. Waiting tasks run. */
  public void retire() {
    List<Waiting> due;
    synchronized (waiting) {
      retired = true;
      due = List.copyOf(waiting);
      waiting.clear();
    }
    due.forEach(Waiting::run);
  }

  @Override
  public Timer.Cancellable awaitNewerThan(long epoch, Runnable task) {
    Waiting waiter = new Waiting(epoch, task);
    synchronized (waiting) {
      SegmentTable present = table;
      if (!retired && (present == null || present.epoch() <= epoch)) {
        waiting.add(waiter);
        return () -> forget(waiter);
      }
    }
    task.run();
    return () -> {};
  }

  private void forget(Waiting waiter) {
    synchronized (waiting) {
      waiting.remove(waiter);
    }
  }

  /** Whether no newer table will come. */
  boolean isRetired() {
    return retired;
  }

  /** The number of waiting tasks, for tests. */
  int waiting() {
    synchronized (waiting) {
      return waiting.size();
    }
  }

  /** A waiting task. Not a record, since two may be equal. */
  private static final class Waiting {
    private final long epoch;
    private final Runnable task;

    Waiting(long epoch, Runnable task) {
      this.epoch = epoch;
      this.task = task;
    }

    /** Runs the task. If it throws, the others and the table go on. */
    void run() {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        LOG.error("A task that waited for a newer table failed", e);
      }
    }
  }
}
