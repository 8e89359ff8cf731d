package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AcceptorTest {
  private static final NodeId SELF = new NodeId(1, 1);
  private static final SegmentTable FIRST =
      SegmentTable.of(
          new TableHeader(9, 8, 7, 6, 2, 1, 5),
          List.of(
              new Member(SELF, "one", "::1", 1, "", 1),
              new Member(new NodeId(2, 2), "two", "::1", 2, "", 1)),
          new int[][] {{0}, {1}});

  /** It may lead the next view, and still act on the table from before its exclusion. */
  @Test
  void whoIsNoMemberOfTheTableInForceGetsNoLease() {
    Lease lease = new Lease(100);
    Acceptor acceptor = new Acceptor(lease, (delta, table) -> table.member(SELF) != null);
    acceptor.begin(FIRST);
    acceptor.extendLease(10, acceptor.inForceEpoch());
    assertThat(lease.untilNanos()).isEqualTo(110);

    SegmentTable without =
        FIRST.apply(
            FIRST
                .edit(FIRST.epoch() + 1)
                .removeMembers(List.of(SELF))
                .owners(0, List.of())
                .delta());
    acceptor.begin(without);
    acceptor.extendLease(20, acceptor.inForceEpoch());
    assertThat(acceptor.installed()).isSameAs(FIRST);
    assertThat(lease.untilNanos()).isEqualTo(110);
  }
}
