package dev.headrace.api;

import java.util.List;

/**
 * What a node knows of its cluster at one moment.
 *
 * @param clusterName the cluster's name
 * @param epoch the version of the segment table
 * @param segments number of segments
 * @param configuredOwners replicas each segment should have
 * @param effectiveOwners replicas each segment can have with the present data nodes
 * @param lostSegments segments without any living owner
 * @param members all members, in the order they joined
 */
public record ClusterStatus(
    String clusterName,
    long epoch,
    int segments,
    int configuredOwners,
    int effectiveOwners,
    List<Integer> lostSegments,
    List<Member> members) {

  /** Copies the lists. */
  public ClusterStatus {
    lostSegments = List.copyOf(lostSegments);
    members = List.copyOf(members);
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
