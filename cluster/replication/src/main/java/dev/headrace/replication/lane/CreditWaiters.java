package dev.headrace.replication.lane;

import dev.headrace.replication.copy.RunningCopies;
import dev.headrace.stream.NodeId;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The lanes that found no room for a chunk on its way to a node: first come, first served.
 * Thread-safe.
 */
final class CreditWaiters {
  private final RunningCopies runningCopies;
  private final Map<NodeId, Set<Lane>> waiting = new ConcurrentHashMap<>();

  CreditWaiters(RunningCopies runningCopies) {
    this.runningCopies = runningCopies;
  }

  /** A lane waits, unless it does already. */
  void add(NodeId destination, Lane lane) {
    waiting.compute(
        destination,
        (node, present) -> {
          Set<Lane> lanes = present == null ? new LinkedHashSet<>() : present;
          lanes.add(lane);
          return lanes;
        });
  }

  /** Takes out the lane that waits longest, if there is room for its chunk; else null. */
  @Nullable Lane next(NodeId destination) {
    if (!waiting.containsKey(destination) || !runningCopies.hasRoom(destination)) {
      return null;
    }
    Lane[] first = new Lane[1];
    waiting.computeIfPresent(
        destination,
        (node, lanes) -> {
          Iterator<Lane> longest = lanes.iterator();
          first[0] = longest.next();
          longest.remove();
          return lanes.isEmpty() ? null : lanes;
        });
    return first[0];
  }

  /** The nodes that lanes wait for. */
  List<NodeId> destinations() {
    return List.copyOf(waiting.keySet());
  }
}
