package dev.headrace.rebalance.agreement;

import static dev.headrace.rebalance.agreement.Mill.assertOneTable;
import static dev.headrace.rebalance.agreement.Mill.written;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.ControlMessage.SetAside;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Two data nodes that both reach everybody but each other. */
final class BrokenPairsTest {

  private final Simulation cluster = Simulation.calm(SplitPolicy.DENY);

  @Test
  void theYoungerIsSetAsideAndToldWhyAndComesBackWhenTheyReachEachOther() {
    List<AgreementNode> nodes = written(cluster, 4);
    SegmentTable before = nodes.get(0).table;
    breakApart(nodes.get(2), nodes.get(3));
    cluster.run(2_000);

    assertOneTable(nodes.subList(0, 3));
    SegmentTable during = nodes.get(0).table;
    assertThat(during.member(nodes.get(3).id())).isNull();
    assertThat(during.lostSegments()).isEmpty();
    for (int segment = 0; segment < during.segments(); segment++) {
      assertThat(during.incarnation(segment)).isEqualTo(before.incarnation(segment));
    }
    assertThat(nodes.get(3).suspension).contains("set aside").contains("node-2").contains("node-3");
    assertThat(nodes.get(0).warnings).anyMatch(text -> text.contains("do not reach each other"));
    cluster.run(5_000);
    assertThat(nodes.get(3).serves()).isFalse();
    assertThat(nodes.get(3).isSuspended()).isTrue();

    cluster.brokenPairs.clear();
    cluster.run(5_000);
    assertOneTable(nodes);
    assertThat(nodes).noneMatch(AgreementNode::isSuspended).allMatch(AgreementNode::serves);
  }

  @Test
  void theOneThatDecidesStays() {
    List<AgreementNode> nodes = written(cluster, 3);
    AgreementNode decides = cluster.coordinating();
    AgreementNode other = nodes.stream().filter(node -> node != decides).findFirst().orElseThrow();
    breakApart(decides, other);
    cluster.run(2_000);
    assertThat(decides.table.member(other.id())).isNull();
    assertThat(decides.table.members()).hasSize(2);
    assertThat(decides.serves()).isTrue();
  }

  @Test
  void theOneThatIsPartOfMorePairsGoes() {
    List<AgreementNode> nodes = written(cluster, 5);
    breakApart(nodes.get(1), nodes.get(3));
    breakApart(nodes.get(1), nodes.get(4));
    cluster.run(2_000);
    assertThat(nodes.get(0).table.member(nodes.get(1).id())).isNull();
    assertThat(nodes.get(0).table.members()).hasSize(4);
  }

  @Test
  void nobodyGoesWhoAloneHasASegment() {
    List<AgreementNode> nodes = written(cluster, 3);
    for (AgreementNode one : nodes.subList(1, 3)) {
      int segment = nodes.indexOf(one);
      cluster
          .coordinating()
          .agreement
          .propose(
              (newest, epoch) -> newest.edit(epoch).owners(segment, List.of(one.id())).delta(),
              cluster.coordinating().nowNanos());
    }
    cluster.run(1_000);
    breakApart(nodes.get(1), nodes.get(2));
    cluster.run(3_000);
    assertThat(nodes.get(0).table.members()).hasSize(3);
    assertThat(nodes.get(0).warnings).anyMatch(text -> text.contains("neither"));
  }

  @Test
  void aNodeThatHangsIsNobodysPair() {
    List<AgreementNode> nodes = written(cluster, 4);
    cluster.hang(nodes.get(3), 6_000);
    cluster.run(2_100);
    breakApart(nodes.get(1), nodes.get(3));
    breakApart(nodes.get(2), nodes.get(3));
    cluster.run(3_000);
    assertThat(nodes.get(0).table.member(nodes.get(3).id())).isNotNull();
  }

  @Test
  void whatWasSaidForAMomentAndNotRepeatedSetsNobodyAside() {
    List<AgreementNode> nodes = written(cluster, 4);
    breakApart(nodes.get(2), nodes.get(3));
    cluster.run(500);
    cluster.brokenPairs.clear();
    for (int i = 0; i < 150; i++) {
      cluster.run(20);
      assertThat(nodes.get(0).table.members()).hasSize(4);
      assertThat(nodes).noneMatch(AgreementNode::isSuspended);
    }
  }

  @Test
  void whatComesLateDoesNotSetANodeAsideThatIsTakenInAgain() {
    List<AgreementNode> nodes = written(cluster, 4);
    cluster.records = true;
    breakApart(nodes.get(2), nodes.get(3));
    cluster.run(2_000);
    assertThat(nodes.get(3).isSuspended()).isTrue();
    cluster.brokenPairs.clear();
    cluster.run(5_000);
    assertThat(nodes.get(3).isSuspended()).isFalse();

    Simulation.Sent late =
        cluster.sent.stream()
            .filter(sent -> sent.message() instanceof SetAside)
            .reduce((one, next) -> next)
            .orElseThrow();
    nodes.get(3).agreement.received(late.from().id(), late.message(), nodes.get(3).nowNanos());
    assertThat(nodes.get(3).isSuspended()).isFalse();
  }

  private void breakApart(AgreementNode one, AgreementNode other) {
    cluster.brokenPairs.add(Set.<NodeId>of(one.id(), other.id()));
  }
}
