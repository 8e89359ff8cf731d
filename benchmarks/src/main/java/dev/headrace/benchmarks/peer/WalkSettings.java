package dev.headrace.benchmarks.peer;

/**
 * How a whole cache is walked.
 *
 * @param way one of the system's ways, see {@link dev.headrace.benchmarks.peer.run.Contender#ways}
 * @param batchEntries entries per batch, page or {@code SCAN}; 0 for the system's default
 * @param sequential whether one node is asked after the other, where that can be chosen
 * @param rehashAware whether nodes may come and go meanwhile, where that can be chosen
 */
public record WalkSettings(String way, int batchEntries, boolean sequential, boolean rehashAware) {

  /** The same in another of the system's ways. */
  public WalkSettings withWay(String name) {
    return new WalkSettings(name, batchEntries, sequential, rehashAware);
  }

  /** The same with another batch size. */
  public WalkSettings withBatch(int entries) {
    return new WalkSettings(way, entries, sequential, rehashAware);
  }
}
