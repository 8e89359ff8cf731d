package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.LostSegments;
import dev.headrace.api.SplitPolicy;
import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.placement.WeightedRendezvous;
import dev.headrace.rebalance.publish.DeltaLog;
import dev.headrace.rebalance.publish.DeltaLog.Step;
import dev.headrace.rebalance.publish.OwnerVotes;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What becomes of segments that are given to nodes which fail at that moment. */
class OwnerVotesTest {
  private static final List<Member> MEMBERS = List.of(member(0), member(1), member(2));

  private static final long FIRST_WRITE = 99;

  private final DeltaLog log = new DeltaLog();

  @Test
  void aSegmentIsGivenOnlyToNodesThatKnow() {
    begin(new int[][] {{0}});
    give(node(2));
    assertThat(OwnerVotes.suffice(line(), id -> !id.equals(node(2)))).isFalse();
    assertThat(OwnerVotes.suffice(line(), id -> !id.equals(node(0)))).isTrue();
  }

  @Test
  void oneOfSeveralOwnersIsEnough() {
    begin(new int[][] {{0, 1}});
    give(node(0), node(2));
    assertThat(OwnerVotes.suffice(line(), node(0)::equals)).isTrue();
    assertThat(OwnerVotes.suffice(line(), node(2)::equals)).isTrue();
    assertThat(OwnerVotes.suffice(line(), node(1)::equals)).isFalse();
  }

  @Test
  void whoIsLeftOfTheOwnersNeedNotSayAnything() {
    begin(new int[][] {{0, 1}});
    SegmentTable table = newest();
    log.append(table.edit(table.epoch() + 1).removeMembers(List.of(node(0))).delta());
    assertThat(OwnerVotes.suffice(line(), node(2)::equals)).isTrue();
  }

  @Test
  void aSegmentStaysWithItsFormerOwnersWhenThoseItWasGivenToAreGone() {
    begin(new int[][] {{0}, {1}});
    give(node(2));
    SegmentTable next = newest().apply(without(2));
    assertThat(next.owners(0)).containsExactly(node(0));
    assertThat(next.incarnation(0)).isZero();
  }

  @Test
  void aSegmentWhoseOwnersInForceAreGoneIsLost() {
    begin(new int[][] {{0}, {1}});
    SegmentTable next = newest().apply(without(1));
    assertThat(next.owners(1)).isEmpty();
    assertThat(next.incarnation(1)).isEqualTo(1);
  }

  @Test
  void whoIsBackBeforeItKnewOfItsAbsenceOwnsWhatItOwned() {
    begin(new int[][] {{0, 1}, {2}});
    log.append(newest().edit(newest().epoch() + 1).withdrawMembers(List.of(node(1))).delta());
    assertThat(newest().owners(0)).containsExactly(node(0));

    SegmentTable next = newest().apply(without(0, FIRST_WRITE));
    assertThat(next.owners(0)).as("it has all that was acknowledged").containsExactly(node(1));
    assertThat(next.incarnation(0)).isZero();
  }

  @Test
  void soItIsWhenTheSegmentWaitedInBetween() {
    begin(new int[][] {{0, 1}, {2}});
    log.append(newest().edit(newest().epoch() + 1).withdrawMembers(List.of(node(1))).delta());
    log.append(newest().edit(newest().epoch() + 1).withdrawMembers(List.of(node(0))).delta());
    assertThat(newest().isWaiting(0)).isTrue();

    SegmentTable next = newest().apply(without(0, FIRST_WRITE));
    assertThat(next.owners(0)).containsExactly(node(1));
  }

  @Test
  void ofTwoForWhomASegmentWaitsTheSecondOwnsItWhenTheFirstIsGoneAgain() {
    begin(new int[][] {{0, 1}, {2}});
    log.append(
        newest().edit(newest().epoch() + 1).withdrawMembers(List.of(node(0), node(1))).delta());
    log.begin(newest());
    log.append(newest().edit(newest().epoch() + 1).readmit(List.of(MEMBERS.get(0))).delta());
    assertThat(newest().owners(0)).containsExactly(node(0));

    SegmentTable next = newest().apply(without(0, FIRST_WRITE));
    assertThat(next.owners(0)).as("it has all that was acknowledged").containsExactly(node(1));
    assertThat(next.incarnation(0)).isZero();
  }

  @Test
  void whoHasNeverActedUponTheDataGetsNothingBack() {
    begin(new int[][] {{0, 1}, {2}});
    log.append(newest().edit(newest().epoch() + 1).withdrawMembers(List.of(node(1))).delta());

    SegmentTable next = newest().apply(without(0, 0));
    assertThat(next.owners(0)).isEmpty();
  }

  @Test
  void whoKnowsThatNothingWasWrittenOwnsWhatWasPlacedOnIt() {
    log.begin(SegmentTable.of(header(2, 2), MEMBERS, new int[][] {{0, 1}, {2}}));
    log.append(newest().edit(newest().epoch() + 1).written(FIRST_WRITE).delta());
    log.append(newest().edit(newest().epoch() + 1).removeMembers(List.of(node(1))).delta());
    log.append(newest().edit(newest().epoch() + 1).withdrawMembers(List.of(node(0))).delta());
    assertThat(newest().isWaiting(0)).isTrue();

    SegmentTable next = newest().apply(without(0, 0));
    assertThat(next.owners(0)).as("nothing was acknowledged").containsExactly(node(1));
    assertThat(next.incarnation(0)).isZero();
  }

  private void begin(int[][] rows) {
    log.begin(SegmentTable.of(header(1, rows.length), MEMBERS, rows).written(2, FIRST_WRITE));
  }

  private static TableHeader header(long epoch, int segments) {
    return new TableHeader(epoch, 5, 0, 7, segments, 2, 100);
  }

  private void give(NodeId... owners) {
    SegmentTable table = newest();
    log.append(table.edit(table.epoch() + 1).owners(0, List.of(owners)).delta());
  }

  private TableDelta without(int gone) {
    return without(gone, FIRST_WRITE);
  }

  /** The step to a table without a node, where all others say that they act upon some data. */
  private TableDelta without(int gone, long firstWrite) {
    ClusterTerms terms =
        new ClusterTerms("c", 2, 2, 100, OptionalLong.empty())
            .losing(LostSegments.recreateAfter(Duration.ZERO));
    AgreementSettings settings = AgreementSettings.of(MEMBERS.get(0), terms, SplitPolicy.DENY);
    TableHeader said = new TableHeader(2, 5, firstWrite, 7, 2, 2, 100);
    List<Member> left = MEMBERS.stream().filter(each -> !each.id().equals(node(gone))).toList();
    List<Hello> hellos =
        left.stream()
            .map(each -> new Hello(1, 1, each, terms, said, said, 0, false, false))
            .toList();
    ViewSummary summary = new ViewSummary(hellos, FIRST_WRITE, List.of(), true);
    return new AdmissionRules(settings, new WeightedRendezvous(), new Random(1))
        .membership(line(), newest().epoch() + 1, left, id -> false, -1, summary);
  }

  private List<Step> line() {
    return log.steps(0, Long.MAX_VALUE);
  }

  private SegmentTable newest() {
    SegmentTable newest = log.newest();
    assertThat(newest).isNotNull();
    return newest;
  }

  private static Member member(int number) {
    return new Member(node(number), "n" + number, "127.0.0.1", 1, "", 1);
  }

  private static NodeId node(int number) {
    return new NodeId(1, number + 1L);
  }
}
