package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.AdmissionRules.Admission;
import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.publish.DeltaLog;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who is taken into a cluster. */
class AdmissionRulesTest {
  private static final ClusterTerms TERMS = new ClusterTerms("c", 2, 2, 100, OptionalLong.empty());
  private static final Member COORDINATOR = member("coordinator", new NodeId(1, 100));
  private static final Member OTHER = member("other", new NodeId(1, 101));

  /** Its epochs would be the coordinator's: see how a mark is made. */
  private static final Member MISTAKABLE = member("mistakable", new NodeId(2, 69));

  @Test
  void whoWouldMakeTablesOfAnothersEpochsIsRefusedAndToldToStartAnew() {
    assertThat(Epoch.haveSameMark(COORDINATOR.id(), MISTAKABLE.id())).isTrue();
    Admission admission = admitted(MISTAKABLE, COORDINATOR, OTHER);
    assertThat(admission.members()).containsExactly(COORDINATOR, OTHER);
    assertThat(admission.refusals().get(MISTAKABLE.id())).contains("start it anew");
  }

  @Test
  void whoHasMarksOfTheirOwnAreTaken() {
    Admission admission = admitted(COORDINATOR, OTHER);
    assertThat(admission.members()).containsExactly(COORDINATOR, OTHER);
    assertThat(admission.refusals()).isEmpty();
  }

  /**
   * The table in force gives both segments to a node that crashes; the one after it, of which
   * nobody knows whether it is, leaves one of them to another node alone, which leaves and crashes,
   * too.
   */
  @Test
  void whatALeaverHasByATableThatMayNotBeInForceWaitsForWhoHadItBefore() {
    Member crashed = member("crashed", new NodeId(1, 102));
    Member leaver = member("leaver", new NodeId(1, 103));
    long epoch = Epoch.first(1, COORDINATOR.id());
    DeltaLog log = new DeltaLog();
    log.begin(
        SegmentTable.of(
            new TableHeader(epoch, 1, 1, 1, 2, 2, 100),
            List.of(COORDINATOR, crashed, leaver),
            new int[][] {{1, 2}, {1}}));
    AdmissionRules rules = rules();
    log.append(left(rules, log, epoch + 1, List.of(COORDINATOR, leaver), leaver));
    log.append(left(rules, log, epoch + 2, List.of(COORDINATOR), leaver));
    SegmentTable after = log.newest();
    assertThat(after.awaited(0)).containsExactly(crashed);
    assertThat(after.incarnation(0)).isZero();
    assertThat(after.absent()).containsExactly(crashed);
    List<DeltaLog.Step> line = log.steps(epoch, epoch + 2);
    assertThat(AdmissionRules.isPassedOver(line.get(1), line.subList(2, 3)))
        .as("the leaver alone must never serve it")
        .isTrue();
  }

  @Test
  void theSameWhereBothGoAtOnce() {
    Member crashed = member("crashed", new NodeId(1, 102));
    Member leaver = member("leaver", new NodeId(1, 103));
    long epoch = Epoch.first(1, COORDINATOR.id());
    DeltaLog log = new DeltaLog();
    SegmentTable inForce =
        SegmentTable.of(
            new TableHeader(epoch, 1, 1, 1, 2, 2, 100),
            List.of(COORDINATOR, crashed, leaver),
            new int[][] {{1, 2}, {1}});
    log.begin(inForce);
    log.append(inForce.edit(epoch + 1).owners(0, List.of(leaver.id())).delta());
    log.append(left(rules(), log, epoch + 2, List.of(COORDINATOR), leaver));
    assertThat(log.newest().awaited(0)).containsExactly(crashed);
    assertThat(log.newest().incarnation(0)).isZero();
  }

  /** What follows the newest table of a line that begins with the one in force. */
  private static TableDelta left(
      AdmissionRules rules, DeltaLog log, long epoch, List<Member> members, Member leaver) {
    ViewSummary nobody = new ViewSummary(List.of(), 0, List.of(), true);
    return rules.membership(
        log.steps(0, log.newestEpoch()), epoch, members, leaver.id()::equals, 0, nobody);
  }

  /** What becomes of nodes without tables that have greeted in this order. */
  private static Admission admitted(Member... members) {
    List<Hello> hellos =
        Stream.of(members)
            .map(member -> new Hello(1, 1, member, TERMS, null, null, 0, false, false))
            .toList();
    ViewSummary summary = new ViewSummary(hellos, 0, List.of(), true);
    return rules().admit(summary, Set.of(), new DeltaLog(), -1);
  }

  private static AdmissionRules rules() {
    AgreementSettings settings = AgreementSettings.of(COORDINATOR, TERMS, SplitPolicy.DENY);
    return new AdmissionRules(settings, new WeightedRendezvous(), new Random(1));
  }

  private static Member member(String name, NodeId id) {
    return new Member(id, name, "127.0.0.1", 1, "", 1);
  }
}
