package dev.headrace.rebalance.agreement;

import static dev.headrace.rebalance.agreement.Mill.assertOneTable;
import static dev.headrace.rebalance.agreement.Mill.started;
import static dev.headrace.rebalance.agreement.Mill.withoutTables;
import static dev.headrace.rebalance.agreement.Mill.written;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.agreement.ControlMessage.Leave;
import dev.headrace.rebalance.publish.MemberProgress;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Members of a view that say nothing: they hang, or are something else. */
final class AgreementSilenceTest {

  private final Simulation cluster = Simulation.calm(SplitPolicy.DENY);

  @Test
  void aClientThatHangsHoldsUpNeitherAJoinNorALease() {
    List<AgreementNode> nodes = new ArrayList<>(written(cluster, 3));
    AgreementNode client = started(cluster, 0);
    cluster.hang(client, 10_000);
    nodes.add(cluster.start(1));
    runServing(nodes.subList(0, 3), 3_000);

    assertOneTable(nodes);
    assertThat(nodes.get(0).table.member(client.id())).isNotNull();
    cluster.run(8_000);
    nodes.add(client);
    assertOneTable(nodes);
  }

  @Test
  void aClientThatNeverGreetsHoldsUpNobodyAndIsTakenInWhenItDoes() {
    List<AgreementNode> nodes = new ArrayList<>(written(cluster, 3));
    AgreementNode client = cluster.start(0);
    cluster.hang(client, 5_000);
    runServing(nodes, 4_000);
    assertThat(nodes.get(0).table.member(client.id())).isNull();
    assertThat(cluster.coordinating()).isNotNull();

    cluster.run(3_000);
    nodes.add(client);
    assertOneTable(nodes);
  }

  @Test
  void aForeignProcessInTheViewIsLeftAside() {
    cluster.foreigners.add(new NodeId(7, 7));
    AgreementNode first = cluster.start(1);
    cluster.run(5_000);
    assertThat(first.table).isNotNull();

    List<AgreementNode> nodes = new ArrayList<>(List.of(first, cluster.start(1), cluster.start(1)));
    cluster.run(5_000);
    assertOneTable(nodes);
    first.agreement.requestFirstWrite(first.nowNanos());
    cluster.run(1_000);
    nodes.add(cluster.start(1));
    runServing(nodes.subList(0, 3), 5_000);
    assertOneTable(nodes);
    assertThat(first.table.members()).hasSize(4);
  }

  @Test
  void aForeignProcessIsWaitedForOnceAndNotByEveryNewcomer() {
    List<AgreementNode> nodes = new ArrayList<>(written(cluster, 3));
    cluster.foreigner();
    nodes.add(cluster.start(1));
    cluster.run(2_000);
    assertThat(nodes.get(0).table.member(nodes.get(3).id())).as("the first waits").isNull();
    cluster.run(2_000);
    assertOneTable(nodes);

    nodes.add(cluster.start(1));
    cluster.run(500);
    assertOneTable(nodes);
    nodes.add(cluster.start(0));
    cluster.run(500);
    assertOneTable(nodes);
  }

  @Test
  void theOthersGoOnWithoutADataNodeThatHangsAndKeepItAsAMember() {
    List<AgreementNode> nodes = new ArrayList<>(written(cluster, 4));
    cluster.hang(nodes.get(3), 4_000);
    nodes.add(cluster.start(1));
    runServing(nodes.subList(0, 3), 3_000);
    assertThat(nodes.get(0).table.member(nodes.get(4).id())).isNotNull();
    assertThat(nodes.get(0).table.member(nodes.get(3).id())).isNotNull();

    cluster.run(3_000);
    assertOneTable(nodes);
    assertThat(nodes).allMatch(AgreementNode::serves);
  }

  @Test
  void anotherDecidesWhileTheCoordinatorHangs() {
    List<AgreementNode> nodes = new ArrayList<>(written(cluster, 3));
    AgreementNode coordinator = cluster.coordinating();
    cluster.hang(coordinator, 6_000);
    nodes.add(cluster.start(1));
    cluster.run(3_000);
    List<AgreementNode> others = nodes.stream().filter(node -> node != coordinator).toList();
    assertOneTable(others);
    assertThat(others).allMatch(AgreementNode::serves);

    cluster.run(5_000);
    assertOneTable(nodes);
    assertThat(nodes).allMatch(AgreementNode::serves);
    assertThat(nodes.stream().filter(node -> node.coordinates)).hasSize(1);
  }

