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
 * Faults that wait for their moment: the n-th message of a kind. So that a node dies in the middle
 * of what it does, not just at any time.
 */
final class Traps {
  private static final String INSTALLATION = "installation";

  private final World world;
  private final List<Trap> armed = new ArrayList<>();
  private final Map<String, Spring> looks = new HashMap<>();
  private final Set<String> kindsSeen = new TreeSet<>();

  /** What happens when the moment has come. */
  @FunctionalInterface
  interface Spring {
    void snap(SimulatedNode from, @Nullable SimulatedNode to, Object message);
  }

  private static final class Trap {
    final String kind;
    final boolean onDelivery;
    final Spring spring;
    int left;

    Trap(String kind, boolean onDelivery, int left, Spring spring) {
      this.kind = kind;
      this.onDelivery = onDelivery;
      this.left = left;
      this.spring = spring;
    }
  }

  Traps(World world) {
    this.world = world;
  }

  /** Something happens just before a node sends its n-th message of a kind. */
  void beforeSending(String kind, int nth, Spring spring) {
    armed.add(new Trap(kind, false, nth, spring));
  }

  /** Something happens just after a node has handled the n-th message of a kind. */
  void afterDelivery(String kind, int nth, Spring spring) {
    armed.add(new Trap(kind, true, nth, spring));
  }

  /** Something is looked at whenever a message of a kind is sent. */
  void always(String kind, Spring look) {
    looks.put(kind, look);
  }

  /** Something happens just after a node has put the n-th table in force. */
  void afterInstallation(int nth, Spring spring) {
    armed.add(new Trap(INSTALLATION, true, nth, spring));
  }

  void installed(SimulatedNode node) {
    if (!armed.isEmpty()) {
      fire(INSTALLATION, true, node, node, INSTALLATION);
    }
  }

  void disarm() {
    armed.clear();
  }

  /** The kinds of messages that there were. */
  Set<String> kindsSeen() {
    return kindsSeen;
  }

  void sent(String kind, SimulatedNode from, NodeId to, Object message) {
    kindsSeen.add(kind);
    Spring look = looks.get(kind);
    if (look != null) {
      look.snap(from, world.nodes.get(to), message);
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
    for (Trap trap : List.copyOf(armed)) {
      if (trap.onDelivery == onDelivery && trap.kind.equals(kind) && --trap.left == 0) {
        armed.remove(trap);
        trap.spring.snap(from, to, message);
      }
    }
  }
}
