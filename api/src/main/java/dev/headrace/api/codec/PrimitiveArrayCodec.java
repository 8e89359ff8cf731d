package dev.headrace.api.codec;

import java.util.function.BiConsumer;

/** Arrays of a primitive type: the bytes of its values, one after the other. */
final class PrimitiveArrayCodec<A> implements Codec<A> {
  static final PrimitiveArrayCodec<int[]> INTS =
      new PrimitiveArrayCodec<>(
          FixedCodec.INT,
          (values, out) -> {
            for (int value : values) {
              out.writeInt(value);
            }
          },
          (in, count) -> {
            int[] values = new int[count];
            for (int i = 0; i < count; i++) {
              values[i] = in.readInt();
            }
            return values;
          });
  static final PrimitiveArrayCodec<long[]> LONGS =
      new PrimitiveArrayCodec<>(
          FixedCodec.LONG,
          (values, out) -> {
            for (long value : values) {
              out.writeLong(value);
            }
          },
          (in, count) -> {
            long[] values = new long[count];
            for (int i = 0; i < count; i++) {
              values[i] = in.readLong();
            }
            return values;
          });
  static final PrimitiveArrayCodec<short[]> SHORTS =
      new PrimitiveArrayCodec<>(
          FixedCodec.SHORT,
          (values, out) -> {
            for (short value : values) {
              out.writeShort(value);
            }
          },
          (in, count) -> {
            short[] values = new short[count];
            for (int i = 0; i < count; i++) {
              values[i] = in.readShort();
            }
            return values;
          });
  static final PrimitiveArrayCodec<char[]> CHARS =
      new PrimitiveArrayCodec<>(
          FixedCodec.CHAR,
          (values, out) -> {
            for (char value : values) {
              out.writeShort(value);
            }
          },
          (in, count) -> {
            char[] values = new char[count];
            for (int i = 0; i < count; i++) {
              values[i] = (char) (in.readShort() & 0xFFFF);
            }
            return values;
          });
  static final PrimitiveArrayCodec<double[]> DOUBLES =
      new PrimitiveArrayCodec<>(
          FixedCodec.DOUBLE,
          (values, out) -> {
            for (double value : values) {
              out.writeDouble(value);
            }
          },
          (in, count) -> {
            double[] values = new double[count];
            for (int i = 0; i < count; i++) {
              values[i] = in.readDouble();
            }
            return values;
          });
  static final PrimitiveArrayCodec<float[]> FLOATS =
      new PrimitiveArrayCodec<>(
          FixedCodec.FLOAT,
          (values, out) -> {
            for (float value : values) {
              out.writeFloat(value);
            }
          },
          (in, count) -> {
            float[] values = new float[count];
            for (int i = 0; i < count; i++) {
              values[i] = in.readFloat();
            }
            return values;
          });
  static final PrimitiveArrayCodec<boolean[]> BOOLEANS =
      new PrimitiveArrayCodec<>(
          FixedCodec.BOOLEAN,
          (values, out) -> {
            for (boolean value : values) {
              out.writeByte(value ? 1 : 0);
            }
          },
          (in, count) -> {
            boolean[] values = new boolean[count];
            for (int i = 0; i < count; i++) {
              values[i] = FixedCodec.readBoolean(in);
            }
            return values;
          });

  /** Reads so many values. */
  private interface Reader<A> {
    A read(ByteInput in, int count);
  }

  private final String format;
  private final int sizeBytes;
  private final BiConsumer<A, ByteOutput> writer;
  private final Reader<A> reader;

  private PrimitiveArrayCodec(
      FixedCodec<?> element, BiConsumer<A, ByteOutput> writer, Reader<A> reader) {
    this.format = "array(" + element.format() + ")";
    this.sizeBytes = element.sizeBytes();
    this.writer = writer;
    this.reader = reader;
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public void encode(A value, ByteOutput out) {
    writer.accept(value, out);
  }

  @Override
  public A decode(ByteInput in) {
    int rest = in.remaining() % sizeBytes;
    if (rest != 0) {
      throw new IllegalArgumentException(
          "A value of format \"%s\" ends early: %d bytes are left over".formatted(format, rest));
    }
    return reader.read(in, in.remaining() / sizeBytes);
  }
}
