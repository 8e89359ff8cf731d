package dev.headrace.benchmarks.peer;

import dev.headrace.benchmarks.harness.Entries;

/**
 * A system under test: a cluster of nodes in this JVM that holds one cache with two owners.
 *
 * <p>Used by one thread, in this order: {@link #start}, {@link #load} any number of times, {@link
 * #view} and its use, {@link #close}.
 */
public interface Peer extends AutoCloseable {

  /** The version that runs. */
  String version();

  /** Starts the data nodes and one bystander, and returns once all of them know each other. */
  void start(int dataNodes);

  /** Replaces the whole content. */
  void load(Entries entries);

  /** The cache as seen from there. */
  View view(Vantage vantage);

  /** Whether this thread does work for the walks of the given vantage's node alone. */
  default boolean serves(Thread thread, Vantage vantage) {
    return false;
  }

  @Override
  void close();
}
