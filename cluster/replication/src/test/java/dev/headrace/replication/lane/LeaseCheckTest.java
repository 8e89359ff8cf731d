package dev.headrace.replication.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.role.LeaseCheck;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What was read counts while there is a lease, and while nobody else has got the segment. */
@Timeout(30)
class LeaseCheckTest {
  private static final int[] BOTH = {0, 1};

  private final SegmentTable first = Tables.written(Tables.unwritten(3, 0, 2, 2));
  private boolean lease = true;
  private @Nullable SegmentTable newest = first;
  private final LeaseCheck check = new LeaseCheck(() -> lease, () -> newest);

  @Test
  void withoutALeaseNothingCounts() {
    assertThat(check.permits(0, first.segmentEpoch(0))).isTrue();
    assertThat(check.permits(first, BOTH)).isTrue();
    lease = false;
    assertThat(check.permits(0, first.segmentEpoch(0))).isFalse();
    assertThat(check.permits(first, BOTH)).isFalse();
  }

  @Test
  void aLeaseUnderATableWithOtherOwnersIsNoneForWhatWasReadBefore() {
    // Segment 0 has the first two nodes as its owners, segment 1 the last two.
    newest = Tables.without(first, Tables.node(2));
    assertThat(check.permits(0, first.segmentEpoch(0))).isTrue();
    assertThat(check.permits(1, first.segmentEpoch(1))).isFalse();
    assertThat(check.permits(first, new int[] {0})).isTrue();
    assertThat(check.permits(first, BOTH)).isFalse();
  }

  @Test
  void aTableOfFewerSegmentsIsOfOtherContent() {
    newest = Tables.without(Tables.written(Tables.unwritten(3, 0, 1, 2)), Tables.node(2));
    assertThat(check.permits(1, first.segmentEpoch(1))).isFalse();
    assertThat(check.permits(first, BOTH)).isFalse();
  }

  @Test
  void beforeTheFirstTableNothingCounts() {
    newest = null;
    assertThat(check.permits(0, first.segmentEpoch(0))).isFalse();
    assertThat(check.permits(first, BOTH)).isFalse();
  }
}
