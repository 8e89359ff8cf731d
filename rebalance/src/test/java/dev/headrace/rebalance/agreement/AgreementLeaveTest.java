package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.agreement.ControlMessage.Appended;
import dev.headrace.rebalance.publish.MemberProgress;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a node that wants to leave, and does not decide itself, leaves. */
final class AgreementLeaveTest {
  private static final Member COORDINATOR = new Member(new NodeId(2, 2), "first", "::1", 1, "", 1);
  private static final Member SELF = new Member(new NodeId(1, 1), "self", "::1", 1, "", 1);
  private static final long VIEW = 7;

  private final TableAgreement agreement =
      new TableAgreement(
          AgreementSettings.of(SELF, Mill.TERMS, SplitPolicy.DENY),
          Simulation.calm(SplitPolicy.DENY).placement,
          new Random(1),
          new Listening());
  private final SegmentTable first =
      SegmentTable.of(
          new TableHeader(Epoch.first(1, COORDINATOR.id()), 8, 5, 6, 2, 1, 5),
          List.of(COORDINATOR, SELF),
          new int[][] {{0}, {0}});
  private final TableDelta withoutSelf =
      first.edit(first.epoch() + 1).removeMembers(Set.of(SELF.id())).delta();
  private boolean left;
  private long storedEpoch;

  AgreementLeaveTest() {
    agreement.viewChanged(new MemberView(VIEW, List.of(COORDINATOR.id(), SELF.id())), 0);
    agreement.received(COORDINATOR.id(), append(first.epoch(), -1, first, List.of()), 1);
    assertThat(agreement.table()).isEqualTo(first);
    agreement.requestLeave(first.epoch(), 2);
  }

  @Test
  void itLeavesWhenATableWithoutItIsInForce() {
    assertThat(left).isFalse();
    append(withoutSelf.epoch(), List.of(withoutSelf));
    assertThat(left).isTrue();
  }

  /** It was cut off, and is taken in again by one who did not know that it wants to leave. */
  @Test
  void itStaysWhileItHasStoredANewerTableThatTakesItInAgain() {
    SegmentTable second = first.apply(withoutSelf);
    TableDelta again = second.edit(second.epoch() + 1).addMember(SELF).delta();
    append(second.epoch(), List.of(withoutSelf, again));
    assertThat(storedEpoch).as("its vote").isEqualTo(again.epoch());
    assertThat(left).isFalse();
    SegmentTable third = second.apply(again);
    append(third.epoch(), List.of());
    assertThat(left).isFalse();
    TableDelta letGo = third.edit(third.epoch() + 1).removeMembers(Set.of(SELF.id())).delta();
    append(third.epoch(), List.of(letGo));
    assertThat(left).isFalse();
    append(letGo.epoch(), List.of());
    assertThat(left).isTrue();
  }

  private void append(long inForceEpoch, List<TableDelta> deltas) {
    agreement.received(COORDINATOR.id(), append(inForceEpoch, storedEpoch, null, deltas), 3);
  }

  private static Append append(
      long inForceEpoch, long knownEpoch, @Nullable SegmentTable image, List<TableDelta> deltas) {
    long newest =
        deltas.isEmpty()
            ? Math.max(inForceEpoch, knownEpoch)
            : deltas.get(deltas.size() - 1).epoch();
    return new Append(
        VIEW,
        Epoch.ballot(inForceEpoch),
        0,
        MemberProgress.NEVER,
        newest,
        inForceEpoch,
        knownEpoch,
        image,
        deltas);
  }

  private final class Listening extends CalmEffects {
    @Override
    public void send(NodeId to, ControlMessage message) {
      if (message instanceof Appended appended) {
        storedEpoch = appended.storedEpoch();
      }
    }

    @Override
    public void left() {
      left = true;
    }
  }
}
