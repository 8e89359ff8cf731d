package dev.headrace.cluster.node.simulation;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.cluster.membership.MembershipListener;
import dev.headrace.cluster.read.ReadService;
import dev.headrace.cluster.wire.WireListener;
import dev.headrace.rebalance.agreement.ControlMessage;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.lane.LaneLoad;
import dev.headrace.stream.NodeId;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A node of the production code, as the simulation sees it. */
public interface Engine extends WireListener, ReadService, MembershipListener {

  /** Makes an engine that lives on a simulated node. */
  @FunctionalInterface
  interface Maker {
    Engine make(SimulatedNode node, Member member);
  }

  /** Time has passed. */
  void tick(long nowNanos);

  /** The table in force on this node; null before it has joined. */
  @Nullable SegmentTable table();

  /** Why the node is no longer part of the cluster; null as long as it may be. */
  @Nullable String ended();

  /** Asks to leave in order. */
  void leave();

  /** Decides that what segments hold that wait is gone. */
  CompletionStage<Set<Integer>> giveUp(Set<Integer> segments);

  /** Ends everything that waits. */
  void close();

  /** Opens a cache. */
  <K, V> Cache<K, V> open(CacheSettings<K, V> cache);

  /** The node that decides on the table, as this node knows it. */
  @Nullable NodeId coordinator();

  /** A control message from its binary form. */
  ControlMessage control(byte[] message);

  /** What is kept of operations in case that they are repeated. */
  long resultBytes();

  /** What its lanes keep in memory. */
  LaneLoad load();

  /** What is still under way here, for people; empty if everything is at rest. */
  String inFlight();
}
