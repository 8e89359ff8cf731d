package dev.headrace.replication.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.replication.message.Operation.Kind;
import dev.headrace.stream.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallTest {
  private static final long MILLIS = 1_000_000L;
  private static final NodeId OWNER = new NodeId(0, 1);
  private static final NodeId SELF = new NodeId(0, 9);

  @Test
  void aSmallWriteIsSentAgainAfterHalfASecond() {
    Call call = sent(100);
    assertThat(call.rested(499 * MILLIS)).isFalse();
    assertThat(call.rested(501 * MILLIS)).isTrue();
  }

  @Test
  void aLargeWriteHasTheTimeThatItsBytesNeed() {
    Call call = sent(10_000_000);
    assertThat(call.rested(1_499 * MILLIS)).isFalse();
    assertThat(call.rested(1_501 * MILLIS)).isTrue();
  }

  @Test
  void aLargeWriteWhoseConnectionIsLostIsSentAgainAtOnce() {
    Call call = sent(10_000_000);
    call.lost(OWNER);
    assertThat(call.rested(1)).isFalse();
    assertThat(call.rested(1 + Call.MAX_BACKOFF_NANOS)).isTrue();
  }

  /** A put that is sent at the time 0. */
  private static Call sent(int valueBytes) {
    Request request = Request.set(Kind.PUT, "c", 0, new byte[1], new byte[valueBytes], 0, false);
    Call call = new Call(request, new Ending(), 0, 0, 10_000 * MILLIS);
    call.begin(1);
    call.aim(table(), SELF);
    assertThat(call.rested(0)).isFalse();
    return call;
  }

  private static SegmentTable table() {
    List<Member> members = List.of(new Member(OWNER, "n1", "localhost", 1, "", 1));
    TableHeader header = new TableHeader(1L << 40, 1, 1, 3, 1, 1, 1 << 20);
    return SegmentTable.of(header, members, new int[][] {{0}});
  }
}
