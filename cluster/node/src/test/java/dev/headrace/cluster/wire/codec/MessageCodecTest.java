package dev.headrace.cluster.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.error.WireException;
import dev.headrace.cluster.message.MessageGroup;
import dev.headrace.cluster.message.NodeMessage;
import dev.headrace.rebalance.message.RebalanceMessage;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.ReplicationMessage;
import dev.headrace.stream.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class MessageCodecTest {
  private final MessageCodec codec = new MessageCodec();

  @Provide
  Arbitrary<Message> messages() {
    return Messages.any();
  }

  @Property(tries = 300)
  void everyMessageComesBackAsItWas(@ForAll("messages") Message message) {
    ByteBuf bytes = encoded(message);

    Message back = codec.decode(new WireInput().over(bytes));

    assertThat(back).usingRecursiveComparison().isEqualTo(message);
    assertThat(bytes.isReadable()).isFalse();
  }

  @Property(tries = 1000)
  void theBoundHolds(@ForAll("messages") Message message) {
    assertThat((long) encoded(message).readableBytes())
        .isLessThanOrEqualTo(codec.boundBytes(message));
  }

  @Property(tries = 1000)
  void aTruncatedMessageIsRefused(
      @ForAll("messages") Message message, @ForAll @IntRange(min = 1, max = 1000) int missing) {
    ByteBuf bytes = encoded(message);
    bytes.writerIndex(Math.max(0, bytes.writerIndex() - missing));

    assertThatThrownBy(() -> codec.decode(new WireInput().over(bytes)))
        .isInstanceOf(WireException.class);
  }

  @Property(tries = 1000)
  void bytesBehindTheEndAreRefused(@ForAll("messages") Message message) {
    ByteBuf bytes = encoded(message).writeByte(0);

    assertThatThrownBy(() -> codec.decode(new WireInput().over(bytes)))
        .isInstanceOf(WireException.class);
  }

  @Property(tries = 5000)
  void anOverwrittenByteIsAnotherMessageOrRefused(
      @ForAll("messages") Message message, @ForAll int place, @ForAll byte value) {
    ByteBuf bytes = encoded(message);
    bytes.setByte(Math.floorMod(place, bytes.writerIndex()), value);

    decodeOrRefuse(bytes);
  }

  @Property(tries = 5000)
  void noiseIsAMessageOrRefused(@ForAll byte[] noise) {
    decodeOrRefuse(Unpooled.wrappedBuffer(noise));
  }

  @Test
  void aForgedLengthAllocatesNothing() {
    ByteBuf bytes = Unpooled.buffer();
    bytes.writeByte(kind(OperationReply.class));
    bytes.writeByte(1).writeByte(0).writeByte(1); // up to its value
    WireOutput.writeVarLong(bytes, 1L << 40);

    assertThatThrownBy(() -> codec.decode(new WireInput().over(bytes)))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("claims 1099511627775 bytes, but only 0 are left");
  }

  @Test
  void aCopyThatLeadsNowhereIsRefused() {
    ByteBuf bytes = Unpooled.buffer();
    bytes.writeByte(kind(CopyOrder.class)).writeByte(1).writeByte(1); // of epoch 1, one copy
    bytes.writeZero(19); // migration 0 of segment 0 to no node, and what else counts need

    assertThatThrownBy(() -> codec.decode(new WireInput().over(bytes)))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("a copy leads to 1 to 256 nodes, not to 0");
  }

  @Test
  void aGroupInAGroupIsRefused() {
    ByteBuf bytes = Unpooled.buffer();
    int group = kind(MessageGroup.class);
    bytes.writeByte(group).writeByte(1).writeByte(group).writeByte(1).writeBytes(new byte[100]);
    ByteBuf empty = Unpooled.buffer().writeByte(group).writeByte(0);

    assertThatThrownBy(() -> codec.decode(new WireInput().over(bytes)))
        .isInstanceOf(WireException.class);
    assertThatThrownBy(() -> codec.decode(new WireInput().over(empty)))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("a group has 1 to 1024 messages, not 0");
  }

  @Test
  void anUnknownKindIsRefused() {
    assertThatThrownBy(
            () -> codec.decode(new WireInput().over(Unpooled.wrappedBuffer(new byte[] {99}))))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("no message is of kind 99");
  }

  @Test
  void everyTypeOfMessageHasOneFormAndIsTested() {
    Set<Class<?>> types = new HashSet<>();
    List.of(ReplicationMessage.class, RebalanceMessage.class, NodeMessage.class)
        .forEach(family -> addRecords(family, types));
    assertThat(types).hasSizeGreaterThan(20);
    assertThat(MessageCodec.types()).hasSameElementsAs(types).doesNotHaveDuplicates();
    Random random = new Random(1);
    Set<Class<?>> tested = new HashSet<>();
    for (int i = 0; i < 2000; i++) {
      tested.add(Messages.of(random).getClass());
    }
    assertThat(tested).isEqualTo(types);
  }

  private static void addRecords(Class<?> family, Set<Class<?>> types) {
    if (family.isSealed()) {
      for (Class<?> member : family.getPermittedSubclasses()) {
        addRecords(member, types);
      }
    } else {
      types.add(family);
    }
  }

  private static int kind(Class<? extends Message> type) {
    return MessageCodec.types().indexOf(type);
  }

  private void decodeOrRefuse(ByteBuf bytes) {
    Message message;
    try {
      message = codec.decode(new WireInput().over(bytes));
    } catch (WireException refused) {
      assertThat(refused).hasMessageMatching("(?s).+");
      return;
    }
    assertThat(message).isNotNull();
  }

  private ByteBuf encoded(Message message) {
    ByteBuf bytes = Unpooled.buffer();
    codec.encode(message, bytes);
    return bytes;
  }
}
