package dev.headrace.benchmarks.operations;

import dev.headrace.api.Cache;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.Registration;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.ForkedBenchmark;
import dev.headrace.benchmarks.peer.MeetingFolder;
import dev.headrace.benchmarks.peer.Waiting;
import dev.headrace.cluster.call.CallObserver;
import dev.headrace.cluster.node.HeadraceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs that somebody observes a node's operations, which are timed only then: single reads
 * and writes from a node that holds nothing, so that each crosses the wire and is timed.
 */
@State(Scope.Benchmark)
@Threads(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class ObservedOperationsBenchmark extends ForkedBenchmark {
  private static final int DATA_NODES = 2;
  private static final int ENTRIES = 10_000;
  private static final int VALUE_BYTES = 100;

  /** Whether somebody observes. */
  @Param({"false", "true"})
  boolean observed;

  private final MeetingFolder folder = new MeetingFolder("headrace-observed");
  private final List<HeadraceNode> nodes = new ArrayList<>();
  private final Entries content = new Entries(ENTRIES, VALUE_BYTES);
  private final Totals totals = new Totals();
  private Cache<String, byte[]> cache;
  private byte[] written;
  private @Nullable Registration observation;

  /** Adds up, as the least that somebody would do. */
  private static final class Totals implements CallObserver {
    private final LongAdder operations = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    @Override
    public void readHere() {
      operations.increment();
    }

    @Override
    public void ended(String operation, long took, boolean failed) {
      operations.increment();
      nanos.add(took);
    }
  }

  /** Starts the nodes and fills a cache. */
  @Setup(Level.Trial)
  public void start() {
    String name = "observed-" + UUID.randomUUID().toString().substring(0, 8);
    for (int i = 0; i <= DATA_NODES; i++) {
      nodes.add(
          HeadraceNode.start(
              NodeSettings.builder()
                  .clusterName(name)
                  .nodeName("node-" + i)
                  .capacity(i < DATA_NODES ? 1 : 0)
                  .discovery(folder.discovery())
                  .build()));
    }
    Waiting.until(
        "all nodes to see each other",
        () -> nodes.stream().allMatch(node -> node.status().members().size() == DATA_NODES + 1));
    HeadraceNode caller = nodes.get(DATA_NODES);
    cache = caller.cache("bench", String.class, byte[].class);
    written = content.value(0);
    for (int i = 0; i < ENTRIES; i++) {
      cache.put(content.key(i), written);
    }
    observation = observed ? caller.observe(totals) : null;
  }

  /** Ends the nodes. */
  @TearDown(Level.Trial)
  public void stop() {
    if (observation != null) {
      observation.close();
      if (totals.operations.sum() == 0 || totals.nanos.sum() == 0) {
        throw new IllegalStateException("The observer has heard of nothing");
      }
    }
    nodes.forEach(HeadraceNode::kill);
    folder.close();
  }

  private String key() {
    return content.key(ThreadLocalRandom.current().nextInt(ENTRIES));
  }

  /** Reads a value. */
  @Benchmark
  public byte @Nullable [] get() {
    return cache.get(key());
  }

  /** Writes a value without asking for the old one. */
  @Benchmark
  public void put() {
    cache.put(key(), written);
  }
}
