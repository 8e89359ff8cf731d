package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.publish.Quorum;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether a node's part of the cluster must not go on, as it finds itself or, while it has no table
 * to tell by, as the coordinator of that part has told it.
 */
final class QuorumLoss {

  private final AgreementEffects effects;

  /** What the coordinator has told. */
  private @Nullable String heard;

  private boolean hasHeard;

  /** Why this node is set aside, as the coordinator repeats it; null if it is not. */
  private @Nullable String aside;

  private long asideNanos;

  /** The reason that was told to this node, null if it may go on. */
  private @Nullable String told;

  /** What {@link #found} was found from. */
  private @Nullable Judged judged;

  private @Nullable String found;

  /** Why another cluster goes on instead of this one, as far as the views have told. */
  private @Nullable String yields;

  private record Judged(Quorum quorum, long inForceEpoch, long newestEpoch) {}

  QuorumLoss(AgreementEffects effects) {
    this.effects = effects;
  }

  /** The coordinator says that this node is out of the table, and why. */
  void setAside(String reason, long nowNanos) {
    aside = reason;
    asideNanos = nowNanos;
  }

  /** This node is a member of the table. */
  void taken() {
    aside = null;
  }

  /** What the coordinator has not repeated since a point in time is over. */
  void forget(long beforeNanos) {
    if (aside != null && asideNanos - beforeNanos < 0) {
      aside = null;
    }
  }

  /** There is a new view, and perhaps another reason. */
  void enter() {
    hasHeard = false;
  }

  /** Whether a node that waits for a table does not know yet why. */
  boolean isUnexplained() {
    return !hasHeard;
  }

  void hear(String reason) {
    hasHeard = true;
    heard = reason;
    tell(reason);
  }

  /** It is known which clusters have met; stays so until it is known in another view. */
  void compare(@Nullable String yieldsBecause) {
    yields = yieldsBecause;
  }

  /**
   * Finds out whether this node may go on, and tells it if that has changed.
   *
   * @param knowsItsView whether nobody in the view can be expected to have a newer table, in which
   *     those in reach may be enough; without that nothing is stopped
   */
  void judge(Acceptor own, Quorum quorum, boolean knowsItsView) {
    if (own.installed() != null) {
      heard = null;
    }
    Judged present = new Judged(quorum, own.inForceEpoch(), own.log().newestEpoch());
    if (!present.equals(judged)) {
      judged = present;
      found = reason(own, quorum);
    }
    if (aside != null) {
      tell(aside);
    } else if (found == null) {
      tell(yields == null ? heard : yields);
    } else if (told != null || knowsItsView) {
      tell(found);
    }
  }

  private void tell(@Nullable String reason) {
    if (Objects.equals(reason, told)) {
      return;
    }
    told = reason;
    if (reason == null) {
      effects.resumed();
    } else {
      effects.suspended(reason);
    }
  }

  /** Why those in reach may not go on with what a node has; null if they may. */
  static @Nullable String reason(Acceptor own, Quorum quorum) {
    SegmentTable missed = own.missed(quorum);
    if (missed == null) {
      return null;
    }
    List<Member> missing = quorum.missing(missed);
    return "Reads, writes and streams are refused: "
        + (missing.size() == 1 ? "node " : "nodes ")
        + missing.stream().map(Member::toString).collect(Collectors.joining(", "))
        + " cannot be reached, and the nodes that are left may not go on alone (see guide/nodes)";
  }
}
