package dev.headrace.cluster.node.simulation.oracle;

/** The computations of one node that wait for each other, because they change the same key. */
final class ComputationQueue {
  private int running;
  private long sinceNanos;

  /** One more comes; returns since when there has been one at any time. */
  long enter(long nowNanos) {
    if (running++ == 0) {
      sinceNanos = nowNanos;
    }
    return sinceNanos;
  }

  /** One has ended. */
  void leave() {
    running--;
  }
}
