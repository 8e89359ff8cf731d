package dev.headrace.replication.role;

/**
 * Whether all caches of a segment can be served under its present owners: a port of whoever knows
 * the lanes of all of them. Thread-safe.
 *
 * <p>What is lost is lost for a segment, over all caches: its incarnation is raised, and what it
 * held is gone. So nothing may be acknowledged in one cache as long as it is not certain that the
 * histories of the others are there.
 */
@FunctionalInterface
public interface Recoveries {

  /**
   * Whether every lane of a segment on this node has all that was acknowledged before an epoch.
   *
   * @param segmentEpoch the epoch at which the segment's owners last changed
   */
  boolean complete(int segment, long segmentEpoch);
}
