package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.ForkedBenchmark;
import dev.headrace.benchmarks.harness.WarmUp;
import dev.headrace.benchmarks.peer.View;
import dev.headrace.benchmarks.peer.WalkSettings;
import dev.headrace.benchmarks.peer.run.RunningSystem;
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
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * What exactly once costs over at most once, where a few percent count: JMH's measured iterations
 * take turns in one fork, the first exactly once. The score of all means nothing; the ratio is
 * drawn from those of neighbouring iterations.
 */
@State(Scope.Benchmark)
@Threads(4)
@Warmup(iterations = 10, time = 1)
@Measurement(iterations = 20, time = 1)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class DeliveryBenchmark extends ForkedBenchmark {

  /** Headrace or Infinispan. */
  @Param("headrace")
  String system;

  /** Length of each value. */
  @Param("100")
  int valueBytes;

  /** Number of entries. */
  @Param("50000")
  int entries;

  private RunningSystem running;
  private View view;
  private boolean exactlyOnce;
  private int turns;

  /** Starts the cluster and fills it. */
  @Setup(Level.Trial)
  public void start(Blackhole blackhole) {
    running = RunningSystem.start(system, IterationBenchmark.NODES, entries, valueBytes);
    view = running.view("owner");
    WarmUp.untilCompiled(
        () -> {
          exactlyOnce = !exactlyOnce;
          inTurn(blackhole);
        });
  }

  /** Ends the cluster. */
  @TearDown(Level.Trial)
  public void stop() {
    running.close();
  }

  /** Gives the turn to the other one. */
  @Setup(Level.Iteration)
  public void turn(IterationParams iteration) {
    if (iteration.getType() == IterationType.MEASUREMENT && turns++ == 0) {
      exactlyOnce = true;
    } else {
      exactlyOnce = !exactlyOnce;
    }
  }

  /** One walk, drained into the black hole. */
  @Benchmark
  public int inTurn(Blackhole blackhole) {
    String way = running.contender().ways().get(0);
    WalkSettings settings = new WalkSettings(way, 0, false, exactlyOnce);
    return IterationBenchmark.drain(view.walk(settings), blackhole);
  }
}
