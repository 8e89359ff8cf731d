package dev.headrace.api;

import dev.headrace.api.error.PlacementException;
import dev.headrace.api.placement.PlacementRule;
import dev.headrace.api.placement.SegmentPlacement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a node. Immutable; made by {@link #builder()}, or from other settings by {@link
 * #toBuilder()}.
 */
public final class NodeSettings {

  /** The largest possible {@link #busyPoll}. */
  public static final Duration MAX_BUSY_POLL = Duration.ofMillis(10);

  /**
   * The largest possible {@link #operationTimeout}, {@link #joinTimeout} and {@link
   * #shutdownTimeout}.
   */
  public static final Duration MAX_TIMEOUT = Duration.ofDays(1);

  /** The largest possible {@link #repairInterval}. */
  public static final Duration MAX_REPAIR_INTERVAL = Duration.ofDays(365);

  /** The largest possible {@link #maxEntryBytes}. */
  public static final int MAX_ENTRY_BYTES = 256 << 20;

  /** The smallest possible {@link #streamMemoryBytes}. */
  public static final long MIN_STREAM_MEMORY_BYTES = 1 << 20;

  /** The smallest possible {@link #memoryBytes}. */
  public static final long MIN_MEMORY_BYTES = 1 << 20;

  private final String clusterName;
  private final String nodeName;
  private final String bindAddress;
  private final int membershipPort;
  private final int dataPort;
  private final Security security;
  private final boolean requireSecurity;
  private final Discovery discovery;
  private final double capacity;
  private final String zone;
  private final int segments;
  private final int owners;
  private final SegmentPlacement placement;
  private final int minOwners;
  private final SplitPolicy splitPolicy;
  private final LostSegments lostSegments;
  private final OptionalLong hashSeed;
  private final Duration operationTimeout;
  private final Duration joinTimeout;
  private final int maxEntryBytes;
  private final Duration busyPoll;
  private final Duration repairInterval;
  private final long repairBytesPerSecond;
  private final long migrationBytesInFlight;
  private final boolean shutdownHook;
  private final Duration shutdownTimeout;
  private final long streamMemoryBytes;
  private final long memoryBytes;

  private NodeSettings(Builder builder) {
    clusterName = builder.clusterName;
    nodeName = builder.nodeName;
    bindAddress = builder.bindAddress;
    membershipPort = builder.membershipPort;
    dataPort = builder.dataPort;
    security = builder.security;
    requireSecurity = builder.requireSecurity;
    discovery = builder.discovery;
    capacity = builder.capacity;
    zone = builder.zone;
    segments = builder.segments;
    owners = builder.owners;
    placement = builder.placement;
    minOwners = builder.minOwners;
    splitPolicy = builder.splitPolicy;
    lostSegments = builder.lostSegments;
    hashSeed = builder.hashSeed;
    operationTimeout = builder.operationTimeout;
    joinTimeout = builder.joinTimeout;
    maxEntryBytes = builder.maxEntryBytes;
    busyPoll = builder.busyPoll;
    repairInterval = builder.repairInterval;
    repairBytesPerSecond = builder.repairBytesPerSecond;
    migrationBytesInFlight = builder.migrationBytesInFlight;
    shutdownHook = builder.shutdownHook;
    shutdownTimeout = builder.shutdownTimeout;
    streamMemoryBytes = builder.streamMemoryBytes;
    memoryBytes = builder.memoryBytes;
    check();
  }

  private void check() {
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
    requireTimeout("shutdownTimeout", shutdownTimeout);
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
    require(
        streamMemoryBytes >= MIN_STREAM_MEMORY_BYTES,
        "streamMemoryBytes must be at least "
            + MIN_STREAM_MEMORY_BYTES
            + ", but is "
            + streamMemoryBytes);
    require(
        memoryBytes >= MIN_MEMORY_BYTES,
        "memoryBytes must be at least " + MIN_MEMORY_BYTES + ", but is " + memoryBytes);
  }

  /** All defaults. */
  public static NodeSettings defaults() {
    return builder().build();
  }

  /** A builder that starts from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder that starts from these settings. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.clusterName = clusterName;
    builder.nodeName = nodeName;
    builder.bindAddress = bindAddress;
    builder.membershipPort = membershipPort;
    builder.dataPort = dataPort;
    builder.security = security;
    builder.requireSecurity = requireSecurity;
    builder.discovery = discovery;
    builder.capacity = capacity;
    builder.zone = zone;
    builder.segments = segments;
    builder.owners = owners;
    builder.placement = placement;
    builder.minOwners = minOwners;
    builder.splitPolicy = splitPolicy;
    builder.lostSegments = lostSegments;
    builder.hashSeed = hashSeed;
    builder.operationTimeout = operationTimeout;
    builder.joinTimeout = joinTimeout;
    builder.maxEntryBytes = maxEntryBytes;
    builder.busyPoll = busyPoll;
    builder.repairInterval = repairInterval;
    builder.repairBytesPerSecond = repairBytesPerSecond;
    builder.migrationBytesInFlight = migrationBytesInFlight;
    builder.shutdownHook = shutdownHook;
    builder.shutdownTimeout = shutdownTimeout;
    builder.streamMemoryBytes = streamMemoryBytes;
    builder.memoryBytes = memoryBytes;
    return builder;
  }

  /** Nodes of one name form a cluster. */
  public String clusterName() {
    return clusterName;
  }

  /**
   * What messages and {@link ClusterStatus} call this node. A node's identity is drawn anew at
   * every start, whatever its name; of several nodes of one name, all but the oldest are shown with
   * the beginning of their identity, such as {@code one~3fa2c4}.
   */
  public String nodeName() {
    return nodeName;
  }

  /** Host name or address to listen on; loopback by default. */
  public String bindAddress() {
    return bindAddress;
  }

  /** TCP port of the membership protocol, 0 for a free one. */
  public int membershipPort() {
    return membershipPort;
  }

  /** TCP port of operations and batches, 0 for a free one. */
  public int dataPort() {
    return dataPort;
  }

  /** How nodes know each other; all nodes must have the same. */
  public Security security() {
    return security;
  }

  /**
   * Whether this node refuses to start without {@link #security} on an address that other machines
   * may reach, rather than warn.
   */
  public boolean requireSecurity() {
    return requireSecurity;
  }

  /** How other nodes are found. */
  public Discovery discovery() {
    return discovery;
  }

  /** The node's weight in the placement of segments; 0 for a node that holds nothing. */
  public double capacity() {
    return capacity;
  }

  /** Nodes of one zone may fail together; owners of a segment are spread over zones. */
  public String zone() {
    return zone;
  }

  /** Number of segments of the cluster; all nodes must agree. */
  public int segments() {
    return segments;
  }

  /** Number of replicas of each segment; all nodes must agree. */
  public int owners() {
    return owners;
  }

  /**
   * How segments are given to nodes; all nodes with a capacity must agree on its name, the others
   * take the cluster's. All caches of a cluster share one segment table, so that this is no setting
   * of a cache.
   */
  public SegmentPlacement placement() {
    return placement;
  }

  /**
   * Writes are refused while a segment has fewer owners than this. One that is under way when the
   * owners become fewer is answered when there are enough again; if that takes longer than {@link
   * #operationTimeout}, its outcome is unknown.
   */
  public int minOwners() {
    return minOwners;
  }

  /**
   * What the parts of the cluster may do while they do not reach each other; all nodes must have
   * the same.
   */
  public SplitPolicy splitPolicy() {
    return splitPolicy;
  }

  /**
   * What becomes of segments whose owners all crashed or cannot be reached; all nodes with a
   * capacity must agree, what the others are started with does not matter.
   */
  public LostSegments lostSegments() {
    return lostSegments;
  }

  /** The seed of the keys' hashes; if absent the cluster's first data node draws it. */
  public OptionalLong hashSeed() {
    return hashSeed;
  }

  /** How long an operation may take before its outcome is unknown. */
  public Duration operationTimeout() {
    return operationTimeout;
  }

  /** How long starting a node may take altogether. */
  public Duration joinTimeout() {
    return joinTimeout;
  }

  /**
   * The largest allowed sum of encoded key and value, in bytes; all nodes with a capacity must
   * agree, the others take the cluster's.
   */
  public int maxEntryBytes() {
    return maxEntryBytes;
  }

  /**
   * How long threads that wait for the network, those of callers included, stay awake after the
   * last message before they sleep; zero for not at all. Waking a thread takes longer than most
   * operations; an idle node sleeps.
   */
  public Duration busyPoll() {
    return busyPoll;
  }

  /**
   * In this time the replicas of every segment are compared once with their primary, and repaired
   * where they differ; zero for only when it is asked for.
   */
  public Duration repairInterval() {
    return repairInterval;
  }

  /**
   * How many bytes of its entries a node compares with their replicas per second, by itself or when
   * it is asked for.
   */
  public long repairBytesPerSecond() {
    return repairBytesPerSecond;
  }

  /**
   * The most bytes of entries on their way from this node to one other because a segment moves; a
   * single larger entry passes. Reads and writes between the two wait behind these bytes when a
   * segment changes hands.
   */
  public long migrationBytesInFlight() {
    return migrationBytesInFlight;
  }

  /**
   * The most bytes of entries that all streams of this node together have buffered or in flight; a
   * single larger entry passes when no other stream has more than its beginning. It is direct
   * memory. A stream takes 16 KiB of it when it begins and more while it is consumed; paused
   * streams give back what they have not handed over when others need it.
   */
  public long streamMemoryBytes() {
    return streamMemoryBytes;
  }

  /**
   * Whether the node leaves in order when its process is asked to end, by SIGTERM for instance, as
   * {@link Headrace#close} does. The process ends when it has left.
   */
  public boolean shutdownHook() {
    return shutdownHook;
  }

  /**
   * How long the end of the process waits for a node that leaves; what nobody has taken over by
   * then is left to the node's other owners.
   */
  public Duration shutdownTimeout() {
    return shutdownTimeout;
  }

  /**
   * The most bytes of heap that this node's entries and their tables may take, those of backups
   * included. A write for which one of its owners has no room is refused with {@link
   * dev.headrace.api.error.MemoryFullException} before it changes anything; reads, removals and
   * streams go on, and segments wait with moving to a node that has no room. One sixteenth is kept
   * back for what is under way.
   */
  public long memoryBytes() {
    return memoryBytes;
  }

  /** Equal if every setting is. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NodeSettings settings && all().equals(settings.all());
  }

  @Override
  public int hashCode() {
    return all().hashCode();
  }

  /** Every setting by its name; secrets do not show. */
  @Override
  public String toString() {
    return "NodeSettings" + all();
  }

  private Map<String, Object> all() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("clusterName", clusterName);
    all.put("nodeName", nodeName);
    all.put("bindAddress", bindAddress);
    all.put("membershipPort", membershipPort);
    all.put("dataPort", dataPort);
    all.put("security", security);
    all.put("requireSecurity", requireSecurity);
    all.put("discovery", discovery);
    all.put("capacity", capacity);
    all.put("zone", zone);
    all.put("segments", segments);
    all.put("owners", owners);
    all.put("placement", placement);
    all.put("minOwners", minOwners);
    all.put("splitPolicy", splitPolicy);
    all.put("lostSegments", lostSegments);
    all.put("hashSeed", hashSeed);
    all.put("operationTimeout", operationTimeout);
    all.put("joinTimeout", joinTimeout);
    all.put("maxEntryBytes", maxEntryBytes);
    all.put("busyPoll", busyPoll);
    all.put("repairInterval", repairInterval);
    all.put("repairBytesPerSecond", repairBytesPerSecond);
    all.put("migrationBytesInFlight", migrationBytesInFlight);
    all.put("shutdownHook", shutdownHook);
    all.put("shutdownTimeout", shutdownTimeout);
    all.put("streamMemoryBytes", streamMemoryBytes);
    all.put("memoryBytes", memoryBytes);
    return all;
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
    private Security security = Security.none();
    private boolean requireSecurity;
    private Discovery discovery = Discovery.local();
    private double capacity = 1;
    private String zone = "";
    private int segments = 256;
    private int owners = 2;
    private SegmentPlacement placement = SegmentPlacement.LEVELLED_RENDEZVOUS;
    private int minOwners = 1;
    private SplitPolicy splitPolicy = SplitPolicy.DENY;
    private LostSegments lostSegments = LostSegments.WAIT;
    private OptionalLong hashSeed = OptionalLong.empty();
    private Duration operationTimeout = Duration.ofSeconds(15);
    private Duration joinTimeout = Duration.ofMinutes(1);
    private int maxEntryBytes = 64 << 20;
    private Duration busyPoll = Duration.ofNanos(100_000);
    private Duration repairInterval = Duration.ofHours(1);
    private long repairBytesPerSecond = 64L << 20;
    private long migrationBytesInFlight = 256 << 10;
    private boolean shutdownHook = true;
    private Duration shutdownTimeout = Duration.ofMinutes(1);
    private long streamMemoryBytes =
        Math.max(MIN_STREAM_MEMORY_BYTES, Runtime.getRuntime().maxMemory() / 4);
    private long memoryBytes = defaultMemoryBytes();

    private Builder() {}

    private static long defaultMemoryBytes() {
      return Math.max(MIN_MEMORY_BYTES, Runtime.getRuntime().maxMemory() / 2);
    }

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

    /** See {@link NodeSettings#security}; {@link Security#none} unless set. */
    public Builder security(Security how) {
      security = Objects.requireNonNull(how, "security");
      return this;
    }

    /** See {@link NodeSettings#requireSecurity}; false unless set. */
    public Builder requireSecurity(boolean required) {
      requireSecurity = required;
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

    /** See {@link NodeSettings#lostSegments}; {@link LostSegments#WAIT} unless set. */
    public Builder lostSegments(LostSegments decision) {
      lostSegments = decision;
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

    /** See {@link NodeSettings#joinTimeout}; one minute unless set. */
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

    /** See {@link NodeSettings#streamMemoryBytes}; a quarter of the largest heap unless set. */
    public Builder streamMemoryBytes(long bytes) {
      streamMemoryBytes = bytes;
      return this;
    }

    /** See {@link NodeSettings#shutdownHook}; true unless set. */
    public Builder shutdownHook(boolean leaves) {
      shutdownHook = leaves;
      return this;
    }

    /** See {@link NodeSettings#shutdownTimeout}; one minute unless set. */
    public Builder shutdownTimeout(Duration timeout) {
      shutdownTimeout = timeout;
      return this;
    }

    /** See {@link NodeSettings#memoryBytes}; half of the JVM's maximal heap unless set. */
    public Builder memoryBytes(long bytes) {
      memoryBytes = bytes;
      return this;
    }

    /**
     * The settings.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public NodeSettings build() {
      return new NodeSettings(this);
    }
  }
}
