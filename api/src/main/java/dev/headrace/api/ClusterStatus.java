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
 * @param lostSegments segments without any living owner, those that wait for one included
 * @param members all members, in the order they joined
 * @param rebalance the rebalance that is going on or was the last, as far as this node has heard;
 *     null if there was none
 * @param suspendedBecause why the part of the cluster that this node is in refuses reads, writes
 *     and streams, naming the nodes that are missing; null if it does not
 * @param streamMemory what the streams of the node that was asked have buffered or in flight
 * @param clockError by how much this node's cluster time, by which entries expire, may differ from
 *     the coordinator's, as it estimates; zero at the coordinator
 * @param absent nodes that cannot be reached and alone have what some segments hold
 * @param security how the nodes know each other: {@code none}, {@code secret} or {@code tls}; see
 *     {@link NodeSettings#security}
 * @param missingReplicas how many replicas the segments lack: for each segment {@code
 *     effectiveOwners} less the owners that it has; replicas that are being copied to a new owner
 *     count until the hand-over
 * @param protocol the version of the protocol that all members know; it rises when the last node of
 *     an older release has gone
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
    @Nullable String suspendedBecause,
    StreamMemory streamMemory,
    Duration clockError,
    List<Absent> absent,
    String security,
    int missingReplicas,
    int protocol) {

  /** Copies the lists. */
  public ClusterStatus {
    lostSegments = List.copyOf(lostSegments);
    members = List.copyOf(members);
    absent = List.copyOf(absent);
  }

  /** A status without absent nodes, without security, with all replicas, of the first version. */
  public ClusterStatus(
      String clusterName,
      long epoch,
      int segments,
      int configuredOwners,
      int effectiveOwners,
      String placement,
      List<Integer> lostSegments,
      List<Member> members,
      @Nullable Rebalance rebalance,
      @Nullable String suspendedBecause,
      StreamMemory streamMemory,
      Duration clockError) {
    this(
        clusterName,
        epoch,
        segments,
        configuredOwners,
        effectiveOwners,
        placement,
        lostSegments,
        members,
        rebalance,
        suspendedBecause,
        streamMemory,
        clockError,
        List.of(),
        "none",
        0,
        1);
  }

  /**
   * A node for which segments wait. It is no longer a member, since no node could reach it.
   *
   * @param name the node's name
   * @param address its data address, {@code host:port}
   * @param segments the segments that wait for it, or for another node that has them, too
   */
  public record Absent(String name, String address, List<Integer> segments) {
    /** Copies the list. */
    public Absent {
      segments = List.copyOf(segments);
    }
  }

  /**
   * How far a rebalance is.
   *
   * @param plannedCopies replicas that have to be copied
   * @param lowerBound how many would have to be copied at the least
   * @param copies replicas that have been copied and are in force
   * @param copying replicas that are being copied
   * @param bytes bytes of entries that were copied
   * @param elapsed since it began
   * @param remaining what it takes still if it goes on like this; zero while that is not known
   * @param moves the segments that are being copied, the oldest moves first, at most 256. The
   *     coordinator tells the others four times a second; they know of none before all members know
   *     version 8 of the protocol
   */
  public record Rebalance(
      int plannedCopies,
      int lowerBound,
      int copies,
      int copying,
      long bytes,
      Duration elapsed,
      Duration remaining,
      List<Move> moves) {

    /** Copies the list. */
    public Rebalance {
      moves = List.copyOf(moves);
    }

    /** A rebalance of whose moves nobody has told. */
    public Rebalance(
        int plannedCopies,
        int lowerBound,
        int copies,
        int copying,
        long bytes,
        Duration elapsed,
        Duration remaining) {
      this(plannedCopies, lowerBound, copies, copying, bytes, elapsed, remaining, List.of());
    }

    /** Whether something is still to be moved. */
    public boolean running() {
      return copies < plannedCopies || copying > 0;
    }
  }

  /**
   * A segment that is being copied to nodes that are to own it.
   *
   * @param segment the segment
   * @param source the name of the node that it is copied from, its primary
   * @param destinations the names of those that it is copied to
   * @param copied whether they have everything, so that only the segment table has to say so
   */
  public record Move(int segment, String source, List<String> destinations, boolean copied) {
    /** Copies the list. */
    public Move {
      destinations = List.copyOf(destinations);
    }
  }

  /**
   * How a node's memory for streams is used, {@link NodeSettings#streamMemoryBytes}.
   *
   * @param budgetBytes the most that all streams of the node may hold
   * @param usedBytes what they hold or have been promised
   * @param streams streams that have begun and not ended, paused ones included
   * @param waiting streams that wait for memory to begin, or for a large entry
   */
  public record StreamMemory(long budgetBytes, long usedBytes, int streams, int waiting) {}

  /**
   * A node of the cluster.
   *
   * @param name the node's name
   * @param address its data address, {@code host:port}
   * @param zone its zone, may be empty
   * @param capacity its weight; 0 if it holds nothing
   * @param primarySegments segments it orders the writes of
   * @param backupSegments segments it holds a further replica of
   * @param memory how much of its memory for entries it uses, as it told in the last seconds; null
   *     if it holds nothing or has not told yet
   * @param coordinator whether it decides on the segment table
   * @param self whether it is the node that was asked
   * @param streamMemory how its memory for streams is used, as it told in the last seconds; null if
   *     it has not told yet
   * @param bufferBytes the direct memory that the buffers of its connections take, those of its
   *     streams included, as it told in the last seconds; 0 if it has not told yet
   * @param changeBytes heap of the changes that it retains for readers, {@link
   *     NodeSettings#retainedChanges}, as it told in the last seconds; 0 if it has not told yet
   * @param outOfSyncReplicas how many segments it owns without having, as far as it knows, all that
   *     was acknowledged: it does not answer for them, and could not go on alone with them. Of the
   *     node that was asked it is the present number, of others what they told in the last seconds,
   *     0 if they have not told yet
   * @param outOfSyncSegments the first of these segments, 256 at most
   */
  public record Member(
      String name,
      String address,
      String zone,
      double capacity,
      int primarySegments,
      int backupSegments,
      @Nullable Memory memory,
      boolean coordinator,
      boolean self,
      @Nullable StreamMemory streamMemory,
      long bufferBytes,
      long changeBytes,
      int outOfSyncReplicas,
      List<Integer> outOfSyncSegments) {

    /** Copies the list. */
    public Member {
      outOfSyncSegments = List.copyOf(outOfSyncSegments);
    }

    /** A member that has not told of its direct memory, its changes, and its replicas. */
    public Member(
        String name,
        String address,
        String zone,
        double capacity,
        int primarySegments,
        int backupSegments,
        @Nullable Memory memory,
        boolean coordinator,
        boolean self) {
      this(
          name,
          address,
          zone,
          capacity,
          primarySegments,
          backupSegments,
          memory,
          coordinator,
          self,
          null,
          0,
          0,
          0,
          List.of());
    }
  }

  /**
   * The memory for the entries of a node.
   *
   * @param usedBytes heap that its tables and entries take
   * @param limitBytes what they may take, its {@link NodeSettings#memoryBytes}
   */
  public record Memory(long usedBytes, long limitBytes) {}
}
