package dev.headrace.cluster.agreement;

import dev.headrace.api.error.JoinRefusedException;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How a node joins its cluster and leaves it. Thread-safe.
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
public final class Admission {
  private final boolean holdsSegments;
  private final CompletableFuture<SegmentTable> joined = new CompletableFuture<>();
  private final CompletableFuture<String> ended = new CompletableFuture<>();
  private final Set<NodeId> heard = ConcurrentHashMap.newKeySet();
  private volatile @Nullable String stalledBecause;
  private volatile List<NodeId> seen = List.of();

  /**
   * A node that has not joined yet.
   *
   * @param holdsSegments whether it has a capacity; a node without one may look at a cluster that
   *     does not admit it
   */
  public Admission(boolean holdsSegments) {
    this.holdsSegments = holdsSegments;
  }

  /** Completed with the first table, or exceptionally by a refusal. */
  public CompletableFuture<SegmentTable> joined() {
    return joined;
  }

  /** Completed with the reason when the node has left, or the cluster has excluded it. */
  public CompletableFuture<String> ended() {
    return ended;
  }

  /** Why a cluster that was found did not admit this node; null if it did, or none was found. */
  public @Nullable String stalledBecause() {
    return stalledBecause;
  }

  /** A view has come with these members, which may or may not be alive. */
  public void sees(List<NodeId> members) {
    seen = members;
  }

  /** The members of the newest view. */
  public List<NodeId> seen() {
    return seen;
  }

  /** A control message has come. */
  public void hears(NodeId from) {
    if (!joined.isDone()) {
      heard.add(from);
    }
  }

  /** The members of the newest view that have sent no message. */
  public List<NodeId> silent(NodeId self) {
    return seen.stream().filter(id -> !id.equals(self) && !heard.contains(id)).toList();
  }

  /** The node has a table of which it is a member. */
  void taken(SegmentTable table) {
    joined.complete(table);
  }

  /** The cluster has refused this node, or has excluded it. */
  public void refused(String reason) {
    joined.completeExceptionally(new JoinRefusedException(reason));
    ended.complete(reason);
  }

  public void left() {
    ended.complete("The node has left the cluster");
  }

  /** The cluster has no quorum, and admits no node meanwhile. */
  public void stalled(SegmentTable inForce, String reason) {
    stalledBecause = reason;
    if (!holdsSegments) {
      joined.complete(inForce);
    }
  }
}
