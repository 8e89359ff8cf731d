package dev.headrace.api;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/** What has happened in a cluster, as one node has learned it. See {@link Headrace#listen}. */
public sealed interface ClusterEvent {

  /**
   * A node has become a member.
   *
   * @param node its name
   * @param address its host and data port
   * @param back whether it could not be reached before, and brings back what it held
   */
  record NodeJoined(String node, String address, boolean back) implements ClusterEvent {}

  /**
   * A node is no member any more, or will not come back.
   *
   * @param node its name
   * @param address its host and data port
   * @param parting how it went
   */
  record NodeLeft(String node, String address, Parting parting) implements ClusterEvent {}

  /** How a node went. */
  enum Parting {
    /** In order: others have what it held. */
    LEFT,
    /** It crashed or cannot be reached any more; others have what it held. */
    LOST,
    /** It cannot be reached any more, and segments wait for what only it holds. */
    AWAITED,
    /** It had been awaited, and was given up: what only it holds is lost. */
    GIVEN_UP
  }

  /**
   * Segments have lost all their owners, and begin anew and empty.
   *
   * @param segments their numbers
   */
  record SegmentsLost(Set<Integer> segments) implements ClusterEvent {

    /** Copies the set. */
    public SegmentsLost {
      segments = Set.copyOf(segments);
    }
  }

  /**
   * A rebalance is complete: every segment is where it should be.
   *
   * @param replicas number of replicas of segments that were copied
   * @param bytes bytes of entries that were copied
   * @param elapsed how long it took
   */
  record Rebalanced(int replicas, long bytes, Duration elapsed) implements ClusterEvent {}

  /**
   * This node refuses reads, writes and streams from now on, as {@link
   * ClusterStatus#suspendedBecause} tells. Told again if the reason changes meanwhile.
   *
   * @param reason why, for people
   * @param missing the names of the data nodes that this node cannot reach
   */
  record Suspended(String reason, List<String> missing) implements ClusterEvent {

    /** Copies the list. */
    public Suspended {
      missing = List.copyOf(missing);
    }
  }

  /**
   * This node serves again after it was {@link Suspended}.
   *
   * @param elapsed for how long it has refused reads, writes and streams
   */
  record Resumed(Duration elapsed) implements ClusterEvent {}
}
