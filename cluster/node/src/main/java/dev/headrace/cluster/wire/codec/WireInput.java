package dev.headrace.cluster.wire.codec;

import dev.headrace.api.error.WireException;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a body and trusts none of them: every length and count is compared with the
 * remaining bytes before anything is allocated.
 *
 * <p>Reusable and not thread-safe. It keeps the last name that it has read, since most messages of
 * a connection are about one cache.
 */
public final class WireInput {
  private static final byte[] NO_BYTES = {};

  private @Nullable ByteBuf in;
  private byte[] lastNameBytes = NO_BYTES;
  private String lastName = "";
  private final SegmentHead head = new SegmentHead();

  /** Starts at the buffer's reader index and ends at its writer index. */
  public WireInput over(ByteBuf body) {
    in = body;
    return this;
  }

  /** The number of bytes that are left. */
  public int remaining() {
    return buffer().readableBytes();
  }

  /**
   * Checks that no bytes are left.
   *
   * @throws WireException if bytes are left
   */
  public void end() {
    if (remaining() > 0) {
      throw damaged(remaining() + " bytes follow its end");
    }
    in = null;
  }

  /** Reads one byte. */
  public byte readByte() {
    need(1);
    return buffer().readByte();
  }

  /** Reads a byte that must be 0 or 1. */
  public boolean readBoolean() {
    byte value = readByte();
    if (value != 0 && value != 1) {
      throw damaged("a truth value is " + value);
    }
    return value == 1;
  }

  /** Reads 4 bytes. */
  public int readInt() {
    need(Integer.BYTES);
    return buffer().readInt();
  }

  /** Reads 8 bytes. */
  public long readLong() {
    need(Long.BYTES);
    return buffer().readLong();
  }

  /** Reads a number of 1 to 5 bytes. */
  public int readVarInt() {
    long value = readVarLong();
    if (value >>> 32 != 0) {
      throw damaged("a number of 32 bits is " + Long.toUnsignedString(value));
    }
    return (int) value;
  }

  /** Reads a number of 1 to 10 bytes. */
  public long readVarLong() {
    ByteBuf from = buffer();
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      need(1);
      byte group = from.readByte();
      value |= (long) (group & 0x7f) << shift;
      if (group >= 0) {
        if (shift == 63 && group > 1) {
          break;
        }
        return value;
      }
    }
    throw damaged("a number is longer than 64 bits");
  }

  /**
   * Reads the number of elements that follow.
   *
   * @param limit the most elements that are allowed
   * @param leastBytes the fewest bytes of one element
   * @throws WireException if there are more, or if they cannot fit into the bytes that are left
   */
  public int readCount(int limit, int leastBytes) {
    int count = readVarInt();
    if (count < 0 || count > limit || (long) count * leastBytes > remaining()) {
      throw damaged(
          "it claims %s elements, but %d are allowed and %d bytes are left"
              .formatted(Integer.toUnsignedString(count), limit, remaining()));
    }
    return count;
  }

  /**
   * Reads a list that {@link WireOutput#writeList} wrote.
   *
   * @param limit the most elements that are allowed
   * @param leastBytes the fewest bytes of one element
   * @param element reads one element
   */
  public <T> List<T> readList(int limit, int leastBytes, Function<WireInput, T> element) {
    int count = readCount(limit, leastBytes);
    List<T> list = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      list.add(element.apply(this));
    }
    return list;
  }

  /** Reads a value that has a form of its own, which contains its length. */
  public <T> T readForm(Function<ByteBuffer, T> form) {
    ByteBuf from = buffer();
    ByteBuffer bytes = from.nioBuffer();
    T read = form.apply(bytes);
    from.skipBytes(bytes.position());
    return read;
  }

  /** Reads a cursor that {@link WireOutput#writeCursor} wrote. */
  public Cursor readCursor() {
    ByteBuf from = buffer();
    if (from.isReadable() && from.getByte(from.readerIndex()) == WireOutput.START) {
      from.skipBytes(1);
      return Cursor.START;
    }
    return readForm(Cursor::read);
  }

  /** Reads the ordinal of an enumeration and returns its constant. */
  public <T> T readConstant(T[] constants) {
    int ordinal = readByte() & 0xff;
    if (ordinal >= constants.length) {
      throw damaged(
          "constant %d of %s is unknown"
              .formatted(ordinal, constants.getClass().getComponentType().getSimpleName()));
    }
    return constants[ordinal];
  }

  /** Reads a length and that many bytes. */
  public byte[] readBytes() {
    return bytes(readCount(Integer.MAX_VALUE, 1));
  }

  /** Reads this many bytes; both sides know their number. */
  public byte[] readRaw(int length) {
    if (length > remaining()) {
      throw damaged("%d bytes are needed, but only %d are left".formatted(length, remaining()));
    }
    return bytes(length);
  }

  /** Reads bytes, or null, that {@link WireOutput#writeNullableBytes} wrote. */
  public byte @Nullable [] readNullableBytes() {
    long lengthAndOne = readVarLong();
    if (lengthAndOne == 0) {
      return null;
    }
    long length = lengthAndOne - 1;
    if (length < 0 || length > remaining()) {
      throw damaged(
          "it claims %s bytes, but only %d are left"
              .formatted(Long.toUnsignedString(length), remaining()));
    }
    return bytes((int) length);
  }

  /** Reads a text. Equal texts in a row are returned as the same object. */
  public String readName() {
    int length = readCount(Integer.MAX_VALUE, 1);
    if (length == lastNameBytes.length && isLastName(length)) {
      buffer().skipBytes(length);
      return lastName;
    }
    lastNameBytes = bytes(length);
    lastName = new String(lastNameBytes, StandardCharsets.UTF_8);
    return lastName;
  }

  /**
   * Reads the beginning of a message about a segment. The result is valid until the next one is
   * read.
   */
  SegmentHead readHead() {
    return head.read(this);
  }

  /** Reads a node's identity. */
  public NodeId readNodeId() {
    return new NodeId(readLong(), readLong());
  }

  /** Makes the exception for malformed bytes. */
  public WireException damaged(String how) {
    return new WireException("a body is damaged: " + how);
  }

  ByteBuf buffer() {
    if (in == null) {
      throw new IllegalStateException("There is nothing to read: over() was not called");
    }
    return in;
  }

  private boolean isLastName(int length) {
    ByteBuf from = buffer();
    int start = from.readerIndex();
    for (int i = 0; i < length; i++) {
      if (from.getByte(start + i) != lastNameBytes[i]) {
        return false;
      }
    }
    return true;
  }

  private byte[] bytes(int length) {
    if (length == 0) {
      return NO_BYTES;
    }
    byte[] bytes = new byte[length];
    buffer().readBytes(bytes);
    return bytes;
  }

  private void need(int bytes) {
    if (remaining() < bytes) {
      throw damaged("%d bytes are needed, but only %d are left".formatted(bytes, remaining()));
    }
  }

  @Override
  public String toString() {
    return "WireInput(" + in + ", " + Arrays.toString(lastNameBytes) + ")";
  }
}
