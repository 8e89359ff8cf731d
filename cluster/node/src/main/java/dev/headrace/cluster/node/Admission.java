package dev.headrace.cluster.node;

import dev.headrace.api.error.JoinRefusedException;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How a node comes into its cluster and out of it. Thread-safe.
 *
 * <pre>
 * state    event    guard                            next     effects
 * --------------------------------------------------------------------------------------
 * JOINING  taken                                     JOINED   complete joined
 * JOINING  stalled  it has a capacity                JOINING  remember why
 * JOINING  stalled  it has none                      JOINED   complete joined, with a table of
 *                                                             which it is no member
 * JOINING  refused                                   ENDED    fail joined; complete ended
 * JOINED   refused                                   ENDED    complete ended: it was given up
 * any      left                                      ENDED    complete ended
 * </pre>
 */
final class Admission {
  private final boolean holdsSegments;
  private final CompletableFuture<SegmentTable> joined = new CompletableFuture<>();
  private final CompletableFuture<String> ended = new CompletableFuture<>();
  private final Set<NodeId> heard = ConcurrentHashMap.newKeySet();
  private volatile @Nullable String stalledBecause;
  private volatile List<NodeId> seen = List.of();

  /**
   * A node that has not joined anything yet.
   *
   * @param holdsSegments whether it has a capacity; a node without one need not be taken in to look
   *     at a cluster
   */
  Admission(boolean holdsSegments) {
    this.holdsSegments = holdsSegments;
  }

  /** Completed with the first table, or exceptionally by a refusal. */
  CompletableFuture<SegmentTable> joined() {
    return joined;
  }

  /** Completed with the reason when the node has left, or the cluster has given it up. */
  CompletableFuture<String> ended() {
    return ended;
  }

  /** Why this node was not taken in, although it has found others; null if it was or has not. */
  @Nullable String stalledBecause() {
    return stalledBecause;
  }

  /** There is a view: these are there, as it seems. */
  void sees(List<NodeId> members) {
    seen = members;
  }

  /** Who is there, as it seems. */
  List<NodeId> seen() {
    return seen;
  }

  /** A control message has come. */
  void hears(NodeId from) {
    if (!joined.isDone()) {
      heard.add(from);
    }
  }

  /** Who is there, as it seems, but has said nothing. */
  List<NodeId> silent(NodeId self) {
    return seen.stream().filter(id -> !id.equals(self) && !heard.contains(id)).toList();
  }

  /** The node has a table of which it is a member. */
  void taken(SegmentTable table) {
    joined.complete(table);
  }

  /** The cluster does not take this node, or has given it up. */
  void refused(String reason) {
    joined.completeExceptionally(new JoinRefusedException(reason));
    ended.complete(reason);
  }

  void left() {
    ended.complete("The node has left the cluster");
  }

  /** The cluster must not go on, and takes nobody in meanwhile. */
  void stalled(SegmentTable inForce, String reason) {
    stalledBecause = reason;
    if (!holdsSegments) {
      joined.complete(inForce);
    }
  }
}
