package dev.headrace.cluster.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.node.Images;
import dev.headrace.rebalance.message.MovesNotice;
import dev.headrace.rebalance.message.RebalanceProgress;
import dev.headrace.rebalance.migration.RebalancerSettings;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a node says of a rebalance that another node coordinates. */
class RebalancingTest {
  private static final NodeId SELF = new NodeId(0, 1);
  private static final NodeId COORDINATOR = new NodeId(0, 2);
  private static final RebalanceProgress HALF = new RebalanceProgress(10, 10, 5, 3, 1000, 7);
  private static final RebalanceProgress COMPLETE = new RebalanceProgress(10, 10, 10, 0, 2000, 14);

  private static final MovesNotice MOVES =
      new MovesNotice(List.of(new MovesNotice.Move(1, SELF, List.of(COORDINATOR), false)));
  private static final MovesNotice MOVED =
      new MovesNotice(List.of(new MovesNotice.Move(1, SELF, List.of(COORDINATOR), true)));

  private final SegmentTable table = table(10, ProtocolVersions.OWN.newest());
  private final List<RebalanceProgress> completed = new ArrayList<>();
  private final List<Message> sent = new ArrayList<>();
  private final Rebalancing rebalancing =
      new Rebalancing(
          SELF,
          RebalancerSettings.defaults(),
          NodeProbe.NONE,
          Runnable::run,
          (to, message) -> sent.add(message),
          proposal -> {},
          completed::add);

  private static SegmentTable table(long epoch, int protocol) {
    return SegmentTable.of(
        new TableHeader(epoch, 5, 6, 7, 2, 2, 100).speaking(protocol),
        List.of(
            new Member(SELF, "self", "localhost", 1, "", 1),
            new Member(COORDINATOR, "coordinator", "localhost", 2, "", 1)),
        new int[][] {{0, 1}, {1, 0}});
  }

  @Test
  void whatItsRebalancerLeftUndoneIsForgottenWhenTheRebalancerIsGone() {
    Images.install(rebalancing, table);
    rebalancing.told(COORDINATOR, HALF);
    assertThat(rebalancing.progress()).isEqualTo(HALF);
    Images.install(rebalancing, table.withoutMembers(11, Set.of(COORDINATOR)));
    assertThat(rebalancing.progress()).isEqualTo(RebalanceProgress.NONE);
  }

  @Test
  void whatIsBeingCopiedIsToldToAllWhoUnderstandItUntilNothingIs() {
    Images.install(rebalancing, table(10, MovesNotice.PROTOCOL - 1));
    rebalancing.progress(HALF, MOVES);
    assertThat(rebalancing.moves()).isEqualTo(MOVES);
    assertThat(sent).containsExactly(HALF);

    Images.install(rebalancing, table(11, MovesNotice.PROTOCOL));
    rebalancing.progress(HALF, MOVED);
    rebalancing.progress(HALF, MOVED);
    rebalancing.progress(COMPLETE, MovesNotice.NONE);
    rebalancing.progress(COMPLETE, MovesNotice.NONE);
    assertThat(sent)
        .containsExactly(HALF, HALF, MOVED, HALF, MOVED, COMPLETE, MovesNotice.NONE, COMPLETE);
  }

  @Test
  void whatACoordinatorCopiesIsForgottenWhenItIsGone() {
    Images.install(rebalancing, table);
    rebalancing.told(COORDINATOR, MOVES);
    assertThat(rebalancing.moves()).isEqualTo(MOVES);
    Images.install(rebalancing, table.withoutMembers(11, Set.of(COORDINATOR)));
    assertThat(rebalancing.moves()).isEqualTo(MovesNotice.NONE);
  }

  @Test
  void aRebalanceIsToldOfOnceWhenItIsComplete() {
    Images.install(rebalancing, table);
    rebalancing.told(COORDINATOR, HALF);
    assertThat(completed).isEmpty();
    rebalancing.told(COORDINATOR, COMPLETE);
    rebalancing.told(COORDINATOR, COMPLETE);
    assertThat(completed).containsExactly(COMPLETE);
  }

  @Test
  void whatWasFinishedStaysVisible() {
    Images.install(rebalancing, table);
    rebalancing.told(COORDINATOR, COMPLETE);
    rebalancing.told(COORDINATOR, RebalanceProgress.NONE);
    Images.install(rebalancing, table.withoutMembers(11, Set.of(COORDINATOR)));
    assertThat(rebalancing.progress()).isEqualTo(COMPLETE);
  }

  @Test
  void aNewRebalancerWithNothingToDoEndsWhatItsPredecessorTold() {
    Images.install(rebalancing, table);
    rebalancing.told(COORDINATOR, HALF);
    rebalancing.tick(0);
    rebalancing.coordinating(true);
    rebalancing.tick(2_000_000_000L);
    assertThat(rebalancing.progress()).isEqualTo(RebalanceProgress.NONE);
  }
}
