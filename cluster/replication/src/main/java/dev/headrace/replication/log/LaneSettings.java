package dev.headrace.replication.log;

import dev.headrace.replication.message.ReplicationMessage;
import dev.headrace.stream.NodeId;

/**
 * What all lanes of a node have in common.
 *
 * @param self this node
 * @param minOwners writes are refused in a segment with fewer owners; at least 1
 * @param maxOutboxEntries mutations of one segment that may wait for its backups at the same time
 * @param maxOutboxBytes about how many bytes these may occupy; a single larger one passes
 * @param maxWaiting operations of one segment that may wait while its new primary takes over
 * @param resendNanos after so long without an answer a message is sent again
 * @param quietNanos after so long without a mutation backups are told that all is stable
 * @param leaseWaitNanos so long after the exclusion of an owner nobody can have a valid lease under
 *     the older table; 0 if there are no leases and nobody waits for them
 * @param rangeBytes about how many bytes of entries a learner reads at a time, or a single larger
 *     entry
 * @param carriedBytes a segment whose entries take so many bytes at most goes to a learner with the
 *     order to begin; 0 for none
 * @param maxResultBytes the most bytes of results that the node keeps for callers; see {@link
 *     ResultMemory}
 * @param maxChangeBytes the most bytes of changes that the node retains for readers, 0 for none;
 *     see {@link ChangeRetention}
 * @param previousValues whether the values before changes are retained, too
 */
public record LaneSettings(
    NodeId self,
    int minOwners,
    int maxOutboxEntries,
    long maxOutboxBytes,
    int maxWaiting,
    long resendNanos,
    long quietNanos,
    long leaseWaitNanos,
    int rangeBytes,
    int carriedBytes,
    long maxResultBytes,
    long maxChangeBytes,
    boolean previousValues) {

  /** The most mutations on their way to one backup; also what it keeps of those that came early. */
  public static final int MAX_IN_FLIGHT = 1024;

  /** About how many bytes one answer to a new primary carries, or a single larger mutation. */
  static final long MAX_HISTORY_BYTES = 1 << 20;

  /** About how many bytes the operations may occupy that wait in one segment. */
  public static final long MAX_WAITING_BYTES = 1 << 20;

  private static final int DEFAULT_RANGE_BYTES = 1 << 16;
  private static final int DEFAULT_CARRIED_BYTES = 4 << 10;
  private static final long DEFAULT_CHANGE_BYTES = 1 << 20;

  /** Checks the bounds. */
  public LaneSettings {
    if (minOwners < 1
        || maxOutboxEntries < 1
        || maxOutboxBytes < 1
        || maxWaiting < 0
        || resendNanos < 1
        || quietNanos < 1
        || leaseWaitNanos < 0
        || rangeBytes < 1
        || carriedBytes < 0
        || maxResultBytes < 1
        || maxChangeBytes < 0) {
      throw new IllegalArgumentException(
          "Every bound of a lane must be positive, but minOwners is %d, the outbox %d entries and %d bytes, waiting %d, resending %d ns, quiet %d ns, the wait for leases %d ns, ranges %d bytes, with the order to begin %d bytes, results %d bytes, changes %d bytes"
              .formatted(
                  minOwners,
                  maxOutboxEntries,
                  maxOutboxBytes,
                  maxWaiting,
                  resendNanos,
                  quietNanos,
                  leaseWaitNanos,
                  rangeBytes,
                  carriedBytes,
                  maxResultBytes,
                  maxChangeBytes));
    }
  }

  /** How long to wait for an answer to what has so many bytes, or has them for an answer. */
  public long patienceNanos(long bytes) {
    return resendNanos + ReplicationMessage.wayNanos(bytes);
  }

  /** Without leases, and with the usual bound on results. */
  public LaneSettings(
      NodeId self,
      int minOwners,
      int maxOutboxEntries,
      long maxOutboxBytes,
      int maxWaiting,
      long resendNanos,
      long quietNanos) {
    this(
        self,
        minOwners,
        maxOutboxEntries,
        maxOutboxBytes,
        maxWaiting,
        resendNanos,
        quietNanos,
        0,
        DEFAULT_RANGE_BYTES,
        DEFAULT_CARRIED_BYTES,
        ResultMemory.MAX_BYTES,
        DEFAULT_CHANGE_BYTES,
        false);
  }

  /** What suits a cluster on a local network. */
  public static LaneSettings of(NodeId self, int minOwners) {
    return new LaneSettings(self, minOwners, 4096, 4 << 20, 256, 200_000_000L, 1_000_000_000L);
  }

  /** The same with other bounds of what one segment keeps. */
  public LaneSettings withBounds(int outboxEntries, long outboxBytes, int waiting) {
    return with(outboxEntries, outboxBytes, waiting, leaseWaitNanos, maxResultBytes);
  }

  /** The same for a cluster whose leases run out so long after an exclusion. */
  public LaneSettings withLeaseWaitNanos(long waitNanos) {
    return with(maxOutboxEntries, maxOutboxBytes, maxWaiting, waitNanos, maxResultBytes);
  }

  /** The same with another bound of the results that are kept. */
  public LaneSettings withMaxResultBytes(long bytes) {
    return with(maxOutboxEntries, maxOutboxBytes, maxWaiting, leaseWaitNanos, bytes);
  }

  private LaneSettings with(int entries, long bytes, int waiting, long leaseNanos, long results) {
    return new LaneSettings(
        self,
        minOwners,
        entries,
        bytes,
        waiting,
        resendNanos,
        quietNanos,
        leaseNanos,
        rangeBytes,
        carriedBytes,
        results,
        maxChangeBytes,
        previousValues);
  }

  /** The same with copies that are read and carried in pieces of other sizes. */
  public LaneSettings withCopies(int range, int carried) {
    return with(range, carried, maxChangeBytes, previousValues);
  }

  /** The same with another bound of the changes that are retained. */
  public LaneSettings withChanges(long maxBytes, boolean previous) {
    return with(rangeBytes, carriedBytes, maxBytes, previous);
  }

  private LaneSettings with(int range, int carried, long changes, boolean previous) {
    return new LaneSettings(
        self,
        minOwners,
        maxOutboxEntries,
        maxOutboxBytes,
        maxWaiting,
        resendNanos,
        quietNanos,
        leaseWaitNanos,
        range,
        carried,
        maxResultBytes,
        changes,
        previous);
  }
}
