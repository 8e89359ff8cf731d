package dev.headrace.cluster.node.simulation;

import dev.headrace.rebalance.agreement.MemberView;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The membership protocol: who believes to be among whom. Nodes of one part have the same view, and
 * each hears of it at another moment. It is right in the end, and late until then.
 */
final class Views {
  private final World world;
  private final SimulatedTime time;

  /** In the order in which they joined. */
  private final List<NodeId> members = new ArrayList<>();

  private final Map<NodeId, Integer> parts = new HashMap<>();
  private final Map<NodeId, Long> lastArrivalNanos = new HashMap<>();
  private final Map<Integer, List<NodeId>> shown = new HashMap<>();

  /** Those that are not told of views without the others: they do not run. */
  private final Set<NodeId> oblivious = new HashSet<>();

  /** Nodes that start do not see each other at first. */
  boolean apart;

  private long marks;
  private long unions;
  private int lastPart;

  Views(World world) {
    this.world = world;
    this.time = world.time;
  }

  /** A new node. */
  void started(SimulatedNode node) {
    members.add(node.id);
    parts.put(node.id, apart ? ++lastPart : 0);
    show();
  }

  /** A process is gone without a word, which is noticed after a while. */
  void crashed(SimulatedNode node) {
    time.schedule(time.delayNanos(20_000, 900_000), () -> left(node));
  }

  void left(SimulatedNode node) {
    if (members.remove(node.id)) {
      show();
    }
  }

  /** After a while some nodes are taken for lost by the others. */
  void separate(Set<NodeId> some, boolean toldSo, long leastMillis, long mostMillis) {
    long meanwhile = unions;
    time.schedule(
        time.delayNanos(1000 * leastMillis, 1000 * mostMillis),
        () -> {
          if (unions != meanwhile) {
            return; // They have been found again before they were missed.
          }
          int part = ++lastPart;
          some.forEach(id -> parts.put(id, part));
          if (!toldSo) {
            oblivious.addAll(some);
          }
          show();
        });
  }

  /** After a while everybody has found everybody again. */
  void unite(long leastMillis, long mostMillis) {
    time.schedule(time.delayNanos(1000 * leastMillis, 1000 * mostMillis), this::uniteNow);
  }

  void uniteNow() {
    unions++;
    apart = false;
    parts.replaceAll((id, part) -> 0);
    oblivious.clear();
    show();
  }

  /** Whether there is nothing that the membership protocol should still notice. */
  boolean settled() {
    Set<NodeId> living = new HashSet<>();
    world.living().forEach(node -> living.add(node.id));
    return living.equals(Set.copyOf(members))
        && parts.entrySet().stream()
            .allMatch(e -> e.getValue() == 0 || !living.contains(e.getKey()));
  }

  private void show() {
    Map<Integer, List<NodeId>> groups = new LinkedHashMap<>();
    for (NodeId id : members) {
      groups.computeIfAbsent(parts.getOrDefault(id, 0), part -> new ArrayList<>()).add(id);
    }
    shown.keySet().retainAll(groups.keySet());
    groups.forEach(
        (part, group) -> {
          if (!group.equals(shown.put(part, List.copyOf(group)))) {
            show(group);
          }
        });
  }

  private void show(List<NodeId> group) {
    if (time.onceIn(6)) {
      Collections.rotate(group, time.random.nextInt(group.size())); // after merges any may be first
    }
    MemberView view = new MemberView(++marks, group);
    for (NodeId id : group) {
      SimulatedNode node = world.nodes.get(id);
      if (node == null || !node.alive || oblivious.contains(id)) {
        continue;
      }
      long now = time.nanoTime();
      long own = now + time.delayNanos(20, time.onceIn(4) ? 200_000 : 4_000);
      long arrival = Math.max(lastArrivalNanos.getOrDefault(id, 0L), own);
      lastArrivalNanos.put(id, arrival);
      time.schedule(arrival - now, () -> node.run(() -> tell(node, view)));
    }
  }

  private void tell(SimulatedNode node, MemberView view) {
    if (view.mark() > node.view.mark()) {
      world.trace(
          () -> "view " + view.mark() + " of " + view.members().size() + " at " + world.name(node));
      node.view = view;
      node.engine.viewChanged(view);
    }
  }
}
