package dev.headrace.rebalance.agreement;

import static dev.headrace.rebalance.agreement.Mill.started;
import static dev.headrace.rebalance.agreement.Mill.written;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AgreementNoticeTest {

  private final Simulation cluster = Simulation.calm(SplitPolicy.DENY);

  @Test
  void aNodeThatHearsOfANewerTableTellsTheCoordinatorWhatItHas() {
    List<AgreementNode> nodes = written(cluster, 2);
    AgreementNode node = nodes.get(1);
    cluster.records = true;
    node.agreement.noticed(TableNotice.at(node.table.epoch()), node.nowNanos());
    assertThat(cluster.sent).isEmpty();
    node.agreement.noticed(TableNotice.at(node.table.epoch() + 1), node.nowNanos());
    assertThat(cluster.sent)
        .singleElement()
        .satisfies(sent -> assertThat(sent.to()).isEqualTo(nodes.get(0).id()));
  }

  @Test
  void aMemberTakesWhatAnotherHasInForceWithoutAskingTheCoordinator() {
    List<AgreementNode> nodes = written(cluster, 3);
    AgreementNode behind = nodes.get(2);
    SegmentTable before = behind.table;
    cluster.cutLink(nodes.get(0).id(), behind.id());
    changeOwners(nodes.get(0), 2);
    SegmentTable newest = nodes.get(1).table;
    assertThat(newest.epoch()).isGreaterThan(before.epoch());
    assertThat(behind.table).isEqualTo(before);

    cluster.records = true;
    nodes.get(1).gossip.outdated(behind.id(), before.epoch());
    assertThat(cluster.notices).hasSize(1);
    assertThat(cluster.notices.get(0).image()).as("only what it lacks").isNull();
    behind.noticed(nodes.get(1).id(), cluster.notices.get(0));
    assertThat(behind.table).isEqualTo(newest);
    assertThat(cluster.sent).as("no further question").isEmpty();
  }

  @Test
  void aMemberThatIsFarBehindTakesTheWholeTable() {
    List<AgreementNode> nodes = written(cluster, 3);
    AgreementNode behind = nodes.get(2);
    cluster.cutLink(nodes.get(0).id(), behind.id());
    long epoch = behind.table.epoch();
    changeOwners(nodes.get(0), 40);
    nodes.get(1).gossip.outdated(behind.id(), epoch);
    assertThat(cluster.notices.get(0).image()).isNotNull();
    behind.noticed(nodes.get(1).id(), cluster.notices.get(0));
    assertThat(behind.table).isEqualTo(nodes.get(1).table);
  }

  @Test
  void nobodyTakesATableOfABallotThatItHasNotPromised() {
    List<AgreementNode> nodes = written(cluster, 2);
    AgreementNode node = nodes.get(1);
    SegmentTable before = node.table;
    long foreign = Epoch.next(before.epoch(), node.id());
    assertThat(Epoch.ballot(foreign)).isNotEqualTo(Epoch.ballot(before.epoch()));
    var delta = before.edit(foreign).owners(0, List.of(node.id())).delta();
    TableNotice notice = new TableNotice(foreign, null, List.of(delta));
    assertThat(node.agreement.noticed(notice, node.nowNanos())).isFalse();
    assertThat(node.table).isEqualTo(before);
  }

  @Test
  void whoHearsThatItIsNoMemberAnyMoreAndThenWishesToLeaveLeaves() {
    AgreementNode holder = started(cluster, 1);
    AgreementNode client = started(cluster, 0);
    cluster.foreigner();
    cluster.run(1_000);
    cluster.hang(client, 1_000); // so that it stays in this view for a while
    cluster.cutOff(client);
    cluster.run(500);
    assertThat(holder.table.members()).containsExactly(holder.member);

    holder.gossip.outdated(client.id(), client.table.epoch());
    client.noticed(holder.id(), cluster.notices.get(0));
    assertThat(client.table.members()).contains(client.member);
    cluster.leave(client);
    cluster.cutOff();
    cluster.run(5_000);
    assertThat(client.hasLeft).isTrue();
  }

  /** Others tell of a table sooner than the membership protocol tells of the nodes in it. */
  @Test
  void whoHearsOfNodesBeforeItSeesThemDoesNotTakeThemForUnreachable() {
    AgreementNode holder = written(cluster, 1).get(0);
    AgreementNode client = started(cluster, 0);
    cluster.hang(client, 5_000); // so that it stays in this view for a while
    started(cluster, 1);
    started(cluster, 1);
    assertThat(holder.table.dataNodes()).hasSize(3);

    holder.gossip.outdated(client.id(), client.table.epoch());
    client.noticed(holder.id(), cluster.notices.get(0));
    assertThat(client.table).isEqualTo(holder.table);
    assertThat(client.isSuspended()).isFalse();
    cluster.run(10_000);
    assertThat(client.isSuspended()).isFalse();
  }

  private void changeOwners(AgreementNode coordinating, int times) {
    for (int i = 0; i < times; i++) {
      int segment = i % 16;
      coordinating.agreement.propose(
          (newest, epoch) -> newest.edit(epoch).owners(segment, rotated(newest, segment)).delta(),
          coordinating.nowNanos());
      cluster.run(200);
    }
  }

  private static List<NodeId> rotated(SegmentTable table, int segment) {
    List<NodeId> owners = new ArrayList<>(table.owners(segment));
    Collections.rotate(owners, 1);
    return owners;
  }
}
