package dev.headrace.api.codec;

import java.time.Instant;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Values that always have the same number of bytes, such as numbers; big-endian. */
final class FixedCodec<T> implements Codec<T> {
  static final FixedCodec<Integer> INT =
      new FixedCodec<>("int", Integer.BYTES, (v, out) -> out.writeInt(v), ByteInput::readInt);
  static final FixedCodec<Long> LONG =
      new FixedCodec<>("long", Long.BYTES, (v, out) -> out.writeLong(v), ByteInput::readLong);
  static final FixedCodec<Short> SHORT =
      new FixedCodec<>("short", Short.BYTES, (v, out) -> out.writeShort(v), ByteInput::readShort);
  static final FixedCodec<Byte> BYTE =
      new FixedCodec<>("byte", Byte.BYTES, (v, out) -> out.writeByte(v), ByteInput::readByte);
  static final FixedCodec<Double> DOUBLE =
      new FixedCodec<>(
          "double", Double.BYTES, (v, out) -> out.writeDouble(v), ByteInput::readDouble);
  static final FixedCodec<Float> FLOAT =
      new FixedCodec<>("float", Float.BYTES, (v, out) -> out.writeFloat(v), ByteInput::readFloat);
  static final FixedCodec<Boolean> BOOLEAN =
      new FixedCodec<>("boolean", 1, (v, out) -> out.writeByte(v ? 1 : 0), FixedCodec::readBoolean);
  static final FixedCodec<Character> CHAR =
      new FixedCodec<>(
          "char",
          Character.BYTES,
          (v, out) -> out.writeShort(v),
          in -> (char) (in.readShort() & 0xFFFF));
  static final FixedCodec<UUID> UUID =
      new FixedCodec<>(
          "uuid", 16, FixedCodec::writeUuid, in -> new UUID(in.readLong(), in.readLong()));
  static final FixedCodec<Instant> INSTANT =
      new FixedCodec<>("instant", 12, FixedCodec::writeInstant, FixedCodec::readInstant);

  private final String format;
  private final int sizeBytes;
  private final BiConsumer<T, ByteOutput> writer;
  private final Function<ByteInput, T> reader;

  private FixedCodec(
      String format,
      int sizeBytes,
      BiConsumer<T, ByteOutput> writer,
      Function<ByteInput, T> reader) {
    this.format = format;
    this.sizeBytes = sizeBytes;
    this.writer = writer;
    this.reader = reader;
  }

  int sizeBytes() {
    return sizeBytes;
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public void encode(T value, ByteOutput out) {
    writer.accept(value, out);
  }

  @Override
  public T decode(ByteInput in) {
    in.requireExactly(sizeBytes, format);
    return reader.apply(in);
  }

  private static boolean readBoolean(ByteInput in) {
    byte value = in.readByte();
    if (value != 0 && value != 1) {
      throw new IllegalArgumentException("A boolean is 0 or 1, but there is " + value);
    }
    return value == 1;
  }

  private static void writeUuid(UUID value, ByteOutput out) {
    out.writeLong(value.getMostSignificantBits());
    out.writeLong(value.getLeastSignificantBits());
  }

  private static void writeInstant(Instant value, ByteOutput out) {
    out.writeLong(value.getEpochSecond());
    out.writeInt(value.getNano());
  }

  private static Instant readInstant(ByteInput in) {
    long seconds = in.readLong();
    int nanos = in.readInt();
    if (seconds < Instant.MIN.getEpochSecond()
        || seconds > Instant.MAX.getEpochSecond()
        || nanos < 0
        || nanos > 999_999_999) {
      throw new IllegalArgumentException(
          "There is no instant with " + seconds + " s and " + nanos + " ns");
    }
    return Instant.ofEpochSecond(seconds, nanos);
  }
}
