package dev.headrace.benchmarks.repair;

import dev.headrace.benchmarks.harness.Entries;
import dev.headrace.benchmarks.harness.ForkedBenchmark;
import dev.headrace.benchmarks.harness.WrongContentException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** Hashes a whole store on one thread; entries per second are the score times {@code entries}. */
@State(Scope.Benchmark)
@Threads(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class RepairBenchmark extends ForkedBenchmark {

  /** Number of entries. */
  @Param("500000")
  int entries;

  /** Length of each value. */
  @Param("100")
  int valueBytes;

  /** Whether the entries lie in hash order. */
  @Param({"false", "true"})
  boolean compacted;

  private HashedStore store;

  /** Loads the entries. */
  @Setup(Level.Trial)
  public void load() {
    store = new HashedStore(new Entries(entries, valueBytes));
    if (compacted) {
      store.compact();
    }
  }

  /** Hashes every entry once. */
  @Benchmark
  public long hash() {
    long hashed = store.hash();
    if (hashed != entries) {
      throw new WrongContentException("hashed " + hashed + " of " + entries + " entries");
    }
    return hashed;
  }
}
