package dev.headrace.rebalance.migration;

import dev.headrace.rebalance.message.MovesNotice;
import dev.headrace.rebalance.migration.Migration.State;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The migrations that have begun and are not in force: at most one of each segment, with the orders
 * to their sources and the bound of copies for each node that is copied to. Used by the coordinator
 * alone.
 */
final class InFlightMoves {
  private static final int MAX_READY_COMMITS = 4; // copying stops while this many commits are ready

  private final RebalancerSettings settings;
  private final RebalancerEffects effects;
  private final Map<Integer, Migration> bySegment = new LinkedHashMap<>();
  private final Set<Migration> ready = new LinkedHashSet<>();

  /** The copies that are not ready, for each node that is copied to. */
  private final Map<NodeId, Integer> copying = new HashMap<>();

  /** What is to be sent to each source. */
  private final Map<NodeId, List<SegmentCopy>> orders = new LinkedHashMap<>();

  InFlightMoves(RebalancerSettings settings, RebalancerEffects effects) {
    this.settings = settings;
    this.effects = effects;
  }

  void clear() {
    bySegment.clear();
    ready.clear();
    copying.clear();
    orders.clear();
  }

  // ---- What there is

  boolean isEmpty() {
    return bySegment.isEmpty();
  }

  int size() {
    return bySegment.size();
  }

  Collection<Migration> all() {
    return bySegment.values();
  }

  @Nullable Migration of(int segment) {
    return bySegment.get(segment);
  }

  /** Those that can be committed, the one that has waited longest first. */
  Collection<Migration> ready() {
    return ready;
  }

  /** How many copies are made. */
  int copies() {
    return bySegment.values().stream().mapToInt(one -> one.destinations().size()).sum();
  }

  /** What is copied, for everybody who wants to see it. */
  MovesNotice notice() {
    return new MovesNotice(
        bySegment.values().stream()
            .filter(Migration::copies)
            .limit(MovesNotice.MAX_NAMED)
            .map(Migration::told)
            .toList());
  }

  /** Whether one more copy to a node may begin. */
  boolean hasRoom(NodeId node) {
    return copying.getOrDefault(node, 0) < settings.copiesPerNode()
        && ready.size() < MAX_READY_COMMITS * settings.movesPerCommit();
  }

  // ---- How a migration goes

  void begin(Migration migration) {
    bySegment.put(migration.segment(), migration);
    if (migration.copies()) {
      count(migration, 1);
      order(migration);
    } else {
      ready.add(migration);
    }
  }

  /** A migration gets into a state; one that is ready does not count among the copies. */
  void enter(Migration migration, State next, long nowNanos) {
    boolean was = migration.state() == State.READY;
    boolean is = next == State.READY;
    migration.enter(next, nowNanos);
    if (is && ready.add(migration)) {
      count(migration, -1);
    } else if (was && !is) {
      ready.remove(migration);
      count(migration, 1);
    }
  }

  /** Orders copies again that nothing was heard of. */
  void tick(long nowNanos) {
    for (Migration migration : bySegment.values()) {
      if (migration.copies() && nowNanos - migration.sinceNanos() >= settings.resendNanos()) {
        boolean copied = migration.state() == State.READY;
        enter(migration, copied ? State.READY : State.COPYING, nowNanos);
        order(migration); // A source ends what is no longer asked for, ready or not.
      }
    }
  }

  /** A migration is over, one way or the other. */
  void end(Migration migration) {
    bySegment.remove(migration.segment());
    if (!ready.remove(migration)) {
      count(migration, -1);
    }
  }

  private void count(Migration migration, int change) {
    migration.destinations().forEach(node -> copying.merge(node, change, Integer::sum));
  }

  // ---- Orders

  private void order(Migration migration) {
    orders.computeIfAbsent(migration.source(), source -> new ArrayList<>()).add(migration.order());
  }

  /** Sends the sources what is new for them. */
  void sendOrders(long epoch) {
    orders.forEach(
        (source, list) -> {
          if (!list.isEmpty()) {
            effects.copy(source, epoch, list);
          }
        });
    orders.clear();
  }

  /** Ends migrations that are no longer wanted. */
  void cancel(List<Migration> superseded) {
    Map<NodeId, List<Long>> bySource = new LinkedHashMap<>();
    for (Migration migration : superseded) {
      end(migration);
      if (migration.copies()) {
        bySource
            .computeIfAbsent(migration.source(), source -> new ArrayList<>())
            .add(migration.id());
      }
    }
    bySource.forEach(this::cancel);
  }

  private void cancel(NodeId source, List<Long> ids) {
    List<SegmentCopy> unsent = orders.get(source);
    if (unsent != null) {
      unsent.removeIf(copy -> ids.contains(copy.migration())); // It would overtake the end.
    }
    effects.cancel(source, ids);
  }
}
