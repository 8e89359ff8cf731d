package dev.headrace.benchmarks.peer;

import dev.headrace.benchmarks.harness.Entries;
import java.util.function.Consumer;

/**
 * A system under test: a cluster of nodes that holds one cache, in this JVM unless said otherwise,
 * with two owners.
 *
 * <p>Used by one thread, in this order: {@link #start}, {@link #load} any number of times, {@link
 * #view} and its use, {@link #close}.
 */
public interface SystemUnderTest extends AutoCloseable {

  /** The version that runs. */
  String version();

  /** Starts the data nodes and one bystander, and returns once all of them know each other. */
  void start(int dataNodes);

  /** Replaces the whole content. */
  void load(Entries entries);

  /** The cache as seen from there. */
  View view(Vantage vantage);

  /** Whether this thread, beside the consuming one, works for walks on the vantage's node. */
  default boolean serves(Thread thread, Vantage vantage) {
    return false;
  }

  /**
   * Walks once over everything and returns the most entries that the walk ever had buffered or in
   * flight, as the system itself counts them.
   *
   * @throws UnsupportedOperationException if the system does not tell
   */
  default int peakHeldEntries(Vantage vantage, WalkSettings settings) {
    throw new UnsupportedOperationException("This system does not count what a walk holds");
  }

  /** Before it is started: it will hold {@link #trades}, too. */
  default void prepareForTrades() {}

  /**
   * A cache of trades as seen from there, empty at first.
   *
   * @throws UnsupportedOperationException if operators of the system are not measured, or it was
   *     not prepared for them
   */
  default TradeView trades(Vantage vantage) {
    throw new UnsupportedOperationException("Operators of this system are not measured");
  }

  /**
   * Has a reader told of every value that is put from now on.
   *
   * @param told gets the values, on a thread of the system or of the reader; it must not keep them
   * @return ends it
   * @throws UnsupportedOperationException if changes of the system are not measured
   */
  default Runnable follow(Vantage vantage, Consumer<byte[]> told) {
    throw new UnsupportedOperationException("Changes of this system are not measured");
  }

  /**
   * How the system takes many entries at once, on the first data node.
   *
   * @throws UnsupportedOperationException if that is not measured of the system
   */
  default BulkLoads bulkLoads() {
    throw new UnsupportedOperationException("Bulk loads of this system are not measured");
  }

  @Override
  void close();
}
