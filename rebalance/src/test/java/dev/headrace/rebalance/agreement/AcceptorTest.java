package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.publish.Lease;
import dev.headrace.rebalance.publish.MemberProgress;
import dev.headrace.rebalance.table.Epoch;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class AcceptorTest {
  private static final NodeId SELF = new NodeId(1, 1);
  private static final long BALLOT = Epoch.ballotAfter(0, new NodeId(2, 2));
  private static final long OTHER_FIRST_WRITE = 77;
  private static final SegmentTable FIRST =
      SegmentTable.of(
          new TableHeader(9, 8, 7, 6, 2, 1, 5),
          List.of(
              new Member(SELF, "one", "::1", 1, "", 1),
              new Member(new NodeId(2, 2), "two", "::1", 2, "", 1)),
          new int[][] {{0}, {1}});

  private static final SegmentTable UNWRITTEN =
      SegmentTable.of(
          new TableHeader(9, 8, 0, 6, 2, 1, 5), FIRST.members(), new int[][] {{0}, {1}});

  /** It may coordinate the next view, and still act on the table from before its exclusion. */
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

  /** A quorum may have stored the first write, so that it is in force somewhere. */
  @Test
  void whoHasStoredAFirstWritePromisesNobodyWhoLacksIt() {
    Acceptor acceptor = withStoredFirstWrite();
    assertThat(acceptor.take(claim(acceptor.inForceEpoch()), 0)).isFalse();
    assertThat(acceptor.promisedBallot()).isZero();

    assertThat(acceptor.take(claim(acceptor.log().newestEpoch()), 0)).isTrue();
    assertThat(acceptor.promisedBallot()).isEqualTo(BALLOT);
  }

  @Test
  void aStoredFirstWriteGivesWayToAnotherOneThatIsInForce() {
    Acceptor acceptor = withStoredFirstWrite();
    assertThat(acceptor.take(claim(acceptor.inForceEpoch()), OTHER_FIRST_WRITE)).isTrue();
    assertThat(acceptor.promisedBallot()).isEqualTo(BALLOT);
  }

  /** The coordinator has stored the first write, and does not know that it is in force. */
  @Test
  void whoActsOnTheFirstWriteTakesALineThatLeadsThroughIt() {
    Acceptor acceptor = withStoredFirstWrite();
    SegmentTable written = Objects.requireNonNull(acceptor.log().newest());
    acceptor.putInForce(written.epoch());
    assertThat(acceptor.take(line(UNWRITTEN.edit(11).written(OTHER_FIRST_WRITE).delta()), 0))
        .as("another first write")
        .isFalse();

    TableDelta first = UNWRITTEN.edit(written.epoch()).written(7).delta();
    TableDelta next = written.edit(BALLOT + 1).delta();
    assertThat(acceptor.take(line(first, next), 0)).isTrue();
    assertThat(acceptor.log().newestEpoch()).isEqualTo(BALLOT + 1);
    assertThat(acceptor.installed()).as("it goes on to act on it").isEqualTo(written);
  }

  private static Append line(TableDelta... deltas) {
    long newest = deltas[deltas.length - 1].epoch();
    return new Append(
        1,
        BALLOT,
        1,
        MemberProgress.NEVER,
        newest,
        UNWRITTEN.epoch(),
        -1,
        UNWRITTEN,
        List.of(deltas));
  }

  private static Acceptor withStoredFirstWrite() {
    Acceptor acceptor = new Acceptor(new Lease(100), (delta, table) -> true);
    acceptor.begin(UNWRITTEN);
    acceptor.log().append(UNWRITTEN.edit(10).written(7).delta());
    return acceptor;
  }

  /** What a coordinator sends that asks for the promise of a ballot. */
  private static Append claim(long newestEpoch) {
    return new Append(1, BALLOT, 1, MemberProgress.NEVER, newestEpoch, 9, -1, null, List.of());
  }
}
