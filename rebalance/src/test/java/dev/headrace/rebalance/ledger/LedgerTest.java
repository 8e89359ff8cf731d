package dev.headrace.rebalance.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class LedgerTest {

  private static final Terms TERMS = new Terms("mill", 16, 2, 100, OptionalLong.empty());

  private final Simulation cluster = Simulation.calm(SplitPolicy.DENY);

  @Test
  void aFirstNodeFoundsAClusterAlone() {
    SimulatedNode node = started(1);

    assertThat(node.table.members()).containsExactly(node.member);
    assertThat(node.table.sealed()).isFalse();
    assertThat(node.table.effectiveOwners()).isEqualTo(1);
    assertThat(node.table.lostSegments()).isEmpty();
  }

  @Test
  void nodesThatJoinBeforeTheFirstWriteGetTheirPart() {
    List<SimulatedNode> nodes = List.of(started(1), started(1), started(1));
    assertOneTable(nodes);
    for (SimulatedNode node : nodes) {
      assertThat(primaries(node)).isBetween(5L, 6L);
    }
  }

  @Test
  void twoFirstNodesThatFoundApartBecomeOneClusterWithOneSeed() {
    SimulatedNode first = started(1);
    cluster.cutOff(first);
    SimulatedNode second = started(1);
    assertThat(first.table.hashSeed()).isNotEqualTo(second.table.hashSeed());

    cluster.heal();
    cluster.run(1000);
    assertOneTable(List.of(first, second));
    assertThat(first.table.members()).hasSize(2);
  }

  @Test
  void aGivenSeedIsTheClustersWhoeverGivesIt() {
    cluster.showsViews = false;
    cluster.start(1);
    cluster.showsViews = true;
    SimulatedNode second = cluster.start(terms("mill", 16, 2, OptionalLong.of(77)), 1);
    cluster.run(1000);

    assertThat(second.table.hashSeed()).isEqualTo(77);
    assertThat(cluster.up()).hasSize(2);
  }

  @Test
  void nodesWithoutCapacityNeitherFoundNorOwn() {
    SimulatedNode client = started(0);
    assertThat(client.table).isNull();

    SimulatedNode holder = started(1);
    assertOneTable(List.of(client, holder));
    assertThat(client.ledger.convener()).isEqualTo(holder.id());
    assertThat(primaries(holder)).isEqualTo(16);
  }

  @Test
  void anotherNumberOfSegmentsIsRefusedNamingBoth() {
    assertRefused(terms("mill", 32, 2, OptionalLong.empty()), "segments 32", "has 16");
  }

  @Test
  void anotherNumberOfOwnersIsRefusedNamingBoth() {
    assertRefused(terms("mill", 16, 3, OptionalLong.empty()), "owners 3", "has 2");
  }

  @Test
  void anotherLimitOfEntriesIsRefusedNamingBoth() {
    assertRefused(limited(99), "maxEntryBytes 99", "start it with 100");
  }

  @Test
  void aNodeThatHoldsNothingTakesTheLimitOfEntries() {
    started(1);
    SimulatedNode client = cluster.start(limited(99), 0);
    cluster.run(1000);
    assertThat(client.refusal).isNull();
    assertThat(client.table.header().maxEntryBytes()).isEqualTo(100);
  }

  @Test
  void anotherClusterNameIsRefusedNamingBoth() {
    assertRefused(terms("sawmill", 16, 2, OptionalLong.empty()), "\"sawmill\"", "\"mill\"");
  }

  @Test
  void anotherSeedIsRefusedNamingBoth() {
    SimulatedNode first = started(1);
    String seed = Long.toString(first.table.hashSeed());
    assertRefused(terms("mill", 16, 2, OptionalLong.of(5)), "seed 5", seed);
    assertThat(first.table.members()).containsExactly(first.member);
  }

  @Test
  void theFirstWriteSealsTheTable() {
    List<SimulatedNode> nodes = List.of(started(1), started(1));
    SegmentTable before = nodes.get(0).table;
    nodes.get(1).ledger.requestSeal(nodes.get(1).nowNanos());
    cluster.run(1000);

    assertOneTable(nodes);
    SegmentTable after = nodes.get(0).table;
    assertThat(after.sealed()).isTrue();
    for (int segment = 0; segment < 16; segment++) {
      assertThat(after.owners(segment)).isEqualTo(before.owners(segment));
      assertThat(after.segmentEpoch(segment)).isEqualTo(after.epoch());
    }
  }

  @Test
  void aDataNodeThatJoinsAClusterThatHoldsDataOwnsNothingAtFirst() {
    List<SimulatedNode> nodes = sealed(2);
    SegmentTable before = nodes.get(0).table;
    SimulatedNode late = started(1);
    SimulatedNode client = started(0);

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
    List<SimulatedNode> nodes = sealed(3);
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
  void theSuccessorOfACrashedConvenerTakesAHigherBallot() {
    List<SimulatedNode> nodes = sealed(3);
    long before = nodes.get(1).table.epoch();
    cluster.crash(nodes.get(0));
    cluster.run(1000);

    assertOneTable(nodes.subList(1, 3));
    assertThat(Epoch.ballot(nodes.get(1).table.epoch())).isEqualTo(Epoch.ballot(before) + 1);
    assertThat(nodes.get(1).isSuspended()).isFalse();
  }

  @Test
  void aMinorityIsSuspendedAndGivenUpByTheMajority() {
    List<SimulatedNode> nodes = sealed(3);
    long before = nodes.get(0).table.epoch();
    cluster.cutOff(nodes.get(0));
    cluster.run(1000);

    assertThat(nodes.get(0).isSuspended()).isTrue();
    assertThat(nodes.get(0).table.epoch()).isEqualTo(before);
    assertThat(nodes.get(1).isSuspended()).isFalse();
    assertThat(nodes.get(1).table.members()).hasSize(2);

    cluster.heal();
    cluster.run(1000);
    assertThat(nodes.get(0).refusal).contains("gave this node up");
    assertOneTable(nodes.subList(1, 3));
  }

  @Test
  void ofTwoHalvesTheOneWithTheOldestGoesOn() {
    List<SimulatedNode> nodes = sealed(4);
    cluster.cutOff(nodes.get(2), nodes.get(3));
    cluster.run(1000);

    assertThat(nodes.subList(0, 2)).noneMatch(node -> node.isSuspended());
    assertThat(nodes.subList(2, 4)).allMatch(node -> node.isSuspended());
  }

  @Test
  void theYoungerOfTwoIsSuspendedWhenTheOlderCrashes() {
    List<SimulatedNode> nodes = sealed(2);
    SegmentTable before = nodes.get(1).table;
    cluster.crash(nodes.get(0));
    cluster.run(1000);
    assertThat(nodes.get(1).isSuspended()).isTrue();
    assertThat(nodes.get(1).table).isEqualTo(before);
  }

  @Test
  void aClientCanLookAtAPartThatMayNotGoOnAndIsToldWhoIsMissing() {
    List<SimulatedNode> nodes = sealed(2);
    cluster.crash(nodes.get(0));
    cluster.run(1000);
    SimulatedNode client = started(0);

    assertThat(client.shown).isEqualTo(nodes.get(1).table);
    assertThat(client.suspension)
        .isEqualTo(nodes.get(1).suspension)
        .contains("node " + nodes.get(0).member.name() + " (");
    assertThat(client.table).isNull();
  }

  @Test
  void aPartThatMayNotGoOnSaysSoToADataNodeAndGoesOnWithoutIt() {
    List<SimulatedNode> nodes = sealed(2);
    SegmentTable before = nodes.get(1).table;
    cluster.crash(nodes.get(0));
    cluster.run(1000);
    SimulatedNode anew = started(1);

    assertThat(anew.suspension).isEqualTo(nodes.get(1).suspension);
    assertThat(anew.table).isNull();
    assertThat(nodes.get(1).table).isEqualTo(before);
  }

  @Test
  void whoCameToAPartThatCouldNotGoOnIsTakenInWhenItCan() {
    List<SimulatedNode> nodes = sealed(2);
    cluster.cutOff(nodes.get(0));
    cluster.run(1000);
    SimulatedNode client = cluster.start(TERMS, 0);
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
    List<SimulatedNode> nodes = sealed(allowing, 2);
    allowing.crash(nodes.get(0));
    allowing.run(1000);

    assertThat(nodes.get(1).isSuspended()).isFalse();
    assertThat(nodes.get(1).table.members()).containsExactly(nodes.get(1).member);
  }

  @Test
  void aNodeThatLeavesInOrderLeavesTheTableFirst() {
    List<SimulatedNode> nodes = sealed(2);
    cluster.leave(nodes.get(0));
    cluster.run(1000);

    assertThat(nodes.get(0).hasLeft).isTrue();
    assertThat(nodes.get(1).isSuspended()).isFalse();
    assertThat(nodes.get(1).table.members()).containsExactly(nodes.get(1).member);
  }

  @Test
  void theLastNodeMayLeave() {
    List<SimulatedNode> nodes = sealed(1);
    cluster.leave(nodes.get(0));

    assertThat(nodes.get(0).hasLeft).isTrue();
  }

  @Test
  void aDataNodeGoesOnWhenTheOthersLeaveAndClientsCrash() {
    List<SimulatedNode> nodes = sealed(3);
    List<SimulatedNode> clients = List.of(started(0), started(0), started(0));
    cluster.leave(nodes.get(0));
    cluster.run(1000);
    cluster.leave(nodes.get(2));
    cluster.run(1000);
    clients.forEach(cluster::crash);
    cluster.run(1000);

    SimulatedNode last = nodes.get(1);
    assertThat(last.isSuspended()).isFalse();
    assertThat(last.table.members()).containsExactly(last.member);
  }

  @Test
  void segmentsWithoutOwnersStayWithoutAndCountIt() {
    Simulation allowing = Simulation.calm(SplitPolicy.ALLOW);
    List<SimulatedNode> nodes = sealed(allowing, 3);
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
  void twoClustersThatBothHoldDataGoOnApartAndSaySo() {
    SimulatedNode first = started(1);
    cluster.cutOff(first);
    SimulatedNode second = started(1);
    first.ledger.requestSeal(first.nowNanos());
    second.ledger.requestSeal(second.nowNanos());
    cluster.run(1000);
    cluster.heal();
    SimulatedNode client = started(0);

    assertThat(first.table.members()).containsExactly(first.member, client.member);
    assertThat(second.table.members()).containsExactly(second.member);
    assertThat(second.warnings).hasSize(1);
    assertThat(second.warnings.get(0))
        .contains(first.table.header().toString().substring(0, 15))
        .contains(second.table.header().toString().substring(0, 15));
  }

  @Test
  void anIslandWithoutDataGivesWayToOneWithData() {
    SimulatedNode first = started(1);
    first.ledger.requestSeal(first.nowNanos());
    cluster.cutOff(first);
    SimulatedNode second = started(1);
    cluster.heal();
    cluster.run(1000);

    assertOneTable(List.of(first, second));
    assertThat(second.table.replicas(second.id())).isZero();
    assertThat(second.table.replicas(first.id())).isEqualTo(16);
  }

  @Test
  void aNodeThatHearsOfANewerTableTellsTheConvenerWhatItHas() {
    List<SimulatedNode> nodes = sealed(2);
    SimulatedNode node = nodes.get(1);
    cluster.records = true;
    node.ledger.noticed(TableNotice.at(node.table.epoch()), node.nowNanos());
    assertThat(cluster.sent).isEmpty();
    node.ledger.noticed(TableNotice.at(node.table.epoch() + 1), node.nowNanos());
    assertThat(cluster.sent)
        .singleElement()
        .satisfies(sent -> assertThat(sent.to()).isEqualTo(nodes.get(0).id()));
  }

  @Test
  void aMemberTakesWhatAnotherHasInForceWithoutAskingTheConvener() {
    List<SimulatedNode> nodes = sealed(3);
    SimulatedNode behind = nodes.get(2);
    SegmentTable before = behind.table;
    cluster.cutLink(nodes.get(0).id(), behind.id());
    changeOwners(nodes.get(0), 2);
    SegmentTable newest = nodes.get(1).table;
    assertThat(newest.epoch()).isGreaterThan(before.epoch());
    assertThat(behind.table).isEqualTo(before);

    cluster.records = true;
    nodes.get(1).bulletin.outdated(behind.id(), before.epoch());
    assertThat(cluster.notices).hasSize(1);
    assertThat(cluster.notices.get(0).image()).as("only what it lacks").isNull();
    behind.noticed(nodes.get(1).id(), cluster.notices.get(0));
    assertThat(behind.table).isEqualTo(newest);
    assertThat(cluster.sent).as("no further question").isEmpty();
  }

  @Test
  void aMemberThatIsFarBehindTakesTheWholeTable() {
    List<SimulatedNode> nodes = sealed(3);
    SimulatedNode behind = nodes.get(2);
    cluster.cutLink(nodes.get(0).id(), behind.id());
    long epoch = behind.table.epoch();
    changeOwners(nodes.get(0), 40);
    nodes.get(1).bulletin.outdated(behind.id(), epoch);
    assertThat(cluster.notices.get(0).image()).isNotNull();
    behind.noticed(nodes.get(1).id(), cluster.notices.get(0));
    assertThat(behind.table).isEqualTo(nodes.get(1).table);
  }

  @Test
  void nobodyTakesATableOfATermThatItHasNotPromised() {
    List<SimulatedNode> nodes = sealed(2);
    SimulatedNode node = nodes.get(1);
    SegmentTable before = node.table;
    long foreign = Epoch.next(before.epoch(), node.id());
    assertThat(Epoch.term(foreign)).isNotEqualTo(Epoch.term(before.epoch()));
    var delta = before.edit(foreign).owners(0, List.of(node.id())).delta();
    TableNotice notice = new TableNotice(foreign, null, List.of(delta));
    assertThat(node.ledger.noticed(notice, node.nowNanos())).isFalse();
    assertThat(node.table).isEqualTo(before);
  }

  @Test
  void anOrdinalIsGivenAgainWhenEveryMemberHasPassedTheRemoval() {
    List<SimulatedNode> nodes = sealed(3);
    cluster.crash(nodes.get(2));
    cluster.run(1000);
    started(1);
    assertThat(nodes.get(0).table.members()).hasSize(3);
    assertThat(nodes.get(0).table.ordinals()).isEqualTo(3);
  }

  @Test
  void noOrdinalIsGivenAgainBeforeEveryMemberHasPassedTheRemoval() {
    List<SimulatedNode> nodes = sealed(4);
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
    started(1);
    assertThat(nodes.get(0).table.members()).hasSize(4);
    assertThat(nodes.get(0).table.ordinals()).isEqualTo(5);
  }

  private static ControlMessage withoutTables(ControlMessage.Append append) {
    return new ControlMessage.Append(
        append.viewMark(),
        append.term(),
        append.askedNanos(),
        append.echoNanos(),
        append.inForceEpoch(),
        -1,
        null,
        List.of());
  }

  private void changeOwners(SimulatedNode leader, int times) {
    for (int i = 0; i < times; i++) {
      int segment = i % 16;
      leader.ledger.propose(
          (newest, epoch) -> newest.edit(epoch).owners(segment, rotated(newest, segment)).delta(),
          leader.nowNanos());
      cluster.run(200);
    }
  }

  private static List<NodeId> rotated(SegmentTable table, int segment) {
    List<NodeId> owners = new ArrayList<>(table.owners(segment));
    Collections.rotate(owners, 1);
    return owners;
  }

  @Test
  void nothingButHeartbeatsIsSentWhileNothingHappens() {
    sealed(3);
    started(0);
    cluster.records = true;
    cluster.run(10_000);
    assertThat(cluster.sent)
        .hasSizeBetween(2 * 3 * 90, 2 * 3 * 101)
        .allSatisfy(sent -> assertThat(sent.bytes()).isLessThan(100));
  }

  private List<SimulatedNode> sealed(int count) {
    return sealed(cluster, count);
  }

  private static List<SimulatedNode> sealed(Simulation cluster, int count) {
    List<SimulatedNode> nodes = Stream.generate(() -> started(cluster, 1)).limit(count).toList();
    nodes.get(0).ledger.requestSeal(nodes.get(0).nowNanos());
    cluster.run(1000);
    assertOneTable(nodes);
    return nodes;
  }

  private SimulatedNode started(double capacity) {
    return started(cluster, capacity);
  }

  private static SimulatedNode started(Simulation cluster, double capacity) {
    SimulatedNode node = cluster.start(TERMS, capacity);
    cluster.run(1000);
    return node;
  }

  private void assertRefused(Terms terms, String theirs, String ours) {
    if (cluster.up().isEmpty()) {
      started(1);
    }
    SimulatedNode wrong = cluster.start(terms, 1);
    cluster.run(1000);
    assertThat(wrong.refusal).contains(theirs).contains(ours);
    assertThat(wrong.table).isNull();
  }

  private static void assertOneTable(List<SimulatedNode> nodes) {
    SegmentTable table = nodes.get(0).table;
    List<Member> members = nodes.stream().map(node -> node.member).toList();
    assertThat(nodes).allSatisfy(node -> assertThat(node.table).isEqualTo(table));
    assertThat(table.members()).containsAll(members);
  }

  private static long primaries(SimulatedNode node) {
    return IntStream.range(0, 16)
        .filter(segment -> node.table.isPrimary(segment, node.id()))
        .count();
  }

  private static Terms limited(int maxEntryBytes) {
    return new Terms("mill", 16, 2, maxEntryBytes, OptionalLong.empty());
  }

  private static Terms terms(String name, int segments, int owners, OptionalLong seed) {
    return new Terms(name, segments, owners, 100, seed);
  }
}
