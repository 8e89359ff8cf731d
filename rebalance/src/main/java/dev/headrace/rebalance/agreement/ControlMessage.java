package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.rebalance.table.TableSlice;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What agreements say to each other. */
public sealed interface ControlMessage {

  /**
   * Who the sender is and what it held when it entered its view. Sent to everybody then. It is also
   * a promise: from now on the sender takes tables from this view's coordinator only.
   *
   * @param sequence grows with each hello of the sender, so that the latest is known
   * @param viewMark the sender's view
   * @param stored the newest table that it had stored, or null if it had none
   * @param inForce the table that the sender acted upon, or null if there was none
   * @param promisedBallot the newest ballot under which it had taken tables
   * @param leavesBehind whether the sender acted upon an unwritten table that others acted upon,
   *     too, who were not in its view
   * @param wantsAnswer whether the sender waits for a hello
   */
  record Hello(
      long sequence,
      long viewMark,
      Member member,
      ClusterTerms terms,
      @Nullable TableHeader stored,
      @Nullable TableHeader inForce,
      long promisedBallot,
      boolean leavesBehind,
      boolean wantsAnswer)
      implements ControlMessage {}

  /**
   * A view's coordinator claims its ballot, has tables stored, tells what is in force, and says
   * that it is still there; each as far as there is something to say.
   *
   * @param ballot under which the coordinator decides
   * @param askedNanos when the coordinator sent it, by its own clock
   * @param echoNanos when the receiver sent the latest answer that the coordinator has, by the
   *     receiver's clock; {@link dev.headrace.rebalance.publish.MemberProgress#NEVER} if no quorum
   *     is with the coordinator
   * @param newestEpoch the epoch of the newest table that the coordinator has stored; whoever has
   *     stored a newer one does not promise it its ballot
   * @param inForceEpoch the epoch of the newest table in force
   * @param fromEpoch the epoch of the table that the receiver has stored as far as is known, if the
   *     coordinator's line contains it; -1 otherwise
   * @param image where the deltas begin, or null if they begin at {@code fromEpoch}; it is in force
   */
  record Append(
      long viewMark,
      long ballot,
      long askedNanos,
      long echoNanos,
      long newestEpoch,
      long inForceEpoch,
      long fromEpoch,
      @Nullable SegmentTable image,
      List<TableDelta> deltas)
      implements OfView {

    public Append {
      deltas = List.copyOf(deltas);
    }

    /** Whether it brings a table or a change of one. */
    public boolean publishes() {
      return image != null || !deltas.isEmpty();
    }

    /** The epoch of the last table that it brings, or of the one that it begins at. */
    long lastEpoch() {
      if (!deltas.isEmpty()) {
        return deltas.get(deltas.size() - 1).epoch();
      }
      return image == null ? fromEpoch : image.epoch();
    }
  }

  /**
   * The answer to {@link Append}.
   *
   * @param promisedBallot the newest ballot under which the sender takes tables
   * @param storedEpoch the epoch of the newest table that it has stored, -1 if it has none
   * @param installedEpoch the epoch of the table that is in force there, -1 if none is
   * @param askedNanos as in the message that it answers
   * @param sentNanos when it was sent, by the sender's clock
   * @param stamp of the newest stored table
   */
  record Appended(
      long viewMark,
      long promisedBallot,
      long storedEpoch,
      long installedEpoch,
      long askedNanos,
      long sentNanos,
      long stamp)
      implements OfView {}

  /**
   * The stamps of the parts of a range of segments; see {@link
   * dev.headrace.rebalance.publish.StampSearch}.
   *
   * @param epoch of the table that they are of
   * @param membersStamp of that table
   * @param stamps empty if it is a question
   */
  record RangeStamps(
      long viewMark, long epoch, long membersStamp, int from, int to, List<Long> stamps)
      implements OfView {

    public RangeStamps {
      stamps = List.copyOf(stamps);
    }
  }

  /** What the receiver's table has to be in some segments in which it differs. */
  record RangeRepair(long viewMark, TableSlice slice) implements OfView {}

  /** A view's coordinator does not take a node. */
  record Refuse(long viewMark, String reason) implements OfView {}

  /** A node that has waited for a table for a while asks its view's coordinator why. */
  record StatusRequest(long viewMark) implements OfView {}

  /**
   * The answer to {@link StatusRequest} of a coordinator whose part of the cluster must not go on,
   * and so takes nobody in.
   *
   * @param reason for people
   * @param inForce the table that is in force there; the receiver is none of its members
   */
  record Stalled(long viewMark, String reason, SegmentTable inForce) implements OfView {}