  @Test
  void whoHasHungDoesNotDecideByOldTablesWhereEveryPartGoesOn() {
    Simulation parts = Simulation.calm(SplitPolicy.ALLOW);
    List<AgreementNode> nodes = new ArrayList<>(written(parts, 3));
    AgreementNode coordinator = parts.coordinating();
    parts.hang(coordinator, 9_000);
    nodes.add(parts.start(1));
    parts.run(8_000);
    assertOneTable(nodes.stream().filter(node -> node != coordinator).toList());

    parts.run(5_000);
    assertOneTable(nodes);
    assertThat(nodes.stream().filter(node -> node.coordinates)).hasSize(1);
  }

  /** It is the only one that says it has data, but lacks what the others have decided since. */
  @Test
  void whoHasHungDoesNotDecideByAFirstWriteThatNobodyElseHas() {
    Simulation parts = Simulation.calm(SplitPolicy.ALLOW);
    List<AgreementNode> nodes = List.of(started(parts, 1), started(parts, 1), started(parts, 1));
    AgreementNode hanging = parts.coordinating();
    parts.tampering =
        (to, sent) ->
            sent.message() instanceof Append append ? withoutTables(append) : sent.message();
    hanging.agreement.requestFirstWrite(hanging.nowNanos());
    parts.hang(hanging, 6_000);
    started(parts, 0);
    parts.tampering = (to, sent) -> sent.message();
    parts.run(1_000);
    AgreementNode decides = nodes.get(1);
    assertThat(decides.coordinates).as("it decides while the other hangs").isTrue();
    decides.agreement.requestFirstWrite(decides.nowNanos());
    parts.run(3_500);
    assertThat(nodes)
        .as("one of them has not stored the first write")
        .noneMatch(node -> node.table.written());

    parts.run(5_000);
    assertOneTable(nodes);
    assertThat(decides.table.written()).isTrue();
    assertThat(nodes.stream().filter(node -> node.coordinates)).containsExactly(decides);
  }

  @Test
  void leasesNeedAQuorumThatHasTheTableInForce() {
    List<AgreementNode> nodes = written(cluster, 5);
    AgreementNode coordinator = cluster.coordinating();
    List<AgreementNode> others = nodes.stream().filter(node -> node != coordinator).toList();
    List<AgreementNode> storing = others.subList(0, 2);
    cluster.tampering =
        (to, sent) ->
            sent.message() instanceof Append append && !storing.contains(to)
                ? withoutTables(append)
                : sent.message();
    long before = coordinator.table.epoch();
    cluster.proposeAnything();
    cluster.run(500);
    assertThat(coordinator.table.epoch()).isGreaterThan(before);
    assertThat(coordinator.serves()).isTrue();

    storing.forEach(node -> cluster.hang(node, 6_000));
    cluster.run(3_000);
    assertThat(coordinator.serves()).as("as nobody in reach knows its table").isFalse();

    cluster.run(5_000);
    assertThat(coordinator.serves()).isTrue();
  }

  /** The table that it is out of is not in force yet, and the one before needs it. */
  @Test
  void aCoordinatorThatLeavesCountsUntilItIsOutWhoeverComesAndSaysNothing() {
    List<AgreementNode> nodes = written(cluster, 2);
    AgreementNode coordinator = cluster.coordinating();
    cluster.tampering =
        (to, sent) ->
            sent.message() instanceof Append append ? withoutTables(append) : sent.message();
    cluster.leave(coordinator);
    cluster.run(100);
    cluster.foreigner();
    cluster.run(500);
    assertThat(coordinator.hasLeft).isFalse();
    assertThat(coordinator.suspension).isNull();

    AgreementNode client = cluster.start(0);
    cluster.run(500);
    assertThat(client.suspension).isNull();

    cluster.tampering = (to, sent) -> sent.message();
    cluster.run(500);
    assertThat(coordinator.hasLeft).isTrue();
    assertThat(nodes).filteredOn(node -> !node.hasLeft).hasSize(1).allMatch(AgreementNode::serves);
  }

