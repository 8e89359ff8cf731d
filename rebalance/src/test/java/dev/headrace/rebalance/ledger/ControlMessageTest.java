package dev.headrace.rebalance.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.ledger.ControlMessage.Hello;
import dev.headrace.rebalance.ledger.ControlMessage.Install;
import dev.headrace.rebalance.ledger.ControlMessage.Leave;
import dev.headrace.rebalance.ledger.ControlMessage.Refuse;
import dev.headrace.rebalance.ledger.ControlMessage.Seal;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class ControlMessageTest {

  private static final Member MEMBER =
      new Member(new NodeId(1, -2), "Mühle", "::1", 65535, "zone", 0.5);
  private static final TableHeader HEADER = new TableHeader(9, 8, 7, 6, 2, 1);
  private static final List<ControlMessage> MESSAGES =
      List.of(
          new Hello(
              1, -2, MEMBER, new Terms("mill", 2, 1, OptionalLong.of(-5)), HEADER, HEADER, true),
          new Hello(1, 2, MEMBER, new Terms("", 2, 1, OptionalLong.empty()), null, null, false),
          new Install(-3, SegmentTable.of(HEADER, List.of(MEMBER), new int[][] {{0}, {0}})),
          new Refuse(4, "Because"),
          new Seal(),
          new Leave());

  @Test
  void survivesItsBinaryForm() {
    for (ControlMessage message : MESSAGES) {
      assertThat(decode(message.encode())).isEqualTo(message);
    }
  }

  @Test
  void isRefusedWhenCutOffOrFollowedByMore() {
    for (ControlMessage message : MESSAGES) {
      byte[] bytes = message.encode();
      for (int length = 0; length < bytes.length; length++) {
        byte[] cut = Arrays.copyOf(bytes, length);
        assertThatThrownBy(() -> decode(cut)).isInstanceOf(WireException.class);
      }
      byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
      assertThatThrownBy(() -> decode(longer)).isInstanceOf(WireException.class);
    }
  }

  @Test
  void isRefusedWhenOfAnotherVersionOrUnknownKind() {
    assertThatThrownBy(() -> decode(new byte[] {2, 4}))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("version 2");
    assertThatThrownBy(() -> decode(new byte[] {1, 99}))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("kind 99");
  }

  private static ControlMessage decode(byte[] bytes) {
    return ControlMessage.decode(ByteBuffer.wrap(bytes));
  }
}
