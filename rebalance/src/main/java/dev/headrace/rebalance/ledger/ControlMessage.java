package dev.headrace.rebalance.ledger;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What ledgers say to each other. */
public sealed interface ControlMessage {

  /**
   * Who the sender is and what it holds. Sent to everybody on entering a view, and as an answer to
   * {@link Install}.
   *
   * @param sequence grows with each greeting of the sender, so that the latest is known
   * @param viewMark the sender's view
   * @param heldAtEntry the sender's table when it entered the view
   * @param held the sender's table now
   * @param wantsAnswer whether the sender waits for a greeting
   */
  record Hello(
      long sequence,
      long viewMark,
      Member member,
      Terms terms,
      @Nullable TableHeader heldAtEntry,
      @Nullable TableHeader held,
      boolean wantsAnswer)
      implements ControlMessage {}

  /** A view's convener puts a table in force. */
  record Install(long viewMark, SegmentTable table) implements ControlMessage {}

  /** A view's convener does not take a node. */
  record Refuse(long viewMark, String reason) implements ControlMessage {}

  /** A node wants to write for the first time since the cluster was founded. */
  record Seal() implements ControlMessage {}

  /** A node wants to leave in order. */
  record Leave() implements ControlMessage {}

  /** The binary form. */
  default byte[] encode() {
    return ControlForm.encode(this);
  }

  /**
   * Reads the binary form.
   *
   * @throws dev.headrace.api.error.WireException if the bytes are not a message's
   */
  static ControlMessage decode(ByteBuffer in) {
    return ControlForm.decode(in);
  }
}
