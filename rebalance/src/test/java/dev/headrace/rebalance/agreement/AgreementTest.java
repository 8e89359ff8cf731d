package dev.headrace.rebalance.agreement;

import static dev.headrace.rebalance.agreement.Mill.assertOneTable;
import static dev.headrace.rebalance.agreement.Mill.primaries;
import static dev.headrace.rebalance.agreement.Mill.started;
import static dev.headrace.rebalance.agreement.Mill.terms;
import static dev.headrace.rebalance.agreement.Mill.withoutTables;
import static dev.headrace.rebalance.agreement.Mill.written;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.SegmentTable;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class AgreementTest {

  private final Simulation cluster = Simulation.calm(SplitPolicy.DENY);

  @Test
  void aFirstNodeFoundsAClusterAlone() {
    AgreementNode node = started(cluster, 1);

    assertThat(node.table.members()).containsExactly(node.member);
    assertThat(node.table.written()).isFalse();
    assertThat(node.table.effectiveOwners()).isEqualTo(1);
    assertThat(node.table.lostSegments()).isEmpty();
  }

  @Test
  void nodesThatJoinBeforeTheFirstWriteGetTheirPart() {
    List<AgreementNode> nodes =
        List.of(started(cluster, 1), started(cluster, 1), started(cluster, 1));
    assertOneTable(nodes);
    for (AgreementNode node : nodes) {
      assertThat(primaries(node)).isBetween(5L, 6L);
    }
  }

  @Test
  void twoFirstNodesThatFoundApartBecomeOneClusterWithOneSeed() {
    AgreementNode first = started(cluster, 1);
    cluster.cutOff(first);
    AgreementNode second = started(cluster, 1);
    assertThat(first.table.hashSeed()).isNotEqualTo(second.table.hashSeed());

    cluster.heal();
    cluster.run(1000);
    assertOneTable(List.of(first, second));
    assertThat(first.table.members()).hasSize(2);
  }

  @Test
  void whoComesBeforeTheFirstWriteLearnsThatSomebodyWasExcluded() {
    AgreementNode stays = started(cluster, 1);
    AgreementNode goes = started(cluster, 1);
    assertThat(stays.table.excludedAt()).isEqualTo(SegmentTable.NEVER);
    long before = stays.table.epoch();
    cluster.cutOff(goes);
    cluster.run(1000);

    AgreementNode comes = started(cluster, 1);
    assertThat(comes.table.members()).containsExactly(stays.member, comes.member);
    assertThat(comes.table.excludedAt()).isBetween(before + 1, comes.table.epoch() - 1);
    comes.agreement.requestFirstWrite(comes.nowNanos());
    cluster.run(1000);
    assertThat(comes.table.written()).isTrue();
    assertThat(comes.table.excludedAt()).isGreaterThan(before);
  }

  @Test
  void whoComesFromAnotherClusterWithoutDataTellsThatItHasLeftSomebodyBehind() {
    AgreementNode comes = started(cluster, 1);
    AgreementNode leftBehind = started(cluster, 1);
    cluster.cutOff(comes, leftBehind);
    AgreementNode other = started(cluster, 1);
    cluster.cutOff(leftBehind);
    cluster.run(1000);

    assertOneTable(List.of(comes, other));
    assertThat(other.table.excludedAt()).isEqualTo(other.table.epoch());
  }

  @Test
  void aGivenSeedIsTheClustersWhoeverGivesIt() {
    cluster.showsViews = false;
    cluster.start(1);
    cluster.showsViews = true;
    AgreementNode second = cluster.start(terms("mill", 16, 2, OptionalLong.of(77)), 1);
    cluster.run(1000);

    assertThat(second.table.hashSeed()).isEqualTo(77);
    assertThat(cluster.up()).hasSize(2);
  }

  @Test
  void nodesWithoutCapacityNeitherFoundNorOwn() {
    AgreementNode client = started(cluster, 0);
    assertThat(client.table).isNull();

    AgreementNode holder = started(cluster, 1);
    assertOneTable(List.of(client, holder));
    assertThat(client.agreement.coordinator()).isEqualTo(holder.id());
    assertThat(primaries(holder)).isEqualTo(16);
  }

  @Test
  void theFirstWriteRaisesTheEpochOfEverySegment() {
    List<AgreementNode> nodes = List.of(started(cluster, 1), started(cluster, 1));
    SegmentTable before = nodes.get(0).table;
    nodes.get(1).agreement.requestFirstWrite(nodes.get(1).nowNanos());
    cluster.run(1000);

    assertOneTable(nodes);
    SegmentTable after = nodes.get(0).table;
    assertThat(after.written()).isTrue();
    for (int segment = 0; segment < 16; segment++) {
      assertThat(after.owners(segment)).isEqualTo(before.owners(segment));
      assertThat(after.segmentEpoch(segment)).isEqualTo(after.epoch());
    }
  }

  @Test
  void aDataNodeThatJoinsAClusterThatHoldsDataOwnsNothingAtFirst() {
    List<AgreementNode> nodes = written(cluster, 2);
    SegmentTable before = nodes.get(0).table;
    AgreementNode late = started(cluster, 1);
    AgreementNode client = started(cluster, 0);

    assertOneTable(List.of(nodes.get(0), nodes.get(1), late, client));
    assertThat(late.table.members()).hasSize(4);
    assertThat(late.table.replicas(late.id())).isZero();
    assertThat(late.serves()).isTrue();
    for (int segment = 0; segment < 16; segment++) {
      assertThat(late.table.owners(segment)).isEqualTo(before.owners(segment));
      assertThat(late.table.segmentEpoch(segment)).isEqualTo(before.segmentEpoch(segment));
    }
  }

  @Test
  void theSurvivorsArePromotedWhenAnOwnerCrashes() {
    List<AgreementNode> nodes = written(cluster, 3);
    SegmentTable before = nodes.get(0).table;
    cluster.crash(nodes.get(2));
    cluster.run(1000);

    SegmentTable after = nodes.get(0).table;
    assertOneTable(nodes.subList(0, 2));
    for (int segment = 0; segment < 16; segment++) {
      assertThat(before.owners(segment)).containsAll(after.owners(segment));
      assertThat(after.owners(segment)).isNotEmpty().doesNotContain(nodes.get(2).id());
    }
  }

  @Test
  void theSuccessorOfACrashedCoordinatorTakesAHigherBallot() {
    List<AgreementNode> nodes = written(cluster, 3);
    long before = nodes.get(1).table.epoch();
    cluster.crash(nodes.get(0));
    cluster.run(1000);

    assertOneTable(nodes.subList(1, 3));
    assertThat(Epoch.ballotNumber(nodes.get(1).table.epoch()))
        .isEqualTo(Epoch.ballotNumber(before) + 1);
    assertThat(nodes.get(1).isSuspended()).isFalse();
  }

  @Test
  void aNodeThatLeavesInOrderLeavesTheTableFirst() {
    List<AgreementNode> nodes = written(cluster, 2);
    cluster.leave(nodes.get(0));
    cluster.run(1000);

    assertThat(nodes.get(0).hasLeft).isTrue();
    assertThat(nodes.get(1).isSuspended()).isFalse();
    assertThat(nodes.get(1).table.members()).containsExactly(nodes.get(1).member);
  }

  @Test
  void theLastNodeMayLeave() {
    List<AgreementNode> nodes = written(cluster, 1);
    cluster.leave(nodes.get(0));

    assertThat(nodes.get(0).hasLeft).isTrue();
  }

  @Test
  void aDataNodeGoesOnWhenTheOthersLeaveAndClientsCrash() {
    List<AgreementNode> nodes = written(cluster, 3);
    List<AgreementNode> clients =
        List.of(started(cluster, 0), started(cluster, 0), started(cluster, 0));
    cluster.leave(nodes.get(0));
    cluster.run(1000);
    cluster.leave(nodes.get(2));
    cluster.run(1000);
    clients.forEach(cluster::crash);
    cluster.run(1000);

    AgreementNode last = nodes.get(1);
    assertThat(last.isSuspended()).isFalse();
    assertThat(last.table.members()).containsExactly(last.member);
  }

  @Test
  void anOrdinalIsGivenAgainWhenEveryMemberHasPassedTheRemoval() {
    List<AgreementNode> nodes = written(cluster, 3);
    cluster.crash(nodes.get(2));
    cluster.run(1000);
    started(cluster, 1);
    assertThat(nodes.get(0).table.members()).hasSize(3);
    assertThat(nodes.get(0).table.ordinals()).isEqualTo(3);
  }

  @Test
  void noOrdinalIsGivenAgainBeforeEveryMemberHasPassedTheRemoval() {
    List<AgreementNode> nodes = written(cluster, 4);
    cluster.crash(nodes.get(3));
    // One of the others stores no table any more, and so does not get beyond the removal.
    cluster.tampering =
        (node, received) ->
            node == nodes.get(2) && received.message() instanceof ControlMessage.Append append
                ? withoutTables(append)
                : received.message();
    cluster.run(1000);
    assertThat(nodes.get(0).table.members()).hasSize(3);
    assertThat(nodes.get(2).table.members()).hasSize(4);
    started(cluster, 1);
    assertThat(nodes.get(0).table.members()).hasSize(4);
    assertThat(nodes.get(0).table.ordinals()).isEqualTo(5);
  }

  @Test
  void nothingButHeartbeatsIsSentWhileNothingHappens() {
    written(cluster, 3);
    started(cluster, 0);
    cluster.records = true;
    cluster.run(10_000);
    assertThat(cluster.sent)
        .hasSizeBetween(2 * 3 * 90, 2 * 3 * 101)
        .allSatisfy(sent -> assertThat(sent.bytes()).isLessThan(100));
  }
}
