package dev.headrace.cluster.status;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;
import dev.headrace.stream.Timer;

/**
 * The ownership of segments as streams see it: that of the current table. When this node goes on in
 * another cluster, all segments are lost for its streams, so that each ends as if the segments had
 * lost all their owners. Thread-safe.
 */
public final class StreamedTable implements Ownership {
  private final CurrentTable table;

  public StreamedTable(CurrentTable table) {
    this.table = table;
  }

  @Override
  public NodeId self() {
    return table.self();
  }

  @Override
  public View view() {
    View newest = table.view();
    return table.isRetired() ? new Gone(newest) : newest;
  }

  @Override
  public Timer.Cancellable awaitNewerThan(long epoch, Runnable task) {
    return table.awaitNewerThan(epoch, task);
  }

  /**
   * The view of a cluster whose data nodes have all been started anew: no segment has an owner.
   *
   * @param last the cluster's last table
   */
  private record Gone(View last) implements View {
    @Override
    public long epoch() {
      return Long.MAX_VALUE;
    }

    @Override
    public int segments() {
      return last.segments();
    }

    @Override
    public int ownerCount(int segment) {
      return 0;
    }

    @Override
    public NodeId owner(int segment, int index) {
      throw new IndexOutOfBoundsException("Segment " + segment + " has no owner");
    }

    @Override
    public int incarnation(int segment) {
      return last.incarnation(segment) + 1;
    }

    @Override
    public int protocol() {
      return last.protocol();
    }

    @Override
    public boolean written() {
      return true;
    }
  }
}
