package dev.headrace.benchmarks.operations;

import dev.headrace.benchmarks.harness.BusyMachine;
import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.ForkedBenchmark;
import dev.headrace.benchmarks.harness.WarmUp;
import dev.headrace.benchmarks.harness.WrongContentException;
import dev.headrace.benchmarks.peer.View;
import dev.headrace.benchmarks.peer.run.RunningSystem;
import java.util.concurrent.ThreadLocalRandom;
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
 * Single reads and writes of random keys from one member; {@code -t} chooses how many threads do so
 * at once.
 */
@State(Scope.Benchmark)
@Threads(1)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class OperationsBenchmark extends ForkedBenchmark {

  /** The system. */
  @Param({"headrace", "infinispan", "hazelcast", "redis", "redis-cluster", "ignite", "coherence"})
  String system;

  /** Length of each value. */
  @Param("100")
  int valueBytes;

  /** Number of entries. */
  @Param("50000")
  int entries;

  /** Where the caller stands: on a data node, or on a member that holds nothing. */
  @Param({"owner", "remote-only"})
  String vantage;

  /** Data nodes. */
  @Param("6")
  int nodes;

  /** Whether another process uses all cores meanwhile. */
  @Param("false")
  boolean busy;

  private @Nullable BusyMachine others;
  private RunningSystem running;
  private View view;
  private Entries content;
  private byte[] written;

  /** Starts the system's cluster and fills it. */
  @Setup(Level.Trial)
  public void start() {
    running = RunningSystem.start(system, nodes, entries, valueBytes);
    view = running.view(vantage);
    content = running.entries();
    written = content.value(0);
    System.out.println("# a write is acknowledged by " + running.contender().writeGuarantee());
    WarmUp.untilCompiled(
        () -> {
          put();
          get();
        });
    others = busy ? new BusyMachine() : null;
  }

  /** Ends the cluster. */
  @TearDown(Level.Trial)
  public void stop() {
    if (others != null) {
      others.close();
    }
    running.close();
  }

  private String key() {
    return content.key(ThreadLocalRandom.current().nextInt(entries));
  }

  /** Reads a value. */
  @Benchmark
  public byte[] get() {
    String key = key();
    byte[] value = view.get(key);
    if (value == null || value.length != valueBytes) {
      throw new WrongContentException("The key " + key + " is lost or has another value");
    }
    return value;
  }

  /** Writes a value without asking for the old one. */
  @Benchmark
  public void put() {
    view.put(key(), written);
  }
}
