package dev.headrace.benchmarks.locator;

import dev.headrace.benchmarks.harness.ForkedBenchmark;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Looks up the node of {@code keyCount} texts; the method and its parameters have the names of the
 * proposal's table.
 *
 * <p>With the ring {@value #NO_RING}, {@code locator} is one that needs none, such as {@code
 * segment-table}. With {@code ketama-md5}, {@code legacy} is EVCache's own locator, whose look-up
 * structure is our {@code tree}.
 */
@State(Scope.Benchmark)
@Threads(1)
@Fork(
    value = 1,
    jvmArgsAppend = {ForkedBenchmark.SMALL_HEAP, ForkedBenchmark.COLLECTOR})
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls the set-up
public class LocatorBenchmark extends ForkedBenchmark {

  /** For locators that have no ring. */
  static final String NO_RING = "none";

  /** How nodes and keys come onto the ring. */
  @Param({"ketama-md5", "ketama-murmur3", "ketama-xxh3", "simple-fnv1a"})
  String hashRing;

  /** How a ring is searched, or the name of a locator without one. */
  @Param({"tree", "array", "eytzinger", "direct"})
  String locator;

  /** Keys of one operation. */
  @Param("2000")
  int keyCount;

  /** Letters behind a key's number. */
  @Param({"0", "50"})
  int keyTailLength;

  /** Number of nodes. */
  @Param({"10", "120"})
  int nodeCount;

  private Subject subject;

  /** Makes the locator and the keys. */
  @Setup(Level.Trial)
  public void make() {
    String[] keys = new String[keyCount];
    for (int i = 0; i < keyCount; i++) {
      keys[i] = "key_" + i + String.valueOf((char) ('a' + i % 26)).repeat(keyTailLength);
    }
    subject = Subject.of(LocatorCell.system(hashRing, locator), nodeCount, keys);
  }

  /** Looks all keys up. */
  @Benchmark
  public int testGetPrimary() {
    return subject.lookUp();
  }
}
