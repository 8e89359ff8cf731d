package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Those of a view that have greeted. When everybody has, all nodes find the same coordinator,
 * because they go by what each held when it entered.
 *
 * @param hellos the hellos of the nodes of one group in the view's order: usually of all; where
 *     clusters with different data meet, of one cluster, to the first of which all nodes without
 *     data belong
 * @param firstWrite the first write of this group, 0 if nobody in it has one
 * @param foreign tables of the other clusters that hold data
 * @param goesOn whether this cluster is the one that serves: the one with the most data nodes, and
 *     of those with equally many the one with the lowest first write
 */
record ViewSummary(List<Hello> hellos, long firstWrite, List<TableHeader> foreign, boolean goesOn) {

  /**
   * The part of a view that concerns a node.
   *
   * @param taken nodes without data that this node has taken in before everybody had greeted
   */
  static ViewSummary of(List<Hello> view, NodeId self, Set<NodeId> taken) {
    Map<Long, TableHeader> clusters = clusters(view);
    long firstWrite = 0;
    for (Hello hello : view) {
      firstWrite = hello.member().id().equals(self) ? group(hello, clusters) : firstWrite;
    }
    long group = firstWrite;
    List<Hello> hellos =
        view.stream()
            .filter(hello -> group(hello, clusters) == group || isTaken(hello, taken, clusters))
            .toList();
    boolean goesOn =
        clusters.keySet().stream()
            .allMatch(other -> other == group || isBefore(group, other, view));
    clusters.remove(group);
    return new ViewSummary(hellos, group, List.copyOf(clusters.values()), goesOn);
  }

  /** Who was taken in for want of data, and turns out to have some, is of another cluster. */
  private static boolean isTaken(Hello hello, Set<NodeId> taken, Map<Long, TableHeader> clusters) {
    return taken.contains(hello.member().id()) && !clusters.containsKey(firstWriteAtEntry(hello));
  }

  private static boolean isBefore(long clusterId, long other, List<Hello> view) {
    int more = Integer.compare(dataNodes(clusterId, view), dataNodes(other, view));
    return more != 0 ? more > 0 : Long.compareUnsigned(clusterId, other) < 0;
  }

  private static int dataNodes(long clusterId, List<Hello> view) {
    return (int)
        view.stream()
            .filter(
                hello -> hello.member().holdsSegments() && firstWriteAtEntry(hello) == clusterId)
            .count();
  }

  /**
   * The clusters of a view that hold data. A written table that only nodes without capacity still
   * have describes nothing. A first write that nobody knows to be in force gives way to one that
   * somebody does, or else to the newest: there is nothing that the nodes that have stored it could
   * lose.
   */
  private static Map<Long, TableHeader> clusters(List<Hello> view) {
    Map<Long, TableHeader> certain = new LinkedHashMap<>();
    TableHeader newest = null;
    for (Hello hello : view) {
      TableHeader inForce = hello.inForce();
      TableHeader stored = hello.stored();
      if (stored == null || !stored.written() || !hello.member().holdsSegments()) {
        continue;
      }
      if (inForce != null && inForce.written()) {
        certain.putIfAbsent(inForce.firstWrite(), stored);
      }
      newest = newest == null || stored.epoch() > newest.epoch() ? stored : newest;
    }
    if (certain.isEmpty() && newest != null) {
      certain.put(newest.firstWrite(), newest);
    }
    return certain;
  }

  /** The node that decides in this view, or null if no node of it has a capacity. */
  @Nullable NodeId coordinator() {
    Hello best = newestDataNode();
    return best == null ? null : best.member().id();
  }

  /** The epoch of the newest table that it had when it entered the view, -1 if it had none. */
  long coordinatorsEpoch() {
    Hello best = newestDataNode();
    return best == null ? -1 : epochAtEntry(best);
  }

  /** That of the table on which it acts, 0 if it is unwritten. */
  long coordinatorsFirstWrite() {
    Hello best = newestDataNode();
    TableHeader inForce = best == null ? null : best.inForce();
    return inForce == null ? 0 : inForce.firstWrite();
  }

  private @Nullable Hello newestDataNode() {
    Hello best = null;
    for (Hello hello : hellos) {
      boolean candidate = hello.member().holdsSegments() && firstWriteAtEntry(hello) == firstWrite;
      if (candidate && (best == null || epochAtEntry(hello) > epochAtEntry(best))) {
        best = hello;
      }
    }
    return best;
  }

  /** The newest ballot that any node of the group has promised, or of which it has tables. */
  long newestBallot() {
    return hellos.stream()
        .mapToLong(hello -> Math.max(hello.promisedBallot(), Epoch.ballot(epochAtEntry(hello))))
        .max()
        .orElse(0);
  }

  /** The epoch of the newest table that is in force at any node of the group, -1 if none is. */
  long newestInForce() {
    return hellos.stream()
        .map(Hello::inForce)
        .filter(Objects::nonNull)
        .mapToLong(TableHeader::epoch)
        .max()
        .orElse(-1);
  }

  /**
   * Those that act upon a table in force, or upon another one of the same first write. Where the
   * table is unwritten, nobody has anything, and everybody who knows it has all there is.
   */
  List<NodeId> actingOn(TableHeader table) {
    return hellos.stream()
        .filter(
            hello -> {
              TableHeader inForce = hello.inForce();
              return inForce != null
                  && inForce.clusterId() == table.clusterId()
                  && inForce.firstWrite() == table.firstWrite()
                  && (table.written() || inForce.epoch() == table.epoch());
            })
        .map(hello -> hello.member().id())
        .toList();
  }

  /**
   * Whether a node has come from another cluster without data, and has left others behind there.
   */
  boolean leavesBehind(long clusterId) {
    for (Hello hello : hellos) {
      TableHeader inForce = hello.inForce();
      if (hello.leavesBehind() && inForce != null && inForce.clusterId() != clusterId) {
        return true;
      }
    }
    return false;
  }

  private static long group(Hello hello, Map<Long, TableHeader> clusters) {
    long firstWrite = firstWriteAtEntry(hello);
    if (clusters.isEmpty()) {
      return 0;
    }
    return clusters.containsKey(firstWrite) ? firstWrite : clusters.keySet().iterator().next();
  }

  private static long firstWriteAtEntry(Hello hello) {
    TableHeader entry = hello.stored();
    return entry == null ? 0 : entry.firstWrite();
  }

  static long epochAtEntry(Hello hello) {
    TableHeader entry = hello.stored();
    return entry == null ? -1 : entry.epoch();
  }
}
