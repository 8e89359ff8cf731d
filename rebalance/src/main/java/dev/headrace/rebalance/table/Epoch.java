package dev.headrace.rebalance.table;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.Ownership;

/**
 * Reads and makes epochs. An epoch is one long that only grows: the coordinator's ballot, then a
 * number.
 *
 * <p>The number's upper half is a mark of the coordinator that took the ballot, its lower half
 * counts that coordinator's tables. So two nodes that take the same ballot without knowing of each
 * other do not make different tables of one epoch, and one of the two is the newer for everybody.
 */
public final class Epoch {
  public static final long MAX_BALLOT = (1L << (63 - Ownership.EPOCH_NUMBER_BITS)) - 1;

  private static final int COUNT_BITS = Ownership.EPOCH_COUNT_BITS;
  private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;
  private static final long MARK_FACTOR = 0x9E3779B97F4A7C15L;

  private Epoch() {}

  public static long ballotNumber(long epoch) {
    return epoch >>> Ownership.EPOCH_NUMBER_BITS;
  }

  /** How many tables its coordinator has made under this ballot, this one included. */
  public static long count(long epoch) {
    return epoch & COUNT_MASK;
  }

  /** The epoch of the first table that a coordinator makes under a ballot. */
  public static long first(long ballotNumber, NodeId coordinator) {
    if (ballotNumber < 0 || ballotNumber > MAX_BALLOT) {
      throw new IllegalArgumentException("No ballot: " + ballotNumber);
    }
    return (ballotNumber << Ownership.EPOCH_NUMBER_BITS) | (mark(coordinator) << COUNT_BITS) | 1;
  }

  /**
   * What the epochs of one coordinator under one ballot number have in common. Ballots are as
   * ordered as epochs, and the ballot of an epoch is not greater than the epoch.
   */
  public static long ballot(long epoch) {
    return epoch & ~COUNT_MASK;
  }

  /** The ballot of a coordinator under the ballot after a ballot's. */
  public static long ballotAfter(long ballot, NodeId coordinator) {
    return ballot(first(ballotNumber(ballot) + 1, coordinator));
  }

  /** Whether there is no further epoch in the ballot of this one. */
  public static boolean isLastOfBallot(long epoch) {
    return count(epoch) == COUNT_MASK;
  }

  /** Whether the coordinator took the epoch's ballot. */
  public static boolean isBallotOf(long epoch, NodeId coordinator) {
    return ((epoch >>> COUNT_BITS) & COUNT_MASK) == mark(coordinator);
  }

  /**
   * The epoch of a coordinator's next table: under the newest epoch's ballot if that is its own,
   * else under a higher one.
   */
  public static long next(long newest, NodeId coordinator) {
    boolean sameBallot = isBallotOf(newest, coordinator) && count(newest) < COUNT_MASK;
    return sameBallot ? newest + 1 : first(ballotNumber(newest) + 1, coordinator);
  }

  /** For people: ballot and count, such as {@code 3.12}. */
  public static String toString(long epoch) {
    return ballotNumber(epoch) + "." + count(epoch);
  }

  /** Whether two nodes would make tables of the same epochs; of a million pairs one would. */
  public static boolean haveSameMark(NodeId one, NodeId other) {
    return mark(one) == mark(other);
  }

  private static long mark(NodeId node) {
    return ((node.high() * 31 + node.low()) * MARK_FACTOR) >>> (64 - COUNT_BITS);
  }
}
