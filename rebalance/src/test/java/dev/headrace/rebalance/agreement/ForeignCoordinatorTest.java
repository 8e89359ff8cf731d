package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.publish.MemberProgress;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A node that has one cluster's data is asked to store another one's tables. */
final class ForeignCoordinatorTest {
  private static final NodeId SELF = new NodeId(1, 1);
  private static final Member OWN = new Member(new NodeId(2, 2), "own", "::1", 1, "", 1);
  private static final Member FOREIGN = new Member(new NodeId(3, 3), "foreign", "::1", 1, "", 1);
  private static final long VIEW = 7;

  private final List<Hello> toForeign = new ArrayList<>();

  @Test
  void aDataNodeTellsItOfTheDataThatItHas() {
    TableAgreement agreement = askedByBoth(1, 8, 6);
    assertThat(toForeign).hasSize(1);
    assertThat(toForeign.get(0).inForce()).isEqualTo(agreement.table().header());
  }

  @Test
  void aNodeOfCapacityZeroDoesNotAnswerSinceItWouldBeTurnedAway() {
    TableAgreement agreement = askedByBoth(0, 8, 6);
    assertThat(toForeign).isEmpty();
    assertThat(agreement.table().header().firstWrite()).as("it keeps its cluster").isEqualTo(5);
  }

  /** It has founded a cluster while this node was founding one, and does not know that. */
  @Test
  void aDataNodeTellsOneThatKnowsOfNoDataYet() {
    TableAgreement agreement = askedByBoth(1, 9, 0);
    assertThat(toForeign).hasSize(1);
    assertThat(toForeign.get(0).inForce()).isEqualTo(agreement.table().header());
    assertThat(agreement.table().header().firstWrite()).as("it keeps its cluster").isEqualTo(5);
  }

  private TableAgreement askedByBoth(double capacity, long foreignCluster, long foreignWrite) {
    Member self = new Member(SELF, "self", "::1", 1, "", capacity);
    TableAgreement agreement =
        new TableAgreement(
            AgreementSettings.of(self, Mill.TERMS, SplitPolicy.DENY),
            Simulation.calm(SplitPolicy.DENY).placement,
            new Random(1),
            new Listening());
    agreement.viewChanged(new MemberView(VIEW, List.of(OWN.id(), FOREIGN.id(), SELF)), 0);
    agreement.received(OWN.id(), append(table(1, 8, 5, OWN, self)), 1);
    toForeign.clear();
    agreement.received(
        FOREIGN.id(), append(table(2, foreignCluster, foreignWrite, FOREIGN, self)), 2);
    return agreement;
  }

  private static SegmentTable table(
      long ballot, long clusterId, long firstWrite, Member owner, Member other) {
    long epoch = Epoch.first(ballot, owner.id());
    return SegmentTable.of(
        new TableHeader(epoch, clusterId, firstWrite, 6, 2, 1, 5),
        List.of(owner, other),
        new int[][] {{0}, {0}});
  }

  private static Append append(SegmentTable image) {
    return new Append(
        VIEW,
        Epoch.ballot(image.epoch()),
        0,
        MemberProgress.NEVER,
        image.epoch(),
        image.epoch(),
        -1,
        image,
        List.of());
  }

  /** Keeps what is said to the foreign coordinator. */
  private final class Listening extends CalmEffects {
    @Override
    public void send(NodeId to, ControlMessage message) {
      if (to.equals(FOREIGN.id()) && message instanceof Hello hello) {
        toForeign.add(hello);
      }
    }
  }
}
