package dev.headrace.benchmarks.conditions;

import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhSchedule;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.iteration.IterationBenchmark;
import dev.headrace.benchmarks.operations.OperationsBenchmark;
import dev.headrace.benchmarks.peer.WalkSettings;
import dev.headrace.benchmarks.peer.run.Contender;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Conditions under which systems are compared, the first being the usual ones. */
public enum Condition {
  /** Walks over 50,000 entries of 100 bytes on six nodes, nothing else on the machine. */
  QUIET_WALKS("walks, nothing else on the machine", 50_000, 100, 6),
  /** The same while another process uses all cores. */
  BUSY_WALKS("walks, another process on all cores", 50_000, 100, 6),
  /** The first minute of walks after the nodes have started. */
  COLD_WALKS("walks, the first ten seconds of a JVM", 50_000, 100, 6),
  /** A cluster of one node: nothing crosses the wire. */
  ONE_NODE("walks, one node", 50_000, 100, 1),
  /** A cluster of two nodes: each holds everything. */
  TWO_NODES("walks, two nodes", 50_000, 100, 2),
  /** Values of 1 MB. */
  LARGE_VALUES("a walk of one reader, values of 1 MB", 200, 1 << 20, 6),
  /** The same where an array of so many bytes does not take a region of G1's by itself. */
  LARGE_REGIONS("the same with `-XX:G1HeapRegionSize=8m`", 200, 1 << 20, 6),
  /** Ten million entries in a heap of 4 GB that all nodes share. */
  MANY_ENTRIES("a walk of one reader, 10 million entries", 10_000_000, 10, 6),
  /** Reads from a member without data, nothing else on the machine. */
  QUIET_GETS("gets by one thread, nothing else on the machine", 50_000, 100, 6),
  /** The same while another process uses all cores. */
  BUSY_GETS("gets by one thread, another process on all cores", 50_000, 100, 6);

  private static final int THREADS = 4;

  private final String description;
  private final int entries;
  private final int valueBytes;
  private final int nodes;

  Condition(String description, int entries, int valueBytes, int nodes) {
    this.description = description;
    this.entries = entries;
    this.valueBytes = valueBytes;
    this.nodes = nodes;
  }

  /** The name in results. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What it is, in a few words. */
  public String description() {
    return description;
  }

  /** What a score of one operation counts: the entries of a walk, or a read. */
  int entriesPerOperation() {
    return isWalk() ? entries : 1;
  }

  String unit() {
    return isWalk() ? "entries/s" : "operations/s";
  }

  private boolean hasLargeValues() {
    return this == LARGE_VALUES || this == LARGE_REGIONS;
  }

  private boolean isWalk() {
    return this != QUIET_GETS && this != BUSY_GETS;
  }

  /** Whether it says something of this system: Redis has no data nodes that a reader belongs to. */
  boolean concerns(Contender system) {
    return system.isEmbedded() || (this != ONE_NODE && this != TWO_NODES);
  }

  /**
   * How a system walks: as it does for a user who asks for nothing, unless another way is faster by
   * far. Hazelcast's iterator asks for one value after the other, so that a walk takes many
   * seconds: its entry set is taken. Coherence is asked member by member, Redis for 10,000 keys at
   * a time. And pages of Ignite's have 1024 entries; of 1 MB, even those of 16 do not fit into the
   * heap, nor do many of Redis'.
   */
  private WalkSettings walk(Contender system) {
    WalkSettings usual = system.usualWalk();
    return switch (system) {
      case HAZELCAST -> usual.withWay("entry-set");
      case COHERENCE -> usual.withWay("by-member");
      case REDIS -> usual.withBatch(hasLargeValues() ? 10 : 10_000);
      case IGNITE -> hasLargeValues() ? usual.withBatch(4) : usual;
      default -> usual;
    };
  }

  /** What a system promises of this condition's walks; nothing of reads. */
  Optional<String> guarantee(Contender system) {
    return isWalk() ? Optional.of(system.guarantee(walk(system))) : Optional.empty();
  }

  /** JMH's cell for a system. */
  JmhCell cell(Contender system) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("system", system.label());
    parameters.put("entries", Integer.toString(entries));
    parameters.put("valueBytes", Integer.toString(valueBytes));
    parameters.put("nodes", Integer.toString(nodes));
    parameters.put("busy", Boolean.toString(this == BUSY_WALKS || this == BUSY_GETS));
    if (!isWalk()) {
      parameters.put("vantage", "remote-only");
      return new JmhCell(OperationsBenchmark.class, "get", 1, parameters);
    }
    WalkSettings walk = walk(system);
    parameters.put("way", walk.way());
    parameters.put("warm", Boolean.toString(this != COLD_WALKS));
    parameters.put("batchSize", Integer.toString(walk.batchEntries()));
    parameters.put("distribution", "parallel");
    parameters.put("rehashAware", "true");
    boolean alone = hasLargeValues() || this == MANY_ENTRIES;
    JmhCell cell =
        new JmhCell(IterationBenchmark.class, "iterate", alone ? 1 : THREADS, parameters);
    return this == LARGE_REGIONS ? cell.withJvmOption("-XX:G1HeapRegionSize=8m") : cell;
  }

  JmhSchedule schedule(Options options) {
    if (this == COLD_WALKS) {
      return new JmhSchedule(0, 1000, options.quick() ? 10 : 30, 2000);
    }
    if (this == MANY_ENTRIES) {
      return new JmhSchedule(1, 5000, 3, 10_000);
    }
    return options.clusterSchedule();
  }
}
