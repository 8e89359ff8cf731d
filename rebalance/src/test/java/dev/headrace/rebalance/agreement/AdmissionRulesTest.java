package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.AdmissionRules.Admission;
import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.publish.DeltaLog;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
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

  /** What becomes of nodes without tables that have greeted in this order. */
  private static Admission admitted(Member... members) {
    AgreementSettings settings = AgreementSettings.of(COORDINATOR, TERMS, SplitPolicy.DENY);
    List<Hello> hellos =
        Stream.of(members)
            .map(member -> new Hello(1, 1, member, TERMS, null, null, 0, false, false))
            .toList();
    ViewSummary summary = new ViewSummary(hellos, 0, List.of(), true);
    return new AdmissionRules(settings, new WeightedRendezvous(), new Random(1))
        .admit(summary, Set.of(), new DeltaLog(), -1);
  }

  private static Member member(String name, NodeId id) {
    return new Member(id, name, "127.0.0.1", 1, "", 1);
  }
}