  /** It is out of its own table, and the others have not heard that this is in force. */
  @Test
  void aCoordinatorThatTookItselfOutLeavesWhenAnotherOneDecides() {
    List<AgreementNode> nodes = written(cluster, 3);
    AgreementNode coordinator = cluster.coordinating();
    long known = coordinator.table.epoch();
    long[] view = new long[1];
    cluster.tampering =
        (to, sent) -> {
          if (sent.message() instanceof Append append) {
            view[0] = append.viewMark();
            return notInForceAfter(append, known);
          }
          return sent.message();
        };
    cluster.leave(coordinator);
    cluster.run(100);
    SegmentTable out = coordinator.table;
    assertThat(out.member(coordinator.id())).isNull();
    assertThat(coordinator.hasLeft).isFalse();

    cluster.tampering = (to, sent) -> null; // so that it has no quorum, and does not insist
    cluster.run(2000);
    AgreementNode next = nodes.stream().filter(node -> node != coordinator).findAny().orElseThrow();
    long epoch = Epoch.first(Epoch.ballotNumber(out.epoch()) + 1, next.id());
    Append yields =
        new Append(
            view[0],
            Epoch.ballot(epoch),
            0,
            MemberProgress.NEVER,
            epoch,
            epoch,
            out.epoch(),
            null,
            List.of(out.edit(epoch).delta()));
    coordinator.agreement.received(next.id(), yields, coordinator.nowNanos());
    assertThat(coordinator.hasLeft).isTrue();
  }

  /** It greets while the last data node waits for somebody who says nothing. */
  @Test
  void theLastDataNodeHandsItsDataOnToOneThatComesWhileItWaits() {
    Simulation moving = Simulation.moving();
    AgreementNode last = written(moving, 1).get(0);
    long firstWrite = last.table.header().firstWrite();
    started(moving, 0);
    moving.foreigner();
    moving.run(200);
    moving.leave(last);
    AgreementNode comes = moving.start(1);
    for (int i = 0; i < 200; i++) {
      moving.proposeAnything();
      moving.run(50);
    }
    assertThat(last.hasLeft).isTrue();
    assertThat(comes.table.header().firstWrite()).isEqualTo(firstWrite);
    assertThat(comes.table.lostSegments()).isEmpty();
    assertThat(comes.serves()).isTrue();
  }

  /** Of two tables that follow one without voters nothing could tell which counts. */
  @Test
  void whoComesWhenTheLastDataNodesHaveLeftFoundsAnotherCluster() {
    AgreementNode last = written(cluster, 1).get(0);
    AgreementNode client = started(cluster, 0);
    long firstWrite = last.table.header().firstWrite();
    cluster.tampering = (to, sent) -> to == client && sent.from() == last ? null : sent.message();
    cluster.leave(last);
    cluster.run(500);
    assertThat(last.table.hasEnded()).isTrue();
    AgreementNode comes = cluster.start(1);
    cluster.run(1_000);
    assertThat(last.hasLeft).as("as long as the client does not know").isFalse();
    assertThat(comes.table).isNull();

    cluster.tampering = (to, sent) -> sent.message();
    cluster.run(5_000);
    assertThat(last.hasLeft).isTrue();
    assertThat(comes.table.written()).isFalse();
    assertThat(comes.table.header().firstWrite()).isNotEqualTo(firstWrite);
    assertThat(client.refusal).contains("no data node left");
  }

  @Test
  void aNodeThatLeavesDoesNotWaitForAClientThatHangs() {
    List<AgreementNode> nodes = written(cluster, 3);
    AgreementNode client = started(cluster, 0);
    cluster.hang(client, 10_000);
    AgreementNode coordinator = cluster.coordinating();
    cluster.leave(coordinator);
    cluster.run(1_000);
    assertThat(coordinator.hasLeft).isTrue();
    SegmentTable table =
        nodes.stream().filter(node -> node != coordinator).findFirst().orElseThrow().table;
    assertThat(table.member(coordinator.id())).isNull();
  }

  @Test
  void nobodyLeavesWhileThoseWhoStayCouldNotDecideWithoutASilentNode() {
    List<AgreementNode> nodes = written(cluster, 3);
    AgreementNode leaver = nodes.get(0);
    AgreementNode silent = nodes.get(1);
    AgreementNode last = nodes.get(2);
    cluster.hang(silent, 60_000);
    started(cluster, 0);
    cluster.leave(leaver);
    cluster.run(500);
    cluster.crash(silent);
    cluster.run(10_000);

    assertThat(leaver.hasLeft).isTrue();
    assertThat(last.serves()).isTrue();
    assertThat(last.table.dataNodes()).containsExactly(last.id());
  }

