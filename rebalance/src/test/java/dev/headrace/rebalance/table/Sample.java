package dev.headrace.rebalance.table;

import com.sun.management.ThreadMXBean;
import dev.headrace.stream.NodeId;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Members and tables of tests. */
final class Sample {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Sample() {}

  static Member member(long number, double capacity) {
    return new Member(
        new NodeId(number, number), "node-" + number, "localhost", 4000, "", capacity);
  }

  static List<Member> members(int count) {
    List<Member> members = new ArrayList<>();
    for (int number = 1; number <= count; number++) {
      members.add(member(number, 1));
    }
    return members;
  }

  /** A written table whose owners lie one behind the other. */
  static SegmentTable table(int members, int segments, int owners) {
    int[][] rows = new int[segments][owners];
    for (int segment = 0; segment < segments; segment++) {
      for (int index = 0; index < owners; index++) {
        rows[segment][index] = (segment * 7 + index) % members;
      }
    }
    TableHeader header =
        new TableHeader(
            Epoch.first(3, new NodeId(1, 1)), 11, 13, 17, segments, owners, 100, "ketama-md5");
    return SegmentTable.of(header, members(members), rows);
  }

  /** Replaces one owner of a segment by a member that did not own it. */
  static void migrate(TableEdit edit, SegmentTable table, int segment, Random random) {
    List<NodeId> owners = new ArrayList<>(table.owners(segment));
    List<Member> others = new ArrayList<>(table.members());
    others.removeIf(member -> owners.contains(member.id()));
    owners.set(random.nextInt(owners.size()), others.get(random.nextInt(others.size())).id());
    edit.owners(segment, owners);
  }

  static ByteBuffer encoded(SegmentTable table) {
    ByteBuffer out = ByteBuffer.allocate(table.encoded().length());
    table.encoded().copyTo(out);
    return out.flip();
  }

  static ByteBuffer encoded(TableDelta delta) {
    ByteBuffer out = ByteBuffer.allocate(delta.encoded().length());
    delta.encoded().copyTo(out);
    return out.flip();
  }

  static ByteBuffer encoded(TableSlice slice) {
    ByteBuffer out = ByteBuffer.allocate(slice.encoded().length());
    slice.encoded().copyTo(out);
    return out.flip();
  }

  /** How many bytes this thread allocates while it runs something. */
  static long allocatedBytes(Runnable task) {
    long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    task.run();
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
  }
}
