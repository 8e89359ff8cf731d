package dev.headrace.rebalance.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.LostSegments;
import dev.headrace.api.error.WireException;
import dev.headrace.rebalance.agreement.ControlMessage.Append;
import dev.headrace.rebalance.agreement.ControlMessage.Appended;
import dev.headrace.rebalance.agreement.ControlMessage.FirstWrite;
import dev.headrace.rebalance.agreement.ControlMessage.GiveBack;
import dev.headrace.rebalance.agreement.ControlMessage.Hello;
import dev.headrace.rebalance.agreement.ControlMessage.Leave;
import dev.headrace.rebalance.agreement.ControlMessage.Lost;
import dev.headrace.rebalance.agreement.ControlMessage.RangeRepair;
import dev.headrace.rebalance.agreement.ControlMessage.RangeStamps;
import dev.headrace.rebalance.agreement.ControlMessage.Refuse;
import dev.headrace.rebalance.agreement.ControlMessage.Stalled;
import dev.headrace.rebalance.agreement.ControlMessage.StatusRequest;
import dev.headrace.rebalance.publish.MemberProgress;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.ProtocolVersions;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.rebalance.table.TableHeader;
import dev.headrace.stream.NodeId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class ControlMessageTest {

  private static final int PROTOCOL = ProtocolVersions.OWN.newest();
  private static final Member MEMBER =
      new Member(new NodeId(1, -2), "Mühle", "::1", 65535, "zone", 0.5, new ProtocolVersions(3, 9));
  private static final ClusterTerms TERMS =
      new ClusterTerms("mill", 2, 1, 5, OptionalLong.of(-5))
          .placedBy("by-moon")
          .losing(LostSegments.recreateAfter(Duration.ofMillis(2_500)).orWhenEnded());
  private static final TableHeader HEADER =
      new TableHeader(9, 8, 7, 6, 2, 1, 5, "maglev:1.25").speaking(3);
  private static final SegmentTable TABLE =
      SegmentTable.of(HEADER, List.of(MEMBER), new int[][] {{0}, {0}});
  private static final TableDelta FIRST = TABLE.edit(10).owners(1, List.of()).delta();
  private static final TableDelta SECOND =
      TABLE.apply(FIRST).edit(11).owners(1, List.of(MEMBER.id())).speaking(4).delta();
  private static final List<ControlMessage> MESSAGES =
      List.of(
          new Hello(1, -2, MEMBER, TERMS, HEADER, HEADER.at(8), 1L << 40, true, true),
          new Hello(
              1,
              2,
              MEMBER,
              new ClusterTerms("", 2, 1, 5, OptionalLong.empty()),
              null,
              null,
              0,
              true,
              false),
          new Append(-3, 1L << 40, -7, 8, 11, 9, 10, null, List.of()),
          new Append(3, 1L << 40, 7, MemberProgress.NEVER, 11, 9, 9, null, List.of(FIRST, SECOND)),
          new Append(3, 1L << 40, 7, 8, 11, 9, -1, TABLE, List.of(FIRST)),
          new Appended(-3, 1L << 40, 11, -1, 7, -8, -9),
          new RangeStamps(-3, -1, 0, 0, 10_000, List.of()),
          new RangeStamps(-3, 9, -5, 7, 10, List.of(-1L, 2L, 3L)),
          new RangeRepair(-3, TABLE.slice(0, 2)),
          new Refuse(4, "Because"),
          new FirstWrite(),
          new Leave(-1),
          new Leave(1L << 40),
          new StatusRequest(-3),
          new Stalled(-3, "Müller is missing", TABLE),
          new Lost(3, 1L << 40),
          new ControlMessage.GiveUp(
              List.of(new ControlMessage.GiveUp.Row(3, 77), new ControlMessage.GiveUp.Row(4, -1))),
          new ControlMessage.Unreachable(List.of(new NodeId(5, 6))),
          new ControlMessage.Ended(List.of(new NodeId(5, 6), new NodeId(-7, 8))),
          new ControlMessage.SetAside(3, 5, "why"),
          new GiveBack(3, 1L << 40, new NodeId(5, 6)));

  @Test
  void survivesItsBinaryForm() {
    for (ControlMessage message : MESSAGES) {
      assertThat(decode(message.encode(PROTOCOL))).isEqualTo(message);
    }
  }

  @Test
  void isRefusedWhenCutOffOrFollowedByMore() {
    for (ControlMessage message : MESSAGES) {
      byte[] bytes = message.encode(PROTOCOL);
      for (int length = 0; length < bytes.length; length++) {
        byte[] cut = Arrays.copyOf(bytes, length);
        assertThatThrownBy(() -> decode(cut)).isInstanceOf(WireException.class);
      }
      if (!(message instanceof Hello)) {
        byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
        assertThatThrownBy(() -> decode(longer)).isInstanceOf(WireException.class);
      }
    }
  }

  @Test
  void aGreetingOfAnyVersionIsReadAsFarAsItIsKnown() {
    ControlMessage greeting = MESSAGES.get(0);
    byte[] bytes = greeting.encode(ProtocolVersions.OWN.newest() + 1);
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 9);
    assertThat(decode(longer)).isEqualTo(greeting);
  }

  @Test
  void isRefusedWhenOfAnotherVersionOrUnknownKind() {
    assertThatThrownBy(() -> decode(new byte[] {1, 4}))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("version 1");
    assertThatThrownBy(() -> decode(new byte[] {(byte) PROTOCOL, 99}))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("kind 99");
  }

  @Test
  void isRefusedWhenItCountsMoreThanIsThere() {
    byte[] append = new Append(3, 1, 7, 8, 11, 9, -1, null, List.of()).encode(PROTOCOL);
    append[append.length - 4] = 0x7f;
    assertThatThrownBy(() -> decode(append)).isInstanceOf(WireException.class);
    byte[] negative = new Append(3, 1, 7, 8, 11, 9, -1, null, List.of()).encode(PROTOCOL);
    negative[negative.length - 4] = -1;
    assertThatThrownBy(() -> decode(negative))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("deltas");
    byte[] stamps = new RangeStamps(3, 9, 1, 0, 16, List.of()).encode(PROTOCOL);
    stamps[stamps.length - 1] = 17;
    assertThatThrownBy(() -> decode(stamps))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("17 stamps");
  }

  @Test
  void isRefusedWhenItNamesAClusterAtTooGreatLength() {
    String name = "n".repeat(255);
    ClusterTerms terms = new ClusterTerms(name, 2, 1, 5, OptionalLong.empty());
    byte[] hello = new Hello(1, 2, MEMBER, terms, null, null, 0, false, false).encode(PROTOCOL);
    int at = new String(hello, StandardCharsets.ISO_8859_1).indexOf(name);
    byte[] longer = Arrays.copyOf(hello, hello.length + 1);
    System.arraycopy(hello, at, longer, at + 1, hello.length - at);
    longer[at - 2] = 1;
    longer[at - 1] = 0;
    assertThatThrownBy(() -> decode(longer))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("255 characters, but this has 256");
  }

  private static ControlMessage decode(byte[] bytes) {
    return ControlMessage.decode(ByteBuffer.wrap(bytes), ProtocolVersions.OWN);
  }
}
