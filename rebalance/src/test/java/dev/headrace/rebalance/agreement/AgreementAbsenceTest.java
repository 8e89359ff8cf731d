package dev.headrace.rebalance.agreement;

import static dev.headrace.rebalance.agreement.Mill.assertOneTable;
import static dev.headrace.rebalance.agreement.Mill.written;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.LostSegments;
import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.agreement.ControlMessage.Appended;
import dev.headrace.rebalance.agreement.ControlMessage.GiveUp;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Segments of which all owners are out of reach. */
final class AgreementAbsenceTest {

  private final Simulation cluster = Simulation.calm(SplitPolicy.DENY);

  @Test
  void segmentsWaitForOwnersOnTheOtherSideAndAreTheirsAgainAtTheHeal() {
    List<AgreementNode> nodes = written(cluster, 4);
    SegmentTable before = nodes.get(0).table;
    cluster.cutOff(nodes.get(2), nodes.get(3));
    cluster.run(60_000);

    SegmentTable during = nodes.get(0).table;
    assertThat(during.members()).hasSize(2);
    assertThat(during.waitingSegments()).isNotEmpty().isEqualTo(during.lostSegments());
    for (int segment : during.waitingSegments()) {
      assertThat(during.incarnation(segment)).isEqualTo(before.incarnation(segment));
      assertThat(during.awaited(segment).stream().map(Member::id))
          .containsExactlyElementsOf(before.owners(segment));
      assertThat(during.whyUnowned(segment)).contains(nodes.get(2).member.name());
    }

    cluster.heal();
    cluster.run(1_000);
    assertOneTable(nodes);
    assertThat(nodes).allMatch(AgreementNode::serves);
    SegmentTable after = nodes.get(0).table;
    assertThat(after.waitingSegments()).isEmpty();
    assertThat(after.absent()).isEmpty();
    for (int segment : during.waitingSegments()) {
      assertThat(after.owners(segment)).isEqualTo(before.owners(segment));
      assertThat(after.incarnation(segment)).isEqualTo(before.incarnation(segment));
    }
  }

  @Test
  void oneOfTheOwnersIsEnoughToTakeASegmentBack() {
    List<AgreementNode> nodes = written(cluster, 5);
    cluster.cutOff(nodes.get(3), nodes.get(4));
    cluster.run(2_000);
    List<Integer> waiting = nodes.get(0).table.waitingSegments();
    assertThat(waiting).isNotEmpty();
    cluster.crash(nodes.get(4));
    cluster.heal();
    cluster.run(1_000);

    SegmentTable after = nodes.get(0).table;
    assertOneTable(nodes.subList(0, 4));
    assertThat(after.absent()).isEmpty();
    for (int segment : waiting) {
      assertThat(after.owners(segment)).containsExactly(nodes.get(3).id());
    }
  }

  @Test
  void segmentsThatAreGivenUpBeginAnewAndThoseWhoComeBackHaveNoPartInThem() {
    List<AgreementNode> nodes = written(cluster, 4);
    SegmentTable before = nodes.get(0).table;
    cluster.cutOff(nodes.get(2), nodes.get(3));
    cluster.run(2_000);
    List<Integer> waiting = new ArrayList<>(nodes.get(0).table.waitingSegments());
    int kept = waiting.remove(0);
    cluster.invariants.givenUp.addAll(waiting);
    nodes.get(1).agreement.giveUp(rows(nodes.get(1), waiting), nodes.get(1).nowNanos());
    cluster.run(1_000);

    SegmentTable during = nodes.get(0).table;
    assertThat(during.waitingSegments()).containsExactly(kept);
    for (int segment : waiting) {
      assertThat(during.incarnation(segment)).isEqualTo(before.incarnation(segment) + 1);
    }
    cluster.heal();
    cluster.run(1_000);
    assertThat(nodes.get(0).table.owners(kept)).isEqualTo(before.owners(kept));
    assertThat(nodes.get(0).table.lostSegments()).isEqualTo(waiting);
  }

