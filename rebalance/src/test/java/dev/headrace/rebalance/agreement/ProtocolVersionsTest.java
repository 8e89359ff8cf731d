package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.AdmissionRules.Admission;
import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.publish.DeltaLog;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which releases form a cluster. */
class ProtocolVersionsTest {
  private static final ClusterTerms TERMS = new ClusterTerms("c", 1, 1, 100, OptionalLong.empty());
  private static final Member COORDINATOR = member("coordinator", 1, 3, 4);
  private static final Member OLDER = member("older", 2, 2, 3);
  private static final Member NEWER = member("newer", 3, 4, 5);
  private static final Member MUCH_NEWER = member("much newer", 4, 5, 6);

  @Test
  void twoSpeakTheNewestVersionThatBothKnow() {
    assertThat(COORDINATOR.versions().spokenWith(OLDER.versions())).isEqualTo(3);
    assertThat(OLDER.versions().spokenWith(COORDINATOR.versions())).isEqualTo(3);
    assertThat(COORDINATOR.versions().spokenWith(NEWER.versions())).isEqualTo(4);
    assertThat(OLDER.versions().common(NEWER.versions())).isNull();
  }

  @Test
  void thereAreNoVersionsWithoutANewest() {
    assertThatThrownBy(() -> new ProtocolVersions(3, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("3 to 2");
    assertThatThrownBy(() -> new ProtocolVersions(0, 2))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ProtocolVersions(1, 128))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whoFoundsAClusterTakesThoseThatUnderstandAllOthers() {
    Admission admission = admitted(new DeltaLog(), COORDINATOR, OLDER, NEWER);
    assertThat(admission.members()).containsExactly(COORDINATOR, OLDER);
    assertThat(admission.refusals().get(NEWER.id()))
        .contains("speaks version 3 of the protocol", "this node knows versions 4 to 5");
    assertThat(AdmissionRules.protocol(admission.members().stream())).isEqualTo(3);
  }

  @Test
  void aClusterWithDataTakesWhoKnowsItsVersion() {
    DeltaLog log = new DeltaLog();
    TableHeader header =
        new TableHeader(Epoch.first(1, COORDINATOR.id()), 1, 1, 1, 1, 1, 100).speaking(4);
    log.begin(SegmentTable.of(header, List.of(COORDINATOR), new int[][] {{0}}));
    Admission admission = admitted(log, COORDINATOR, OLDER, NEWER, MUCH_NEWER);
    assertThat(admission.members()).containsExactly(COORDINATOR, NEWER);
    assertThat(admission.refusals()).containsOnlyKeys(OLDER.id(), MUCH_NEWER.id());
    assertThat(admission.refusals().get(OLDER.id()))
        .contains("start it with a release that knows what the cluster speaks");
  }

  private static Admission admitted(DeltaLog log, Member... members) {
    AgreementSettings settings = AgreementSettings.of(COORDINATOR, TERMS, SplitPolicy.DENY);
    List<Hello> hellos =
        Stream.of(members)
            .map(member -> new Hello(1, 1, member, TERMS, null, null, 0, false, false))
            .toList();
    return new AdmissionRules(settings, new WeightedRendezvous(), new Random(1))
        .admit(new ViewSummary(hellos, 0, List.of(), true), Set.of(), log, -1);
  }

  private static Member member(String name, int number, int oldest, int newest) {
    return new Member(
        new NodeId(number, number), name, "h", 1, "", 1, new ProtocolVersions(oldest, newest));
  }
}