  /**
   * A data node cannot reach others by the way that operations take, although they are members.
   * Repeated as long as that is so; without any when it is over.
   */
  record Unreachable(List<NodeId> nodes) implements ControlMessage {

    public Unreachable {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * A view's coordinator has taken a node out of the table, because it and another one do not reach
   * each other. Repeated as long as that is so.
   *
   * @param epoch of the coordinator's newest table; whoever has a newer one has been taken in again
   * @param reason for people
   */
  record SetAside(long viewMark, long epoch, String reason) implements OfView {}

  /** A node wants to write for the first time since the cluster was founded. */
  record FirstWrite() implements ControlMessage {}

  /**
   * A node wants to leave in order.
   *
   * @param owesNothingAt the epoch of its table if it owns nothing there and nobody needs anything
   *     that it owned before; else {@link SegmentTable#NEVER}
   */
  record Leave(long owesNothingAt) implements ControlMessage {}

  /**
   * Nobody has all of a segment's content any more, so that it has to begin anew.
   *
   * @param segmentEpoch the epoch at which its owners last changed
   */
  record Lost(int segment, long segmentEpoch) implements Appeal {

    /** Whether the segment has the owners of which this was said. */
    boolean isOf(SegmentTable table) {
      return segment >= 0
          && segment < table.segments()
          && table.segmentEpoch(segment) == segmentEpoch;
    }
  }

  /**
   * A segment's primary has no copy that the others' histories could complete, but somebody has
   * everything, who is to be the primary instead.
   *
   * @param segmentEpoch the epoch at which its owners last changed
   * @param keeper who has everything, an owner or a former one
   */
  record GiveBack(int segment, long segmentEpoch, NodeId keeper) implements Appeal, Proposal {

    /** The step that puts the keeper before the other owners, unless they have changed since. */
    @Override
    public @Nullable TableDelta on(SegmentTable newest, long epoch) {
      boolean known = segment >= 0 && segment < newest.segments();
      Member member = newest.member(keeper);
      if (!known
          || newest.segmentEpoch(segment) != segmentEpoch
          || member == null
          || !member.holdsSegments()) {
        return null;
      }
      List<NodeId> row = new ArrayList<>(newest.owners(segment));
      row.remove(keeper);
      row.add(0, keeper);
      if (row.size() > SegmentTable.maxOwners(newest.header())) {
        row.remove(row.size() - 1);
      }
      return newest.edit(epoch).owners(segment, row).delta();
    }
  }

  /**
   * Somebody has decided that what some segments hold is gone. Those of them that wait for absent
   * nodes, or of which no whole copy is in reach, begin anew. If the owners of one have changed
   * since, it is not what the decision was about.
   */
  record GiveUp(List<Row> rows) implements Appeal {

    public GiveUp {
      rows = List.copyOf(rows);
    }

    /**
     * A segment as it was when it was given up.
     *
     * @param segmentEpoch the epoch at which its owners had last changed
     */
    public record Row(int segment, long segmentEpoch) {

      public static Row of(SegmentTable table, int segment) {
        return new Row(segment, table.segmentEpoch(segment));
      }
    }
  }

  /**
   * Some nodes that segments wait for are known to have ended: a data connection to them was closed
   * or reset from their side, and their port refuses new ones. Repeated as long as segments wait
   * for them.
   */
  record Ended(List<NodeId> nodes) implements Appeal {

    public Ended {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * What is said in a view, between its coordinator and the others, and means nothing in another.
   */
  sealed interface OfView extends ControlMessage
      permits Append, Appended, RangeStamps, RangeRepair, Refuse, StatusRequest, Stalled, SetAside {
    long viewMark();
  }

  /** What only the coordinator can help. */
  sealed interface Appeal extends ControlMessage permits Lost, GiveBack, GiveUp, Ended {}

  /**
   * The binary form.
   *
   * @param protocol the version of the protocol that the receiver knows, too: see {@link
   *     TableAgreement#protocolWith}
   */
  default byte[] encode(int protocol) {
    return ControlForm.encode(this, protocol);
  }

  /**
   * Reads the binary form.
   *
   * @param known the versions of the protocol that this node knows
   * @throws dev.headrace.api.error.WireException if the bytes are not a message's, or if it is of a
   *     version of the protocol that this node does not know
   */
  static ControlMessage decode(ByteBuffer in, ProtocolVersions known) {
    return ControlForm.decode(in, known);
  }
}
