package dev.headrace.rebalance.placement.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads and writes numbers in arrays of bytes, the lowest byte first. */
final class Words {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Words() {}

  static int int32(byte[] bytes, int at) {
    return (int) INT.get(bytes, at);
  }

  static long int64(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  static void putInt64(byte[] bytes, int at, long value) {
    LONG.set(bytes, at, value);
  }

  /** The number that up to eight bytes give, 0 if there are none. */
  static long upTo64(byte[] bytes, int at, int length) {
    long word = 0;
    for (int i = length - 1; i >= 0; i--) {
      word = (word << Byte.SIZE) | (bytes[at + i] & 0xff);
    }
    return word;
  }
}
