package dev.headrace.replication.message;

import java.util.List;

/**
 * A primary tells the director which fills have got to where they can be committed, and which have
 * ended without.
 *
 * @param states one per fill
 */
public record FillReport(List<FillState> states) implements ReplicationMessage {

  /** The most states in one message. */
  public static final int MAX_STATES = FillOrder.MAX_FILLS;

  /** Copies the list. */
  public FillReport {
    states = List.copyOf(states);
  }

  /**
   * How one fill stands.
   *
   * @param migration its name
   * @param segment the segment
   * @param ready whether all destinations have everything but the very last mutations, and keep up;
   *     if not, the fill has failed
   * @param copiedBytes the bytes of entries that the destinations have taken, all together
   * @param reason why it has failed, for people; empty if it is ready
   */
  public record FillState(
      long migration, int segment, boolean ready, long copiedBytes, String reason) {}
}
