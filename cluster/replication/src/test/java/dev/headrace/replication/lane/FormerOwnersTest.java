package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.PastOwners;
import dev.headrace.replication.role.FormerOwners;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a node knows of the owners before, although it has missed tables. */
class FormerOwnersTest {
  private final SegmentTable before = Tables.written(Tables.unwritten(3, 0, 2, 2));
  private final SegmentTable missed =
      Tables.withRows(before, Map.of(0, List.of(Tables.node(1), Tables.node(2))));
  private final SegmentTable now =
      Tables.withRows(missed, Map.of(1, List.of(Tables.node(2), Tables.node(0))));
  private final FormerOwners owners = new FormerOwners();

  @Test
  void ownersThatChangedInTheVeryNextTableFollowThoseOfThePresentOne() {
    owners.changed(0, before, now, false);
    assertThat(owners.rows(0))
        .containsExactly(new PastOwners(before.segmentEpoch(0), before.owners(0)));
  }

  @Test
  void beforeOwnersThatChangedInALaterTableOthersMayHaveBeen() {
    owners.changed(1, before, now, false);
    assertThat(owners.rows(1)).isEmpty();
  }
}
