package dev.headrace.replication.lane;

/**
 * What a node's lanes keep in memory beside the entries, to be held against their bounds.
 *
 * @param mutations the most mutations that one lane keeps, since somebody may still need them
 * @param mutationBytes the most bytes of these
 * @param waiting the most operations that wait in one lane
 * @param resultBytes the bytes of results that all lanes keep for callers
 */
public record LaneLoad(int mutations, long mutationBytes, int waiting, long resultBytes) {

  /** The larger of each figure. */
  LaneLoad max(LaneLoad other) {
    return new LaneLoad(
        Math.max(mutations, other.mutations),
        Math.max(mutationBytes, other.mutationBytes),
        Math.max(waiting, other.waiting),
        Math.max(resultBytes, other.resultBytes));
  }
}
