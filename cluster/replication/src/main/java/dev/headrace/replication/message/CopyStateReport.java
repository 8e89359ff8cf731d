package dev.headrace.replication.message;

import java.util.List;

/**
 * A primary tells the coordinator which copies have got to where they can be committed, and which
 * have ended without.
 *
 * @param states one per copy
 */
public record CopyStateReport(List<CopyState> states) implements ReplicationMessage {
  /** The most states in one message. */
  public static final int MAX_STATES = CopyOrder.MAX_COPIES;

  public CopyStateReport {
    states = List.copyOf(states);
  }

  /**
   * How one copy stands.
   *
   * @param migration its name
   * @param segment the segment
   * @param ready whether all destinations have everything but the very last mutations, and keep up;
   *     if not, the copy has failed
   * @param copiedBytes the bytes of entries that the destinations have taken, all together
   * @param reason why it has failed, for people; empty if it is ready
   */
  public record CopyState(
      long migration, int segment, boolean ready, long copiedBytes, String reason) {}
}
