package dev.headrace.api;

import dev.headrace.api.error.PlacementException;
import dev.headrace.api.placement.PlacementRule;
import dev.headrace.api.placement.SegmentPlacement;
import dev.headrace.api.stream.operator.NodeFunctions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a node. Immutable; made by {@link #builder()}, or from other settings by {@link
 * #toBuilder()}. Each has a default, which its method of {@link Builder} names.
 *
 * <p>All nodes of a cluster must have the same {@link #segments}, {@link #owners}, {@link
 * #placement}, {@link #lostSegments}, {@link #maxEntryBytes}, {@link #splitPolicy} and {@link
 * #security}.
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

  /** The largest possible {@link #operationLoops} and {@link #bulkLoops}. */
  public static final int MAX_LOOPS = 64;

  /** The smallest possible {@link #streamMemoryBytes}. */
  public static final long MIN_STREAM_MEMORY_BYTES = 1 << 20;

  /** The smallest possible {@link #memoryBytes}. */
  public static final long MIN_MEMORY_BYTES = 1 << 20;

  /** A copy of the builder, which never changes. */
  private final Builder values;

  private NodeSettings(Builder builder) {
    values = new Builder(builder);
    SettingRanges.check(this);
  }

  /** All defaults. */
  public static NodeSettings defaults() {
    return builder().build();
  }

  /** A builder that starts from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder that starts from these settings, which do not change. */
  public Builder toBuilder() {
    return new Builder(values);
  }

  /** Nodes of one name form a cluster. */
  public String clusterName() {
    return values.clusterName;
  }

  /**
   * The node's name in messages and {@link ClusterStatus}. The identity of a node is drawn anew at
   * every start, whatever its name. Of several nodes with one name, all but the oldest are shown
   * with the beginning of their identity, such as {@code one~3fa2c4}.
   */
  public String nodeName() {
    return values.nodeName;
  }

  /** Host name or address to listen on; loopback by default. */
  public String bindAddress() {
    return values.bindAddress;
  }

  /** TCP port of the membership protocol, 0 for a free one. */
  public int membershipPort() {
    return values.membershipPort;
  }

  /** TCP port of operations and batches, 0 for a free one. */
  public int dataPort() {
    return values.dataPort;
  }

  /** How nodes authenticate each other; all nodes must agree. */
  public Security security() {
    return values.security;
  }

  /**
   * Whether this node refuses to start without {@link #security} on an address that other machines
   * may reach, rather than warn.
   */
  public boolean requireSecurity() {
    return values.requireSecurity;
  }

  /** How other nodes are found. */
  public Discovery discovery() {
    return values.discovery;
  }

  /** The node's weight in the placement of segments; 0 for a node that holds nothing. */
  public double capacity() {
    return values.capacity;
  }

  /** Nodes of one zone may fail together; owners of a segment are spread over zones. */
  public String zone() {
    return values.zone;
  }

  /** Number of segments of the cluster; all nodes must agree. */
  public int segments() {
    return values.segments;
  }

  /** Number of replicas of each segment; all nodes must agree. */
  public int owners() {
    return values.owners;
  }

  /**
   * How segments are given to nodes. All nodes with a capacity must agree on its name; the others
   * adopt the cluster's. It is not a setting of a cache, since all caches of a cluster share one
   * segment table.
   */
  public SegmentPlacement placement() {
    return values.placement;
  }

  /**
   * A write is refused while its segment has fewer owners than this. A write that is under way when
   * an owner is lost is answered when there are enough again; if that takes longer than {@link
   * #operationTimeout}, its outcome is unknown.
   */
  public int minOwners() {
    return values.minOwners;
  }

  /**
   * What the parts of the cluster may do while they cannot reach each other; all nodes must agree.
   */
  public SplitPolicy splitPolicy() {
    return values.splitPolicy;
  }

  /**
   * What happens to segments whose owners have all crashed or cannot be reached. All nodes with a
   * capacity must agree; the setting of the others does not matter.
   */
  public LostSegments lostSegments() {
    return values.lostSegments;
  }

  /** The seed of the keys' hashes; if absent the cluster's first data node draws it. */
  public OptionalLong hashSeed() {
    return values.hashSeed;
  }

  /** How long an operation may take before its outcome is unknown. */
  public Duration operationTimeout() {
    return values.operationTimeout;
  }

  /** How long starting a node may take, from looking for the cluster to the first table. */
  public Duration joinTimeout() {
    return values.joinTimeout;
  }

  /**
   * The largest allowed sum of encoded key and value, in bytes. All nodes with a capacity must
   * agree; the others adopt the cluster's.
   */
  public int maxEntryBytes() {
    return values.maxEntryBytes;
  }

  /**
   * How long threads that wait for the network, including those of callers, poll after the last
   * message before they sleep; zero for no polling. Waking a thread takes longer than most
   * operations. An idle node sleeps, and none polls while other processes want the processors.
   */
  public Duration busyPoll() {
    return values.busyPoll;
  }

  /**
   * How many threads of this node read and write operations and replication, and do the work behind
   * them. Each has a share of the segments, and a connection to each other node.
   */
  public int operationLoops() {
    return values.operationLoops;
  }

  /**
   * How many threads of this node read and write batches: those of streams, and of segments that
   * are copied. Each has a connection to each other node.
   */
  public int bulkLoops() {
    return values.bulkLoops;
  }

  /**
   * The time in which the replicas of every segment are compared once with their primary, and
   * repaired where they differ; zero for only on demand.
   */
  public Duration repairInterval() {
    return values.repairInterval;
  }

  /**
   * How many bytes of its entries a node compares with their replicas per second, by schedule and
   * on demand.
   */
  public long repairBytesPerSecond() {
    return values.repairBytesPerSecond;
  }

  /**
   * The most bytes of entries that all streams of this node together have buffered or in flight; a
   * single larger entry passes when no other stream has grown. It is direct memory. A stream takes
   * 16 KiB of it when it begins and more while it is consumed; paused streams give back what they
   * have not handed over when others need it.
   */
  public long streamMemoryBytes() {
    return values.streamMemoryBytes;
  }

  /**
   * Whether the node leaves in order when its process is asked to end, by SIGTERM for instance, as
   * {@link Headrace#close} does. The process ends when it has left.
   */
  public boolean shutdownHook() {
    return values.shutdownHook;
  }

  /**
   * How long the end of the process waits for a node that leaves. Segments that have not moved by
   * then are left to their other owners.
   */
  public Duration shutdownTimeout() {
    return values.shutdownTimeout;
  }

  /**
   * The most bytes of heap that this node's entries and their tables may take, those of backups
   * included. A write for which one of its owners has no room is refused with {@link
   * dev.headrace.api.error.MemoryFullException} before it changes anything; reads, removals and
   * streams go on, and segments wait with moving to a node that has no room. One sixteenth is kept
   * back for what is under way.
   */
  public long memoryBytes() {
    return values.memoryBytes;
  }

  /**
   * What the node retains of the changes of its segments, for readers of {@link Cache#changes}. It
   * is apart from {@link #memoryBytes}.
   */
  public RetainedChanges retainedChanges() {
    return values.retainedChanges;
  }

  /** What this node runs for streams that call it by name; none unless added. */
  public List<NodeFunctions<?, ?>> functions() {
    return values.functions;
  }

  /** Settings are equal if all of them are. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NodeSettings settings
        && SettingValues.of(this).equals(SettingValues.of(settings));
  }

  @Override
  public int hashCode() {
    return SettingValues.of(this).hashCode();
  }

  /** Lists every setting by its name, without secrets. */
  @Override
  public String toString() {
    return "NodeSettings" + SettingValues.of(this);
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
    private int operationLoops = SettingDefaults.loops();
    private int bulkLoops = SettingDefaults.loops();
    private Duration repairInterval = Duration.ofHours(1);
    private long repairBytesPerSecond = 64L << 20;
    private boolean shutdownHook = true;
    private Duration shutdownTimeout = Duration.ofMinutes(1);
    private long streamMemoryBytes = SettingDefaults.streamMemoryBytes();
    private RetainedChanges retainedChanges = RetainedChanges.defaults();
    private long memoryBytes = SettingDefaults.memoryBytes();
    private List<NodeFunctions<?, ?>> functions = List.of();

    private Builder() {}

    private Builder(Builder other) {
      clusterName = other.clusterName;
      nodeName = other.nodeName;
      bindAddress = other.bindAddress;
      membershipPort = other.membershipPort;
      dataPort = other.dataPort;
      security = other.security;
      requireSecurity = other.requireSecurity;
      discovery = other.discovery;
      capacity = other.capacity;
      zone = other.zone;
      segments = other.segments;
      owners = other.owners;
      placement = other.placement;
      minOwners = other.minOwners;
      splitPolicy = other.splitPolicy;
      lostSegments = other.lostSegments;
      hashSeed = other.hashSeed;
      operationTimeout = other.operationTimeout;
      joinTimeout = other.joinTimeout;
      maxEntryBytes = other.maxEntryBytes;
      busyPoll = other.busyPoll;
      operationLoops = other.operationLoops;
      bulkLoops = other.bulkLoops;
      repairInterval = other.repairInterval;
      repairBytesPerSecond = other.repairBytesPerSecond;
      shutdownHook = other.shutdownHook;
      shutdownTimeout = other.shutdownTimeout;
      streamMemoryBytes = other.streamMemoryBytes;
      retainedChanges = other.retainedChanges;
      memoryBytes = other.memoryBytes;
      functions = other.functions;
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
      placement = SettingRanges.given(how, "placement");
      return this;
    }

    /**
     * A built-in placement by its name, perhaps with a bound: {@code ketama-md5}, {@code
     * maglev:1.25}; see {@link SegmentPlacement#named}.
     *
     * @throws PlacementException if there is none of this name; the message lists all
     */
    public Builder placement(String name) {
      placement = SegmentPlacement.named(SettingRanges.given(name, "placement's name"));
      return this;
    }

    /**
     * A placement by a rule of your own; see {@link SegmentPlacement#custom}.
     *
     * @throws PlacementException if the name cannot be taken, or one of the two is null
     */
    public Builder placement(String name, PlacementRule rule) {
      placement =
          SegmentPlacement.custom(
              SettingRanges.given(name, "placement's name"),
              SettingRanges.given(rule, "placement's rule"));
      return this;
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

    /** See {@link NodeSettings#operationLoops}; half of the cores, 1 to 16, unless set. */
    public Builder operationLoops(int count) {
      operationLoops = count;
      return this;
    }

    /** See {@link NodeSettings#bulkLoops}; half of the cores, 1 to 16, unless set. */
    public Builder bulkLoops(int count) {
      bulkLoops = count;
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

    /** See {@link NodeSettings#retainedChanges}; {@link RetainedChanges#defaults} unless set. */
    public Builder retainedChanges(RetainedChanges changes) {
      retainedChanges = Objects.requireNonNull(changes, "retainedChanges");
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

    /** Adds functions that streams may call on this node; see {@link NodeSettings#functions}. */
    public Builder functions(NodeFunctions<?, ?> more) {
      functions = Stream.concat(functions.stream(), Stream.of(more)).toList();
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
