package dev.headrace.benchmarks.migration;

import dev.headrace.benchmarks.harness.HarnessMessage;

/** A cluster whose first node is there and holds every entry. Used by one thread. */
interface GrowingCluster extends AutoCloseable {

  /**
   * Starts the other nodes and returns when everything lies where it belongs, or when the time is
   * over.
   *
   * @return what {@link MigrationLog} found, and what else the system tells; {@code disturbed} if
   *     it was not this case that was measured: something moved before all nodes were there, or one
   *     was lost
   */
  HarnessMessage grow();

  /**
   * Kills the last node and returns when every segment has all its replicas again.
   *
   * @param grown what {@link #grow} returned
   * @return the same with {@code crashLost}, the replicas that the node held, and {@code
   *     crashCopies}, those that were copied
   * @throws UnsupportedOperationException if this system is not asked for it
   */
  default HarnessMessage crash(HarnessMessage grown) {
    throw new UnsupportedOperationException("Crashes of this system are not measured");
  }

  @Override
  void close();
}