  @Test
  void nobodyLeavesBeforeAQuorumOfThoseWhoStayKnowsThatItsVoteIsNotNeededAnyMore() {
    List<AgreementNode> nodes = written(cluster, 4);
    AgreementNode coordinator = cluster.coordinating();
    long before = coordinator.table.epoch();
    AgreementNode leaver = nodes.get(1);
    List<AgreementNode> staying = nodes.subList(2, 4);
    // They store the table without the leaver, and do not hear that it is in force.
    cluster.tampering =
        (to, sent) ->
            sent.message() instanceof Append append && staying.contains(to)
                ? notInForceAfter(append, before)
                : sent.message();
    cluster.leave(leaver);
    cluster.run(300);
    assertThat(coordinator.table.member(leaver.id())).isNull();
    assertThat(leaver.hasLeft).isFalse();

    cluster.crash(coordinator);
    cluster.tampering = (to, sent) -> sent.message();
    cluster.run(10_000);
    assertThat(leaver.hasLeft).isTrue();
    assertThat(staying).allMatch(AgreementNode::serves);
  }

  @Test
  void whoLeavesAndIsTakenInAgainByANewCoordinatorStaysUntilThatOneLetsItGo() {
    List<AgreementNode> nodes = written(cluster, 4);
    AgreementNode coordinator = cluster.coordinating();
    AgreementNode last = nodes.get(3);
    List<AgreementNode> leavers = nodes.subList(1, 3);
    long withoutCoordinator = coordinator.table.epoch() + 1;
    // Only the last node stores the table without the two, which is not in force anywhere, and it
    // does not hear that they wish to leave.
    cluster.tampering =
        (to, sent) ->
            sent.message() instanceof Append append && leavers.contains(to)
                ? through(append, withoutCoordinator)
                : withoutWish(last, to, sent.message());
    cluster.leave(coordinator);
    leavers.forEach(cluster::leave);
    cluster.run(300);
    assertThat(coordinator.hasLeft).isTrue();
    assertThat(last.table.dataNodes()).hasSize(3);
    assertThat(leavers).noneMatch(node -> node.hasLeft);

    cluster.tampering = (to, sent) -> withoutWish(last, to, sent.message());
    cluster.run(300);
    assertThat(last.table.dataNodes()).hasSize(3);
    assertThat(leavers).noneMatch(node -> node.hasLeft);

    cluster.tampering = (to, sent) -> sent.message();
    cluster.run(10_000);
    assertThat(leavers).allMatch(node -> node.hasLeft);
    assertThat(last.table.dataNodes()).containsExactly(last.id());
    assertThat(last.serves()).isTrue();
  }

  private static @Nullable ControlMessage withoutWish(
      AgreementNode deaf, AgreementNode to, ControlMessage message) {
    return to == deaf && message instanceof Leave ? null : message;
  }

  private static Append through(Append append, long epoch) {
    return new Append(
        append.viewMark(),
        append.ballot(),
        append.askedNanos(),
        append.echoNanos(),
        append.newestEpoch(),
        Math.min(append.inForceEpoch(), epoch),
        append.fromEpoch(),
        append.image(),
        append.deltas().stream().filter(delta -> delta.epoch() <= epoch).toList());
  }

  private static Append notInForceAfter(Append append, long epoch) {
    return new Append(
        append.viewMark(),
        append.ballot(),
        append.askedNanos(),
        append.echoNanos(),
        append.newestEpoch(),
        Math.min(append.inForceEpoch(), epoch),
        append.fromEpoch(),
        append.image(),
        append.deltas());
  }

  @Test
  void whoHasDecidedForAMomentIsNotSuspendedForThoseItHadNotHeardYet() {
    AgreementNode first = cluster.start(1);
    cluster.cutOff(first);
    AgreementNode second = started(cluster, 1);
    cluster.heal();
    cluster.run(1_000);
    first.agreement.requestFirstWrite(first.nowNanos());
    for (int i = 0; i < 300; i++) {
      cluster.run(10);
      assertThat(List.of(first, second)).noneMatch(AgreementNode::isSuspended);
    }
    assertOneTable(List.of(first, second));
  }

  /** Lets time pass in which nodes may answer at every moment. */
  private void runServing(List<AgreementNode> nodes, int millis) {
    for (int i = 0; i < millis / 10; i++) {
      cluster.run(10);
      assertThat(nodes).allMatch(AgreementNode::serves);
    }
  }
}
