package dev.headrace.benchmarks.operations;

import dev.headrace.api.Cache;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.stream.operator.EntryUpdate;
import dev.headrace.api.stream.operator.FunctionName;
import dev.headrace.api.stream.operator.NodeFunctions;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.ForkedBenchmark;
import dev.headrace.benchmarks.peer.LocalNodes;
import dev.headrace.cluster.node.HeadraceNode;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Changes of one entry that depend on its value, from a node that holds nothing: computations,
 * which read and write over the wire, and processors, which run on the primary. Each adds one to
 * the first byte of a value.
 */
@State(Scope.Benchmark)
@Threads(1)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class ProcessorBenchmark extends ForkedBenchmark {
  private static final int DATA_NODES = 2;
  private static final int ENTRIES = 1_000;
  private static final FunctionName<Integer, Integer> ADD =
      FunctionName.of("add", Codecs.of(Integer.class), Codecs.of(Integer.class));

  /** The bytes of a value. */
  @Param({"100", "10000"})
  int valueBytes;

  private LocalNodes nodes;
  private Entries content;
  private Cache<String, byte[]> cache;

  /** Starts the nodes and fills a cache. */
  @Setup(Level.Trial)
  public void start() {
    content = new Entries(ENTRIES, valueBytes);
    NodeFunctions<String, byte[]> functions =
        NodeFunctions.over(Codecs.string(), Codecs.bytes())
            .process(ADD, (key, value, more) -> added(value, more));
    nodes =
        new LocalNodes(
            "processors",
            DATA_NODES,
            (number, settings) -> HeadraceNode.start(settings.functions(functions).build()));
    cache = nodes.client().cache("bench", String.class, byte[].class);
    for (int i = 0; i < ENTRIES; i++) {
      cache.put(content.key(i), content.value(0));
    }
  }

  private static EntryUpdate<byte[], Integer> added(byte @Nullable [] value, int more) {
    byte[] changed = changed(value, more);
    return EntryUpdate.set(changed, (int) changed[0]);
  }

  private static byte[] changed(byte @Nullable [] value, int more) {
    byte[] changed = value == null ? new byte[1] : value.clone();
    changed[0] = (byte) (changed[0] + more);
    return changed;
  }

  private String key() {
    return content.key(ThreadLocalRandom.current().nextInt(ENTRIES));
  }

  /** Computes a value on the calling node. */
  @Benchmark
  public byte @Nullable [] compute() {
    return cache.compute(key(), (key, value) -> changed(value, 1));
  }

  /** Has the primary do it. */
  @Benchmark
  public @Nullable Integer process() {
    return cache.process(key(), ADD, 1);
  }

  /** Stops the nodes. */
  @TearDown(Level.Trial)
  public void close() {
    nodes.close();
  }
}