  @Test
  void segmentsAreGivenUpAfterTheTimeThatTheSettingsSay() {
    cluster.lost = LostSegments.recreateAfter(Duration.ofSeconds(5));
    List<AgreementNode> nodes = written(cluster, 4);
    cluster.cutOff(nodes.get(2), nodes.get(3));
    cluster.run(4_000);
    assertThat(nodes.get(0).table.waitingSegments()).isNotEmpty();
    cluster.run(3_000);
    assertThat(nodes.get(0).table.waitingSegments()).isEmpty();
    assertThat(nodes.get(0).table.absent()).isEmpty();
    assertThat(nodes.get(0).table.lostSegments())
        .isNotEmpty()
        .allMatch(segment -> nodes.get(0).table.incarnation(segment) == 1);
  }

  @Test
  void segmentsOfNodesThatAreKnownToHaveEndedDoNotWaitWhereTheTermsSaySo() {
    cluster.lost = LostSegments.recreateWhenEnded();
    List<AgreementNode> nodes = written(cluster, 5);
    SegmentTable before = nodes.get(0).table;
    List<NodeId> ended = List.of(nodes.get(4).id());
    cluster.crash(nodes.get(4));
    cluster.cutOff(nodes.get(3));
    cluster.run(60_000);
    List<Integer> both = nodes.get(0).table.waitingSegments();
    assertThat(both).isNotEmpty();

    cluster.invariants.givenUp.addAll(both);
    nodes.get(1).agreement.ended(ended, nodes.get(1).nowNanos());
    cluster.run(1_000);
    assertThat(nodes.get(0).table.waitingSegments())
        .as("wait for a node that is only cut off")
        .isEqualTo(both);

    cluster.crash(nodes.get(3));
    cluster.run(1_000);
    nodes.get(1).agreement.ended(ended, nodes.get(1).nowNanos());
    nodes.get(2).agreement.ended(List.of(nodes.get(3).id()), nodes.get(2).nowNanos());
    cluster.run(1_000);
    SegmentTable after = nodes.get(0).table;
    assertThat(after.waitingSegments()).isEmpty();
    assertThat(after.absent()).isEmpty();
    for (int segment : both) {
      assertThat(after.incarnation(segment)).isEqualTo(before.incarnation(segment) + 1);
    }
  }

  @Test
  void segmentsWaitForNodesThatHaveEndedWhereTheTermsDoNotSayOtherwise() {
    List<AgreementNode> nodes = written(cluster, 4);
    cluster.crash(nodes.get(2));
    cluster.crash(nodes.get(3));
    cluster.run(2_000);
    List<Integer> waiting = nodes.get(0).table.waitingSegments();
    assertThat(waiting).isNotEmpty();
    nodes
        .get(1)
        .agreement
        .ended(List.of(nodes.get(2).id(), nodes.get(3).id()), nodes.get(1).nowNanos());
    cluster.run(1_000);
    assertThat(nodes.get(0).table.waitingSegments()).isEqualTo(waiting);
  }

  @Test
  void ownersThatSayTheyHaveNotEverythingWaitUntilSomebodyDecides() {
    List<AgreementNode> nodes = written(cluster, 3);
    SegmentTable before = nodes.get(0).table;
    AgreementNode teller = nodes.get(2);
    teller.agreement.lost(5, before.segmentEpoch(5), teller.nowNanos());
    cluster.run(1_000);
    assertThat(nodes.get(0).table.incarnation(5)).isZero();

    cluster.invariants.givenUp.add(5);
    nodes.get(1).agreement.giveUp(rows(nodes.get(1), List.of(5, 6)), nodes.get(1).nowNanos());
    cluster.run(1_000);
    assertThat(nodes.get(0).table.incarnation(5)).isEqualTo(1);
    assertThat(nodes.get(0).table.incarnation(6)).isZero();
    assertThat(nodes.get(0).table.owners(5)).isEqualTo(before.owners(5));
  }

  @Test
  void segmentsThatAreReportedAsLostTogetherBeginAnewWithOneTable() {
    Simulation parts = Simulation.calm(SplitPolicy.ALLOW);
    List<AgreementNode> nodes = written(parts, 3);
    SegmentTable before = nodes.get(0).table;
    AgreementNode decides = parts.coordinating();
    List<Integer> lost = List.of(1, 3, 5);
    for (int segment : lost) {
      parts.invariants.givenUp.add(segment);
      decides.agreement.lost(segment, before.segmentEpoch(segment), decides.nowNanos());
    }
    parts.run(1_000);
    SegmentTable after = nodes.get(2).table;
    assertThat(lost).allMatch(segment -> after.incarnation(segment) == 1);
    assertThat(after.epoch()).isEqualTo(before.epoch() + 1);
  }

