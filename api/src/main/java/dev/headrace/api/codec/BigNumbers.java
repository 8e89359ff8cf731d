package dev.headrace.api.codec;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Numbers of any size: the fewest bytes of a two's complement, big-endian; of a decimal number,
 * after its scale in zigzag form. Numbers that fit in a {@code long} take no way through arrays.
 */
final class BigNumbers {
  /** A number of so many digits fits in a {@code long}. */
  private static final int LONG_DIGITS = 18;

  private BigNumbers() {}

  static void write(BigInteger value, ByteOutput out) {
    if (value.bitLength() < Long.SIZE) {
      write(value.longValue(), out);
    } else {
      out.writeBytes(value.toByteArray());
    }
  }

  private static void write(long small, ByteOutput out) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(small ^ (small >> (Long.SIZE - 1)));
    int lengthBytes = bits / Byte.SIZE + 1;
    for (int shift = (lengthBytes - 1) * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      out.writeByte((int) (small >> shift));
    }
  }

  static BigInteger readInteger(ByteInput in) {
    return in.remaining() > Long.BYTES ? readLarge(in) : BigInteger.valueOf(readSmall(in));
  }

  static void write(BigDecimal value, ByteOutput out) {
    int scale = value.scale();
    out.writeVarInt(VariableCodec.zigzag(scale));
    if (value.precision() <= LONG_DIGITS) {
      write(value.scaleByPowerOfTen(scale).longValue(), out); // makes no BigInteger
    } else {
      write(value.unscaledValue(), out);
    }
  }

  static BigDecimal readDecimal(ByteInput in) {
    int scale = VariableCodec.unzigzag(in.readVarInt());
    return in.remaining() > Long.BYTES
        ? new BigDecimal(readLarge(in), scale)
        : BigDecimal.valueOf(readSmall(in), scale);
  }

  private static long readSmall(ByteInput in) {
    int lengthBytes = in.remaining();
    byte first = in.readByte();
    long value = first;
    for (int i = 1; i < lengthBytes; i++) {
      byte next = in.readByte();
      if (i == 1) {
        requireShortest(first, next);
      }
      value = value << Byte.SIZE | (next & 0xFF);
    }
    return value;
  }

  private static BigInteger readLarge(ByteInput in) {
    byte[] bytes = in.readBytes(in.remaining());
    requireShortest(bytes[0], bytes[1]);
    return new BigInteger(bytes);
  }

  /** Otherwise equal numbers could have different bytes. */
  private static void requireShortest(byte first, byte second) {
    if ((first == 0 && second >= 0) || (first == -1 && second < 0)) {
      throw new IllegalArgumentException("A number has more bytes than it needs");
    }
  }
}
