package dev.headrace.rebalance.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.message.TableNotice;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What nodes tell each other of tables. */
class TableGossipTest {
  private static final NodeId ONE = new NodeId(0, 1);
  private static final NodeId TWO = new NodeId(0, 2);
  private static final int SEGMENTS = 8;

  private final List<NodeId> receivers = new ArrayList<>();
  private final List<TableNotice> notices = new ArrayList<>();
  private final TableGossip gossip =
      new TableGossip(
          (to, message) -> {
            receivers.add(to);
            notices.add((TableNotice) message);
          });
  private SegmentTable table = firstTable();

  @Test
  void whoIsBehindGetsTheChangesThatItLacks() {
    gossip.onTable(TableDelta.fromNothing(table), table);
    List<TableDelta> deltas = List.of(change(0), change(1), change(2));
    gossip.outdated(ONE, deltas.get(1).fromEpoch());
    assertThat(receivers).containsExactly(ONE);
    assertThat(notices).containsExactly(new TableNotice(table.epoch(), null, deltas.subList(1, 3)));
  }

  @Test
  void whoIsFarBehindGetsTheWholeTable() {
    gossip.onTable(TableDelta.fromNothing(table), table);
    long first = table.epoch();
    for (int i = 0; i <= SEGMENTS; i++) {
      change(i % SEGMENTS);
    }
    gossip.outdated(ONE, first);
    assertThat(notices).containsExactly(TableNotice.of(table));
  }

  @Test
  void whoseTableIsOfAnotherLineGetsTheWholeTable() {
    gossip.onTable(TableDelta.fromNothing(table), table);
    TableDelta delta = change(0);
    change(1);
    gossip.outdated(ONE, delta.fromEpoch() + 1);
    assertThat(notices).containsExactly(TableNotice.of(table));
  }

  @Test
  void whoIsNotBehindIsToldNothing() {
    gossip.outdated(ONE, 0);
    gossip.onTable(TableDelta.fromNothing(table), table);
    gossip.outdated(ONE, table.epoch());
    gossip.accompany(ONE);
    assertThat(notices).isEmpty();
  }

  @Test
  void nobodyIsToldTheSameAgainBeforeSomeTimeHasPassed() {
    gossip.onTable(TableDelta.fromNothing(table), table);
    long first = change(0).fromEpoch();
    gossip.outdated(ONE, first);
    gossip.outdated(ONE, first);
    gossip.accompany(ONE);
    assertThat(notices).hasSize(1);
    gossip.outdated(TWO, first);
    assertThat(notices).hasSize(2);
    gossip.tick(TableGossip.REPEAT_NANOS);
    gossip.outdated(ONE, first);
    assertThat(notices).hasSize(3);
  }

  @Test
  void whoHasBeenToldIsToldAgainWhereTheClockIsNegative() {
    gossip.tick(-5 * TableGossip.REPEAT_NANOS);
    gossip.onTable(TableDelta.fromNothing(table), table);
    long first = change(0).fromEpoch();
    gossip.outdated(ONE, first);
    gossip.behind(TWO);
    gossip.tick(-4 * TableGossip.REPEAT_NANOS);
    gossip.outdated(ONE, first);
    gossip.behind(TWO);
    assertThat(receivers).containsExactly(ONE, TWO, ONE, TWO);
  }

  @Test
  void aMessageIsAccompaniedByWhatItsReceiverHasNotBeenToldYet() {
    gossip.onTable(TableDelta.fromNothing(table), table);
    change(0);
    TableDelta second = change(1);
    gossip.accompany(ONE);
    TableDelta third = change(2);
    TableDelta fourth = change(3);
    gossip.accompany(ONE);
    assertThat(notices)
        .containsExactly(
            new TableNotice(second.epoch(), null, List.of(second)),
            new TableNotice(fourth.epoch(), null, List.of(third, fourth)));
  }

  @Test
  void aMessageIsAccompaniedByChangesHoweverLongAgoItsReceiverWasTold() {
    gossip.onTable(TableDelta.fromNothing(table), table);
    change(0);
    gossip.accompany(ONE);
    List<TableDelta> changes = new ArrayList<>();
    for (int i = 0; i <= SEGMENTS; i++) {
      changes.add(change(i % SEGMENTS));
    }
    gossip.accompany(ONE);
    assertThat(notices.get(1))
        .isEqualTo(new TableNotice(table.epoch(), null, changes.subList(1, SEGMENTS + 1)));
  }

  @Test
  void whoIsBehindAsksOnce() {
    gossip.behind(ONE);
    gossip.onTable(TableDelta.fromNothing(table), table);
    gossip.behind(ONE);
    gossip.behind(ONE);
    assertThat(notices).containsExactly(TableNotice.at(table.epoch()));
  }

  private TableDelta change(int segment) {
    NodeId owner = table.isOwner(segment, ONE) ? TWO : ONE;
    TableDelta delta = table.edit(table.epoch() + 2).owners(segment, List.of(owner)).delta();
    table = table.apply(delta);
    gossip.onTable(delta, table);
    return delta;
  }

  private static SegmentTable firstTable() {
    List<Member> members =
        List.of(
            new Member(ONE, "one", "localhost", 1, "", 1),
            new Member(TWO, "two", "localhost", 2, "", 1));
    int[][] rows = new int[SEGMENTS][];
    for (int segment = 0; segment < SEGMENTS; segment++) {
      rows[segment] = new int[] {segment % 2};
    }
    return SegmentTable.of(new TableHeader(10, 5, 6, 7, SEGMENTS, 1, 100), members, rows);
  }
}