  @Test
  void anAbsentNodeSurvivesTheChangeOfTheCoordinator() {
    List<AgreementNode> nodes = written(cluster, 5);
    cluster.cutOff(nodes.get(3), nodes.get(4));
    cluster.run(2_000);
    List<Integer> waiting = nodes.get(1).table.waitingSegments();
    cluster.crash(nodes.get(0));
    cluster.run(2_000);
    assertThat(nodes.get(1).table.waitingSegments()).containsAll(waiting);
    cluster.heal();
    cluster.run(1_000);
    assertOneTable(nodes.subList(1, 5));
    assertThat(nodes.get(1).table.waitingSegments()).doesNotContainAnyElementsOf(waiting);
  }

  @Test
  void whatWasGivenUpAndCameBackIsNotGivenUpWhenItWaitsAgain() {
    List<AgreementNode> nodes = written(cluster, 4);
    SegmentTable before = nodes.get(0).table;
    cluster.cutOff(nodes.get(2), nodes.get(3));
    cluster.run(2_000);
    List<Integer> waiting = nodes.get(0).table.waitingSegments();
    List<GiveUp.Row> late = rows(nodes.get(1), waiting);
    cluster.heal();
    cluster.run(1_000);
    cluster.cutOff(nodes.get(2), nodes.get(3));
    cluster.run(2_000);
    assertThat(nodes.get(0).table.waitingSegments()).isEqualTo(waiting).isNotEmpty();
    nodes.get(1).agreement.giveUp(late, nodes.get(1).nowNanos());
    cluster.run(1_000);

    assertThat(nodes.get(0).table.waitingSegments()).isEqualTo(waiting);
    cluster.heal();
    cluster.run(1_000);
    for (int segment : waiting) {
      assertThat(nodes.get(0).table.owners(segment)).isEqualTo(before.owners(segment));
      assertThat(nodes.get(0).table.incarnation(segment)).isZero();
    }
  }

  /**
   * An owner is taken out by a table that is stored and not known to be in force. Then the other
   * owner goes and the first is back, which has everything as long as the other has not served
   * alone by that table.
   */
  @Test
  void nobodyServesAloneWhatHasBeenGivenBackToAnother() {
    List<AgreementNode> nodes = written(cluster, 5);
    AgreementNode coordinator = cluster.coordinating();
    int segment = segmentWithout(coordinator);
    List<NodeId> owners = coordinator.table.owners(segment);
    AgreementNode first = cluster.node(owners.get(0));
    AgreementNode second = cluster.node(owners.get(1));
    long before = coordinator.table.epoch();
    cluster.tampering =
        (to, sent) ->
            sent.message() instanceof Appended answer && answer.storedEpoch() > before
                ? null
                : sent.message();
    cluster.cutOff(first);
    cluster.run(500);
    assertThat(nodes)
        .as("the table without it is not in force")
        .allMatch(is -> is.table.epoch() == before);

    cluster.tampering =
        (to, sent) -> to == first && sent.message() instanceof Append ? null : sent.message();
    cluster.cutOff(second);
    cluster.run(500);
    cluster.heal();
    for (int i = 0; i < 400; i++) {
      cluster.run(10);
      assertThat(second.serves() && second.table.owners(segment).equals(List.of(second.id())))
          .as("the second serves what the newest table gives to the first alone")
          .isFalse();
    }
    cluster.tampering = (to, sent) -> sent.message();
    cluster.run(1_000);
    assertOneTable(nodes);
    assertThat(nodes.get(0).table.owners(segment)).containsExactly(first.id());
  }

  /** A segment of two owners, neither of which is a given node. */
  private static int segmentWithout(AgreementNode node) {
    return IntStream.range(0, node.table.segments())
        .filter(segment -> !node.table.isOwner(segment, node.id()))
        .findFirst()
        .orElseThrow();
  }

  private static List<GiveUp.Row> rows(AgreementNode node, List<Integer> segments) {
    return segments.stream().map(segment -> GiveUp.Row.of(node.table, segment)).toList();
  }
}
