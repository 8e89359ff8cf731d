package dev.headrace.cluster.wire.codec;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Appends the fields of a body to a buffer; the counterpart of {@link WireInput}. Stateless. */
public final class WireOutput {
  /** The form of {@link Cursor#START}, the most frequent cursor of a stream. */
  static final int START = 0;

  /** The bytes of a node's identity. */
  static final int NODE_ID_BYTES = 16;

  private WireOutput() {}

  /** The most bytes of a text and its length. */
  public static int boundOfName(String name) {
    return 5 + ByteBufUtil.utf8MaxBytes(name);
  }

  /** The most bytes of an array and its length. */
  public static int boundOf(byte @Nullable [] bytes) {
    return 5 + (bytes == null ? 0 : bytes.length);
  }

  /** Appends one byte, 0 or 1. */
  public static void writeBoolean(ByteBuf out, boolean value) {
    out.writeByte(value ? 1 : 0);
  }

  /** Appends a number in 1 to 5 bytes; small ones are short, negative ones take 5. */
  public static void writeVarInt(ByteBuf out, int value) {
    int rest = value;
    while ((rest & ~0x7f) != 0) {
      out.writeByte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.writeByte(rest);
  }

  /** Appends a number in 1 to 10 bytes; small ones are short, negative ones take 10. */
  public static void writeVarLong(ByteBuf out, long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.writeByte((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.writeByte((int) rest);
  }

  /** Appends an enumeration's constant. */
  @SuppressWarnings("EnumOrdinal") // The ordinals are sent, as the enumerations say.
  public static void writeConstant(ByteBuf out, Enum<?> constant) {
    out.writeByte(constant.ordinal());
  }

  /** Appends a length and the bytes. */
  public static void writeBytes(ByteBuf out, byte[] bytes) {
    writeVarInt(out, bytes.length);
    out.writeBytes(bytes);
  }

  /** Appends 0 for null, else the length and one, and the bytes. */
  public static void writeNullableBytes(ByteBuf out, byte @Nullable [] bytes) {
    if (bytes == null) {
      out.writeByte(0);
    } else {
      writeVarLong(out, bytes.length + 1L);
      out.writeBytes(bytes);
    }
  }

  /** Appends a text with the length of its UTF-8 form. */
  public static void writeName(ByteBuf out, String name) {
    writeVarInt(out, ByteBufUtil.utf8Bytes(name));
    ByteBufUtil.writeUtf8(out, name);
  }

  /** Appends the number of elements, then each of them. */
  public static <T> void writeList(ByteBuf out, List<T> list, BiConsumer<T, ByteBuf> element) {
    writeVarInt(out, list.size());
    for (int i = 0; i < list.size(); i++) {
      element.accept(list.get(i), out);
    }
  }

  /** The most bytes that {@link #writeList} appends. */
  public static <T> long boundOfList(List<T> list, ToLongFunction<T> element) {
    long bytes = 5;
    for (int i = 0; i < list.size(); i++) {
      bytes += element.applyAsLong(list.get(i));
    }
    return bytes;
  }

  /** Appends a value that has a form of its own, which contains its length. */
  public static void writeForm(ByteBuf out, int bytes, Consumer<ByteBuffer> form) {
    out.ensureWritable(bytes);
    int start = out.writerIndex();
    ByteBuffer room = out.nioBuffer(start, bytes);
    form.accept(room);
    out.writerIndex(start + room.position());
  }

  /** Appends a cursor. */
  public static void writeCursor(ByteBuf out, Cursor cursor) {
    if (cursor.isStart()) {
      out.writeByte(START);
      return;
    }
    writeForm(out, cursor.encodedBytes(), cursor::write);
  }

  /** Appends a node's identity in 16 bytes. */
  public static void writeNodeId(ByteBuf out, NodeId node) {
    out.writeLong(node.high()).writeLong(node.low());
  }
}
