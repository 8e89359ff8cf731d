package dev.headrace.api;

import dev.headrace.api.error.PlacementException;
import dev.headrace.api.placement.PlacementRule;
import dev.headrace.api.placement.SegmentPlacement;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a node. Immutable; made by {@link #builder()}.
 *
 * @param clusterName nodes of one name form a cluster
 * @param nodeName what messages and {@link ClusterStatus} call this node. A node's identity is
 *     drawn anew at every start, whatever its name; of several nodes of one name, all but the
 *     oldest are shown with the beginning of their identity, such as {@code one~3fa2c4}
 * @param bindAddress host name or address to listen on; loopback by default
 * @param membershipPort TCP port of the membership protocol, 0 for a free one
 * @param dataPort TCP port of operations and batches, 0 for a free one
 * @param discovery how other nodes are found
 * @param capacity the node's weight in the placement of segments; 0 for a node that holds nothing
 * @param zone nodes of one zone may fail together; owners of a segment are spread over zones
 * @param segments number of segments of the cluster; all nodes must agree
 * @param owners number of replicas of each segment; all nodes must agree
 * @param placement how segments are given to nodes; all nodes with a capacity must agree on its
 *     name, the others take the cluster's. All caches of a cluster share one segment table, so that
 *     this is no setting of a cache
 * @param minOwners writes are refused while a segment has fewer owners than this
 * @param splitPolicy what the parts of the cluster may do while they do not reach each other; all
 *     nodes must have the same
 * @param hashSeed the seed of the keys' hashes; if absent the cluster's first data node draws it
 * @param operationTimeout how long an operation may take before its outcome is unknown
 * @param joinTimeout how long starting a node may take altogether
 * @param maxEntryBytes the largest allowed sum of encoded key and value, in bytes; all nodes with a
 *     capacity must agree, the others take the cluster's
 * @param busyPoll how long threads that wait for the network, those of callers included, stay awake
 *     after the last message before they sleep; zero for not at all. Waking a thread takes longer
 *     than most operations; an idle node sleeps
 * @param repairInterval in this time the replicas of every segment are compared once with their
 *     primary, and repaired where they differ; zero for only when it is asked for
 * @param repairBytesPerSecond how many bytes of its entries a node compares with their replicas per
 *     second, by itself or when it is asked for
 * @param migrationBytesInFlight the most bytes of entries on their way from this node to one other
 *     because a segment moves; a single larger entry passes. Reads and writes between the two wait
 *     behind these bytes when a segment changes hands
 */
public record NodeSettings(
    String clusterName,
    String nodeName,
    String bindAddress,
    int membershipPort,
    int dataPort,
    Discovery discovery,
    double capacity,
    String zone,
    int segments,
    int owners,
    SegmentPlacement placement,
    int minOwners,
    SplitPolicy splitPolicy,
    OptionalLong hashSeed,
    Duration operationTimeout,
    Duration joinTimeout,
    int maxEntryBytes,
    Duration busyPoll,
    Duration repairInterval,
    long repairBytesPerSecond,
    long migrationBytesInFlight) {

  /** The largest possible {@link #busyPoll}. */
  public static final Duration MAX_BUSY_POLL = Duration.ofMillis(10);

  /** The largest possible {@link #operationTimeout} and {@link #joinTimeout}. */
  public static final Duration MAX_TIMEOUT = Duration.ofDays(1);

  /** The largest possible {@link #repairInterval}. */
  public static final Duration MAX_REPAIR_INTERVAL = Duration.ofDays(365);

  /** The largest possible {@link #maxEntryBytes}. */
  public static final int MAX_ENTRY_BYTES = 256 << 20;

  /**
   * Checks every setting.
   *
   * @throws IllegalArgumentException if one is out of its range; the message names it
   */
  public NodeSettings {
    require(!clusterName.isBlank(), "clusterName must not be blank");
    require(!nodeName.isBlank(), "nodeName must not be blank");
    require(!bindAddress.isBlank(), "bindAddress must not be blank");
    requirePort("membershipPort", membershipPort);
    requirePort("dataPort", dataPort);
    require(
        capacity >= 0 && Double.isFinite(capacity),
        "capacity must be 0 (holds nothing) or a positive number, but is " + capacity);
    require(
        segments >= 1 && segments <= 1 << 20,
        "segments must be between 1 and 1048576, but is " + segments);
    require(owners >= 1, "owners must be at least 1, but is " + owners);
    require(
        minOwners >= 1 && minOwners <= owners,
        "minOwners must be between 1 and owners (" + owners + "), but is " + minOwners);
    requireTimeout("operationTimeout", operationTimeout);
    requireTimeout("joinTimeout", joinTimeout);
    require(
        maxEntryBytes >= 1 && maxEntryBytes <= MAX_ENTRY_BYTES,
        "maxEntryBytes must be between 1 and " + MAX_ENTRY_BYTES + ", but is " + maxEntryBytes);
    require(
        !busyPoll.isNegative() && busyPoll.compareTo(MAX_BUSY_POLL) <= 0,
        "busyPoll must be between zero and " + MAX_BUSY_POLL + ", but is " + busyPoll);
    require(
        !repairInterval.isNegative() && repairInterval.compareTo(MAX_REPAIR_INTERVAL) <= 0,
        "repairInterval must be between zero (never) and "
            + MAX_REPAIR_INTERVAL
            + ", but is "
            + repairInterval);
    require(
        repairBytesPerSecond >= 1,
        "repairBytesPerSecond must be at least 1, but is " + repairBytesPerSecond);
    require(
        migrationBytesInFlight >= 1,
        "migrationBytesInFlight must be at least 1, but is " + migrationBytesInFlight);
  }

  /** All defaults. */
  public static NodeSettings defaults() {
    return builder().build();
  }

  /** A builder that starts from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  private static void requireTimeout(String name, Duration timeout) {
    require(
        !timeout.isNegative() && !timeout.isZero() && timeout.compareTo(MAX_TIMEOUT) <= 0,
        name + " must be positive and at most " + MAX_TIMEOUT + ", but is " + timeout);
  }

  private static void requirePort(String name, int port) {
    require(port >= 0 && port <= 65535, name + " must be between 0 and 65535, but is " + port);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  /** Builds {@link NodeSettings}. Not thread-safe. */
  public static final class Builder {
    private String clusterName = "headrace";
    private String nodeName = "node-" + UUID.randomUUID().toString().substring(0, 8);
    private String bindAddress = "127.0.0.1";
    private int membershipPort;
    private int dataPort;
    private Discovery discovery = Discovery.local();
    private double capacity = 1;
    private String zone = "";
    private int segments = 256;
    private int owners = 2;
    private SegmentPlacement placement = SegmentPlacement.LEVELLED_RENDEZVOUS;
    private int minOwners = 1;
    private SplitPolicy splitPolicy = SplitPolicy.DENY;
    private OptionalLong hashSeed = OptionalLong.empty();
    private Duration operationTimeout = Duration.ofSeconds(15);
    private Duration joinTimeout = Duration.ofSeconds(30);
    private int maxEntryBytes = 64 << 20;
    private Duration busyPoll = Duration.ofNanos(100_000);
    private Duration repairInterval = Duration.ofHours(1);
    private long repairBytesPerSecond = 64L << 20;
    private long migrationBytesInFlight = 256 << 10;

    private Builder() {}

    /** See {@link NodeSettings#clusterName}; "headrace" unless set. */
    public Builder clusterName(String name) {
      clusterName = name;
      return this;
    }

    /** See {@link NodeSettings#nodeName}; "node-" and eight random digits unless set. */
    public Builder nodeName(String name) {
      nodeName = name;
      return this;
    }

    /** See {@link NodeSettings#bindAddress}; 127.0.0.1 unless set. */
    public Builder bindAddress(String address) {
      bindAddress = address;
      return this;
    }

    /** See {@link NodeSettings#membershipPort}; a free one unless set. */
    public Builder membershipPort(int port) {
      membershipPort = port;
      return this;
    }

    /** See {@link NodeSettings#dataPort}; a free one unless set. */
    public Builder dataPort(int port) {
      dataPort = port;
      return this;
    }

    /** See {@link NodeSettings#discovery}; {@link Discovery#local} unless set. */
    public Builder discovery(Discovery how) {
      discovery = how;
      return this;
    }

    /** See {@link NodeSettings#capacity}; 1 unless set. */
    public Builder capacity(double weight) {
      capacity = weight;
      return this;
    }

    /** See {@link NodeSettings#zone}; empty unless set. */
    public Builder zone(String name) {
      zone = name;
      return this;
    }

    /** See {@link NodeSettings#segments}; 256 unless set. */
    public Builder segments(int count) {
      segments = count;
      return this;
    }

    /** See {@link NodeSettings#owners}; 2 unless set. */
    public Builder owners(int count) {
      owners = count;
      return this;
    }

    /**
     * See {@link NodeSettings#placement}; {@link SegmentPlacement#LEVELLED_RENDEZVOUS} unless set.
     *
     * @throws PlacementException if it is null
     */
    public Builder placement(SegmentPlacement how) {
      placement = given(how, "placement");
      return this;
    }

    /**
     * A built-in placement by its name, perhaps with a bound: {@code ketama-md5}, {@code
     * maglev:1.25}; see {@link SegmentPlacement#named}.
     *
     * @throws PlacementException if there is none of this name; the message lists all
     */
    public Builder placement(String name) {
      placement = SegmentPlacement.named(given(name, "placement's name"));
      return this;
    }

    /**
     * A placement by a rule of one's own; see {@link SegmentPlacement#custom}.
     *
     * @throws PlacementException if the name cannot be taken, or one of the two is null
     */
    public Builder placement(String name, PlacementRule rule) {
      placement =
          SegmentPlacement.custom(given(name, "placement's name"), given(rule, "placement's rule"));
      return this;
    }

    private static <T> T given(@Nullable T value, String what) {
      if (value == null) {
        throw new PlacementException(
            "The "
                + what
                + " is null; leave the setting out for the default, "
                + SegmentPlacement.LEVELLED_RENDEZVOUS);
      }
      return value;
    }

    /** See {@link NodeSettings#minOwners}; 1 unless set. */
    public Builder minOwners(int count) {
      minOwners = count;
      return this;
    }

    /** See {@link NodeSettings#splitPolicy}; {@link SplitPolicy#DENY} unless set. */
    public Builder splitPolicy(SplitPolicy policy) {
      splitPolicy = policy;
      return this;
    }

    /** See {@link NodeSettings#hashSeed}; drawn unless set. */
    public Builder hashSeed(long seed) {
      hashSeed = OptionalLong.of(seed);
      return this;
    }

    /** See {@link NodeSettings#operationTimeout}; 15 s unless set. */
    public Builder operationTimeout(Duration timeout) {
      operationTimeout = timeout;
      return this;
    }

    /** See {@link NodeSettings#joinTimeout}; 30 s unless set. */
    public Builder joinTimeout(Duration timeout) {
      joinTimeout = timeout;
      return this;
    }

    /** See {@link NodeSettings#maxEntryBytes}; 64 MiB unless set. */
    public Builder maxEntryBytes(int bytes) {
      maxEntryBytes = bytes;
      return this;
    }

    /** See {@link NodeSettings#busyPoll}; 100 µs unless set. */
    public Builder busyPoll(Duration time) {
      busyPoll = time;
      return this;
    }

    /** See {@link NodeSettings#repairInterval}; one hour unless set. */
    public Builder repairInterval(Duration time) {
      repairInterval = time;
      return this;
    }

    /** See {@link NodeSettings#repairBytesPerSecond}; 64 MiB unless set. */
    public Builder repairBytesPerSecond(long bytes) {
      repairBytesPerSecond = bytes;
      return this;
    }

    /** See {@link NodeSettings#migrationBytesInFlight}; 256 KiB unless set. */
    public Builder migrationBytesInFlight(long bytes) {
      migrationBytesInFlight = bytes;
      return this;
    }

    /**
     * The settings.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public NodeSettings build() {
      return new NodeSettings(
          clusterName,
          nodeName,
          bindAddress,
          membershipPort,
          dataPort,
          discovery,
          capacity,
          zone,
          segments,
          owners,
          placement,
          minOwners,
          splitPolicy,
          hashSeed,
          operationTimeout,
          joinTimeout,
          maxEntryBytes,
          busyPoll,
          repairInterval,
          repairBytesPerSecond,
          migrationBytesInFlight);
    }
  }
}
