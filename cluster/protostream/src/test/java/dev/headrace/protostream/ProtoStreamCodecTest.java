package dev.headrace.protostream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.codec.ByteInput;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.codec.Codec;
import dev.headrace.api.codec.Codecs;
import dev.headrace.api.error.CodecException;
import java.io.IOException;
import java.util.HexFormat;
import org.infinispan.commons.marshall.ProtoStreamMarshaller;
import org.infinispan.protostream.EnumMarshaller;
import org.infinispan.protostream.FileDescriptorSource;
import org.infinispan.protostream.ProtobufTagMarshaller;
import org.infinispan.protostream.ProtobufUtil;
import org.infinispan.protostream.SerializationContext;
import org.infinispan.protostream.descriptors.WireType;
import org.junit.jupiter.api.Test;

/** Objects as messages, and what is refused. */
final class ProtoStreamCodecTest {
  private static final String SCHEMA =
      """
      syntax = "proto3";
      package shop;
      enum Side { BUY = 0; SELL = 1; }
      message Item { string name = 1; int64 count = 2; }
      """;

  private enum Side {
    BUY,
    SELL
  }

  private static class Item {
    final String name;
    final long count;

    Item(String name, long count) {
      this.name = name;
      this.count = count;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Item item && item.name.equals(name) && item.count == count;
    }

    @Override
    public int hashCode() {
      return name.hashCode();
    }
  }

  private static final class PricedItem extends Item {
    PricedItem() {
      super("pears", 3);
    }
  }

  private record Order(long number, Item item) {}

  /** Writes items by hand, as generated marshallers do. */
  private static final class Items implements ProtobufTagMarshaller<Item> {
    @Override
    public Class<Item> getJavaClass() {
      return Item.class;
    }

    @Override
    public String getTypeName() {
      return "shop.Item";
    }

    @Override
    public Item read(ReadContext context) throws IOException {
      String name = "";
      long count = 0;
      int tag;
      while ((tag = context.getReader().readTag()) != 0) {
        switch (tag) {
          case 1 << WireType.TAG_TYPE_NUM_BITS | WireType.WIRETYPE_LENGTH_DELIMITED ->
              name = context.getReader().readString();
          case 2 << WireType.TAG_TYPE_NUM_BITS | WireType.WIRETYPE_VARINT ->
              count = context.getReader().readInt64();
          default -> context.getReader().skipField(tag);
        }
      }
      return new Item(name, count);
    }

    @Override
    public void write(WriteContext context, Item item) throws IOException {
      if (item.count < 0) {
        throw new IOException("the count is negative");
      }
      context.getWriter().writeString(1, item.name);
      context.getWriter().writeInt64(2, item.count);
    }
  }

  private static final class Sides implements EnumMarshaller<Side> {
    @Override
    public Class<Side> getJavaClass() {
      return Side.class;
    }

    @Override
    public String getTypeName() {
      return "shop.Side";
    }

    @Override
    public Side decode(int number) {
      return number == 0 ? Side.BUY : Side.SELL;
    }

    @Override
    public int encode(Side side) {
      return side == Side.BUY ? 0 : 1;
    }
  }

  private static final SerializationContext CONTEXT = context();
  private static final Item PEARS = new Item("pears", 3);

  private final Codec<Item> items = ProtoStreamCodec.of(CONTEXT, Item.class);

  private static SerializationContext context() {
    SerializationContext context = ProtobufUtil.newSerializationContext();
    context.registerProtoFiles(FileDescriptorSource.fromString("shop.proto", SCHEMA));
    context.registerMarshaller(new Items());
    context.registerMarshaller(new Sides());
    return context;
  }

  @Test
  void objectsAreMessagesAndBack() {
    assertThat(HexFormat.of().formatHex(bytes(items, PEARS))).isEqualTo("0a057065617273" + "1003");
    assertThat(back(items, PEARS)).isEqualTo(PEARS);
    assertThat(items.format()).isEqualTo("protobuf shop.Item");
  }

  @Test
  void aMessageIsSmallerThanWithTheMarshallerWhichAddsItsType() {
    Codec<Item> wrapped = MarshallerCodec.of(new ProtoStreamMarshaller(CONTEXT), Item.class);
    assertThat(back(wrapped, PEARS)).isEqualTo(PEARS);
    assertThat(bytes(wrapped, PEARS)).hasSizeGreaterThan(bytes(items, PEARS).length + 9);
  }

  @Test
  void fieldsThatTheClassDoesNotKnowAreLeftOut() {
    byte[] newer = HexFormat.of().parseHex("0a057065617273" + "1003" + "1805");
    assertThat(items.decode(ByteInput.of(newer))).isEqualTo(PEARS);
    assertThat(items.decode(ByteInput.of(new byte[0]))).isEqualTo(new Item("", 0));
  }

  @Test
  void bytesThatAreNoMessageAreRefusedWithTheCause() {
    for (String hex : new String[] {"0a05706561", "0a", "ff", "10ffffffffffffffffffff01"}) {
      byte[] bytes = HexFormat.of().parseHex(hex);
      assertThatThrownBy(() -> items.decode(ByteInput.of(bytes)))
          .as(hex)
          .isInstanceOf(CodecException.class)
          .hasMessageStartingWith(
              "ProtoStream could not read a value of format \"protobuf shop.Item\"")
          .hasCauseInstanceOf(IOException.class);
    }
  }

  @Test
  void whatCannotBeWrittenIsRefusedWithTheCause() {
    assertThatThrownBy(() -> bytes(items, new Item("pears", -1)))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("the count is negative")
        .hasCauseInstanceOf(IOException.class);
  }

  @Test
  void aClassWithoutMarshallerIsRefusedWithWhatToDo() {
    assertThatThrownBy(() -> ProtoStreamCodec.of(CONTEXT, Order.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining(Order.class.getName())
        .hasMessageContaining("register its schema and marshaller");
  }

  @Test
  void anEnumIsNoMessage() {
    assertThatThrownBy(() -> ProtoStreamCodec.of(CONTEXT, Side.class))
        .isInstanceOf(CodecException.class)
        .hasMessageContaining("Codecs.enumeration");
  }

  @Test
  @SuppressWarnings("unchecked") // that is what is tested
  void anObjectOfAnotherClassIsRefusedAsSuch() {
    Codec<Object> unchecked = (Codec<Object>) (Codec<?>) items;
    for (Object other : new Object[] {"text", new PricedItem()}) {
      assertThatThrownBy(() -> bytes(unchecked, other))
          .isInstanceOf(ClassCastException.class)
          .hasMessage(other.getClass().getName() + " is not " + Item.class.getName());
    }
  }

  @Test
  void aComponentOfARecordMayBeAMessage() {
    Codec<Order> orders = Codecs.record(Order.class).with("item", items);
    assertThat(orders.format()).isEqualTo("record Order(number long, item protobuf shop.Item)");
    assertThat(back(orders, new Order(7, PEARS))).isEqualTo(new Order(7, PEARS));
    assertThat(back(orders, new Order(7, null))).isEqualTo(new Order(7, null));
  }

  private static <T> T back(Codec<T> codec, T value) {
    return codec.decode(ByteInput.of(bytes(codec, value)));
  }

  private static <T> byte[] bytes(Codec<T> codec, T value) {
    ByteOutput out = new ByteOutput();
    codec.encode(value, out);
    return out.toByteArray();
  }
}
