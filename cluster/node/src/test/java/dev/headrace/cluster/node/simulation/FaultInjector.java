package dev.headrace.cluster.node.simulation;

import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Injects faults at chosen moments, such as the n-th message of a kind, so that a node dies in the
 * middle of what it does and not just at any time.
 */
final class FaultInjector {
  private static final String INSTALLATION = "installation";

  private final World world;
  private final List<PlannedFault> armed = new ArrayList<>();
  private final Map<String, Action> looks = new HashMap<>();
  private final Set<String> kindsSeen = new TreeSet<>();

  /** What happens at the moment. */
  @FunctionalInterface
  interface Action {
    void run(SimulatedNode from, @Nullable SimulatedNode to, Object message);
  }

  private static final class PlannedFault {
    final String kind;
    final boolean onDelivery;
    final Action action;
    int left;

    PlannedFault(String kind, boolean onDelivery, int left, Action action) {
      this.kind = kind;
      this.onDelivery = onDelivery;
      this.left = left;
      this.action = action;
    }
  }

  FaultInjector(World world) {
    this.world = world;
  }

  /** Runs an action just before a node sends its n-th message of a kind. */
  void beforeSending(String kind, int nth, Action action) {
    armed.add(new PlannedFault(kind, false, nth, action));
  }

  /** Runs an action just after a node has handled the n-th message of a kind. */
  void afterDelivery(String kind, int nth, Action action) {
    armed.add(new PlannedFault(kind, true, nth, action));
  }

  /** Runs an action whenever a message of a kind is sent. */
  void always(String kind, Action look) {
    looks.put(kind, look);
  }

  /** Runs an action just after a node has put the n-th table in force. */
  void afterInstallation(int nth, Action action) {
    armed.add(new PlannedFault(INSTALLATION, true, nth, action));
  }

  void installed(SimulatedNode node) {
    if (!armed.isEmpty()) {
      fire(INSTALLATION, true, node, node, INSTALLATION);
    }
  }

  void disarm() {
    armed.clear();
  }

  /** The kinds of messages that were sent. */
  Set<String> kindsSeen() {
    return kindsSeen;
  }

  void sent(String kind, SimulatedNode from, NodeId to, Object message) {
    kindsSeen.add(kind);
    Action look = looks.get(kind);
    if (look != null) {
      look.run(from, world.nodes.get(to), message);
    }
    if (!armed.isEmpty()) {
      fire(kind, false, from, world.nodes.get(to), message);
    }
  }

  void delivered(String kind, SimulatedNode from, SimulatedNode to, Object message) {
    if (!armed.isEmpty()) {
      fire(kind, true, from, to, message);
    }
  }

  private void fire(
      String kind,
      boolean onDelivery,
      SimulatedNode from,
      @Nullable SimulatedNode to,
      Object message) {
    for (PlannedFault planned : List.copyOf(armed)) {
      if (planned.onDelivery == onDelivery && planned.kind.equals(kind) && --planned.left == 0) {
        armed.remove(planned);
        planned.action.run(from, to, message);
      }
    }
  }
}
