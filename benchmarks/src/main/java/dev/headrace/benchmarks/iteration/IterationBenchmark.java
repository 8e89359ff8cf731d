package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.BusyMachine;
import dev.headrace.benchmarks.harness.ForkedBenchmark;
import dev.headrace.benchmarks.harness.WarmUp;
import dev.headrace.benchmarks.harness.WrongContentException;
import dev.headrace.benchmarks.peer.View;
import dev.headrace.benchmarks.peer.WalkSettings;
import dev.headrace.benchmarks.peer.run.Contender;
import dev.headrace.benchmarks.peer.run.RunningSystem;
import java.util.Iterator;
import java.util.Map;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * Walks over a whole cache; one operation is one walk, so entries per second are the score times
 * {@code entries}.
 *
 * <p>The default grid is that of Infinispan's own iteration benchmark, whose four methods are here
 * {@code distribution} and {@code rehashAware}. A walk that delivers an entry too few, or too many,
 * fails the run.
 */
@State(Scope.Benchmark)
@Threads(4)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class IterationBenchmark extends ForkedBenchmark {

  /** Sequential distribution: one node is asked after the other. */
  static final String SEQUENTIAL = "sequential";

  /** Parallel distribution, the default. */
  static final String PARALLEL = "parallel";

  /** Data nodes of every benchmark but those that say otherwise. */
  static final int NODES = 6;

  /** Stands for the first of a system's ways. */
  static final String USUAL = "usual";

  /** The system; the grid's other parameters suit these two. */
  @Param({"headrace", "infinispan"})
  String system;

  /** Length of each value. */
  @Param({"10", "100", "1000"})
  int valueBytes;

  /** Number of entries. */
  @Param({"50000", "250000"})
  int entries;

  /** Entries of a batch, page or {@code SCAN}; 0 for the system's default. */
  @Param({"0", "512", "4096", "16384", "32768"})
  int batchSize;

  /** Of Headrace and Infinispan: whether all nodes are asked at once. */
  @Param({PARALLEL, SEQUENTIAL})
  String distribution;

  /** Of Headrace and Infinispan: whether nodes may come and go (exactly once), or not. */
  @Param({"true", "false"})
  boolean rehashAware;

  /** One of the system's ways to walk, see {@code Contender}. */
  @Param(USUAL)
  String way;

  /** Where the readers stand: on a data node, or on a member that holds nothing. */
  @Param("owner")
  String vantage;

  /** Data nodes. */
  @Param("" + NODES)
  int nodes;

  /** Whether the system is warmed up before JMH begins; without that one sees a cold JVM. */
  @Param("true")
  boolean warm;

  /** Whether another process uses all cores meanwhile. */
  @Param("false")
  boolean busy;

  private @Nullable BusyMachine others;
  private RunningSystem running;
  private View view;
  private WalkSettings settings;
  private boolean mayRepeat;

  /** Starts the system's cluster and fills it. */
  @Setup(Level.Trial)
  public void start(Blackhole blackhole) {
    Contender contender = Contender.of(system);
    if (!contender.hasDistributions() && (!rehashAware || !distribution.equals(PARALLEL))) {
      throw new IllegalArgumentException(
          system + " has no choice of distribution and rehashAware: leave them at their first");
    }
    String chosen = way.equals(USUAL) ? contender.ways().get(0) : way;
    settings = new WalkSettings(chosen, batchSize, distribution.equals(SEQUENTIAL), rehashAware);
    mayRepeat = contender.mayRepeat();
    running = RunningSystem.start(system, nodes, entries, valueBytes);
    view = running.view(vantage);
    System.out.println("# a walk's guarantee: " + contender.guarantee(settings));
    if (warm) {
      WarmUp.untilCompiled(() -> iterate(blackhole));
    }
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

  /** One walk, drained into the black hole. */
  @Benchmark
  public int iterate(Blackhole blackhole) {
    int delivered = drain(view.walk(settings), blackhole);
    if (mayRepeat ? delivered < entries : delivered != entries) {
      throw new WrongContentException(delivered + " of " + entries + " entries were delivered");
    }
    return delivered;
  }

  /** Drains a walk; returns how many entries there were. */
  static int drain(View.Walk walk, Blackhole blackhole) {
    int delivered = 0;
    try {
      Iterator<? extends Map.Entry<String, byte[]>> iterator = walk.entries();
      while (iterator.hasNext()) {
        Map.Entry<String, byte[]> entry = iterator.next();
        blackhole.consume(entry.getKey());
        blackhole.consume(entry.getValue());
        delivered++;
      }
    } finally {
      walk.release().run();
    }
    return delivered;
  }
}
