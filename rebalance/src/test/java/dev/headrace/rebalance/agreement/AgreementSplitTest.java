package dev.headrace.rebalance.agreement;

import static dev.headrace.rebalance.agreement.Mill.TERMS;
import static dev.headrace.rebalance.agreement.Mill.assertOneTable;
import static dev.headrace.rebalance.agreement.Mill.started;
import static dev.headrace.rebalance.agreement.Mill.written;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.table.SegmentTable;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AgreementSplitTest {

  private final Simulation cluster = Simulation.calm(SplitPolicy.DENY);

  @Test
  void aMinorityIsSuspendedAndComesBackAtTheHeal() {
    List<AgreementNode> nodes = written(cluster, 3);
    long before = nodes.get(0).table.epoch();
    cluster.cutOff(nodes.get(0));
    cluster.run(1000);

    assertThat(nodes.get(0).isSuspended()).isTrue();
    assertThat(nodes.get(0).table.epoch()).isEqualTo(before);
    assertThat(nodes.get(1).isSuspended()).isFalse();
    assertThat(nodes.get(1).table.members()).hasSize(2);

    cluster.heal();
    cluster.run(1000);
    assertThat(nodes.get(0).refusal).isNull();
    assertThat(nodes.get(0).isSuspended()).isFalse();
    assertOneTable(nodes);
    assertThat(nodes).allMatch(AgreementNode::serves);
    assertThat(nodes.get(0).table.replicas(nodes.get(0).id())).isZero();
  }

  @Test
  void leasesEndBeforeAnythingIsWrittenToo() {
    List<AgreementNode> nodes = List.of(started(cluster, 1), started(cluster, 1));
    cluster.run(1000);
    assertThat(nodes)
        .allMatch(AgreementNode::serves)
        .noneMatch(node -> node.table.written() || node.leaseUntilNanos == Lease.ALWAYS);
  }

  @Test
  void ofTwoHalvesTheOneWithTheOldestGoesOn() {
    List<AgreementNode> nodes = written(cluster, 4);
    cluster.cutOff(nodes.get(2), nodes.get(3));
    cluster.run(1000);

    assertThat(nodes.subList(0, 2)).noneMatch(node -> node.isSuspended());
    assertThat(nodes.subList(2, 4)).allMatch(node -> node.isSuspended());
  }

  @Test
  void theYoungerOfTwoIsSuspendedWhenTheOlderCrashes() {
    List<AgreementNode> nodes = written(cluster, 2);
    SegmentTable before = nodes.get(1).table;
    cluster.crash(nodes.get(0));
    cluster.run(1000);
    assertThat(nodes.get(1).isSuspended()).isTrue();
    assertThat(nodes.get(1).table).isEqualTo(before);
  }

  @Test
  void aClientCanLookAtAPartThatMayNotGoOnAndIsToldWhoIsMissing() {
    List<AgreementNode> nodes = written(cluster, 2);
    cluster.crash(nodes.get(0));
    cluster.run(1000);
    AgreementNode client = started(cluster, 0);

    assertThat(client.shown).isEqualTo(nodes.get(1).table);
    assertThat(client.suspension)
        .isEqualTo(nodes.get(1).suspension)
        .contains("node " + nodes.get(0).member.name() + " (");
    assertThat(client.table).isNull();
  }

  @Test
  void aPartThatMayNotGoOnSaysSoToADataNodeAndGoesOnWithoutIt() {
    List<AgreementNode> nodes = written(cluster, 2);
    SegmentTable before = nodes.get(1).table;
    cluster.crash(nodes.get(0));
    cluster.run(1000);
    AgreementNode anew = started(cluster, 1);

    assertThat(anew.suspension).isEqualTo(nodes.get(1).suspension);
    assertThat(anew.table).isNull();
    assertThat(nodes.get(1).table).isEqualTo(before);
  }

  @Test
  void whoCameToAPartThatCouldNotGoOnIsTakenInWhenItCan() {
    List<AgreementNode> nodes = written(cluster, 2);
    cluster.cutOff(nodes.get(0));
    cluster.run(1000);
    AgreementNode client = cluster.start(TERMS, 0);
    cluster.cutOff(nodes.get(0));
    cluster.run(1000);
    assertThat(client.isSuspended()).isTrue();

    cluster.heal();
    cluster.run(1000);
    assertThat(client.isSuspended()).isFalse();
    assertThat(client.table.member(client.id())).isNotNull();
  }

  @Test
  void withAllowEveryPartGoesOnAlone() {
    Simulation allowing = Simulation.calm(SplitPolicy.ALLOW);
    List<AgreementNode> nodes = written(allowing, 2);
    allowing.crash(nodes.get(0));
    allowing.run(1000);

    assertThat(nodes.get(1).isSuspended()).isFalse();
    assertThat(nodes.get(1).table.members()).containsExactly(nodes.get(1).member);
  }

  @Test
  void segmentsWithoutOwnersStayWithoutAndCountIt() {
    Simulation allowing = Simulation.calm(SplitPolicy.ALLOW);
    List<AgreementNode> nodes = written(allowing, 3);
    SegmentTable before = nodes.get(0).table;
    allowing.crash(nodes.get(1));
    allowing.crash(nodes.get(2));
    allowing.run(1000);

    SegmentTable after = nodes.get(0).table;
    assertThat(after.lostSegments()).isNotEmpty();
    for (int segment : after.lostSegments()) {
      assertThat(after.incarnation(segment)).isEqualTo(before.incarnation(segment) + 1);
    }
  }

  @Test
  void ofTwoClustersThatBothHoldDataOneGoesOnAndBothSaySo() {
    AgreementNode first = started(cluster, 1);
    cluster.cutOff(first);
    AgreementNode second = started(cluster, 1);
    first.agreement.requestFirstWrite(first.nowNanos());
    second.agreement.requestFirstWrite(second.nowNanos());
    cluster.run(1000);
    cluster.heal();
    AgreementNode client = started(cluster, 0);

    assertThat(first.table.members()).containsExactly(first.member, client.member);
    assertThat(second.table.members()).containsExactly(second.member);
    assertThat(second.warnings).hasSize(1);
    assertThat(second.warnings.get(0))
        .contains(first.table.header().toString().substring(0, 15))
        .contains(second.table.header().toString().substring(0, 15));
    assertThat(List.of(first, second)).filteredOn(AgreementNode::isSuspended).hasSize(1);
  }

  @Test
  void aClusterSeesTheOneThatANodeFoundsWhichHungWhenItWasFounded() {
    bothSaySo(Simulation.calm(SplitPolicy.DENY));
  }

  @Test
  void withAllowTooAClusterSeesTheOneThatANodeFoundsWhichHungWhenItWasFounded() {
    bothSaySo(Simulation.calm(SplitPolicy.ALLOW));
  }

  /** Two that take their first write in a view in which they have not heard each other. */
  private static void bothSaySo(Simulation cluster) {
    AgreementNode hanging = cluster.start(TERMS, 1);
    hanging.agreement.requestFirstWrite(hanging.nowNanos());
    cluster.hang(hanging, 5_000);
    AgreementNode other = started(cluster, 1);
    other.agreement.requestFirstWrite(other.nowNanos());
    cluster.run(3_500);
    assertThat(other.table.written()).isTrue();
    assertThat(hanging.table).as("it hangs").isNull();

    cluster.run(3_000);
    assertThat(hanging.table.members()).containsExactly(hanging.member);
    assertThat(other.table.members()).containsExactly(other.member);
    assertThat(List.of(hanging, other))
        .allSatisfy(node -> assertThat(node.warnings).hasSize(1))
        .allSatisfy(node -> assertThat(node.refusal).isNull())
        .filteredOn(AgreementNode::isSuspended)
        .hasSize(1);
  }

  @Test
  void ofTwoClustersTheSmallerOneStopsForAsLongAsItSeesTheOther() {
    List<AgreementNode> nodes = written(cluster, 2);
    cluster.cutOff(nodes.get(0), nodes.get(1));
    AgreementNode other = started(cluster, 1);
    other.agreement.requestFirstWrite(other.nowNanos());
    cluster.run(1000);
    assertThat(other.isSuspended()).isFalse();

    cluster.heal();
    cluster.run(1000);
    assertThat(other.suspension).contains("another cluster", "stop the nodes of one of the two");
    assertThat(nodes).noneMatch(AgreementNode::isSuspended);
    started(cluster, 0); // another view
    assertThat(other.isSuspended()).isTrue();

    nodes.forEach(cluster::crash);
    cluster.run(1000);
    assertThat(other.isSuspended()).isFalse();
  }

  @Test
  void aClusterWithoutDataGivesWayToOneWithData() {
    AgreementNode first = started(cluster, 1);
    first.agreement.requestFirstWrite(first.nowNanos());
    cluster.cutOff(first);
    AgreementNode second = started(cluster, 1);
    cluster.heal();
    cluster.run(1000);

    assertOneTable(List.of(first, second));
    assertThat(second.table.replicas(second.id())).isZero();
    assertThat(second.table.replicas(first.id())).isEqualTo(16);
  }
}
