package dev.headrace.api;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of its cluster at one moment.
 *
 * @param clusterName the cluster's name
 * @param epoch the version of the segment table
 * @param segments number of segments
 * @param configuredOwners replicas each segment should have
 * @param effectiveOwners replicas each segment can have with the present data nodes
 * @param placement the name of the cluster's placement, such as {@code levelled-rendezvous}
 * @param lostSegments segments without any living owner
 * @param members all members, in the order they joined
 * @param rebalance the rebalance that is going on or was the last, as far as this node has heard;
 *     null if there was none
 * @param suspendedBecause why the part of the cluster that this node is in refuses reads, writes
 *     and streams, naming the nodes that are missing; null if it does not
 */
public record ClusterStatus(
    String clusterName,
    long epoch,
    int segments,
    int configuredOwners,
    int effectiveOwners,
    String placement,
    List<Integer> lostSegments,
    List<Member> members,
    @Nullable Rebalance rebalance,
    @Nullable String suspendedBecause) {

  /** Copies the lists. */
  public ClusterStatus {
    lostSegments = List.copyOf(lostSegments);
    members = List.copyOf(members);
  }

  /**
   * How far a rebalance is.
   *
   * @param plannedCopies replicas that have to be copied
   * @param lowerBound how many would have to be copied at the least
   * @param copies replicas that have been copied and are in force
   * @param filling replicas that are being copied
   * @param bytes bytes of entries that were copied
   * @param elapsed since it began
   * @param remaining what it takes still if it goes on like this; zero while that is not known
   */
  public record Rebalance(
      int plannedCopies,
      int lowerBound,
      int copies,
      int filling,
      long bytes,
      Duration elapsed,
      Duration remaining) {

    /** Whether something is still to be moved. */
    public boolean running() {
      return copies < plannedCopies || filling > 0;
    }
  }

  /**
   * A node of the cluster.
   *
   * @param name the node's name
   * @param address its data address, {@code host:port}
   * @param zone its zone, may be empty
   * @param capacity its weight; 0 if it holds nothing
   * @param primarySegments segments it orders the writes of
   * @param backupSegments segments it holds a further replica of
   * @param coordinator whether it decides on the segment table
   * @param self whether it is the node that was asked
   */
  public record Member(
      String name,
      String address,
      String zone,
      double capacity,
      int primarySegments,
      int backupSegments,
      boolean coordinator,
      boolean self) {}
}
