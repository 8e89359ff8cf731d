package dev.headrace.stream.change;

import static dev.headrace.stream.token.TokenText.number;
import static dev.headrace.stream.token.TokenText.putNumber;

import dev.headrace.stream.token.TokenText;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Numbers that are near each other, in as many bits each as their largest distance from the least
 * of them needs (frame of reference). The bytes: the least number, how many bits, and the distances
 * one after the other, the first in the lowest bits. Stateless.
 */
final class PackedNumbers {
  /** What precedes the distances takes at most so much. */
  private static final int HEAD_BYTES = 10;

  private PackedNumbers() {}

  /** The most bytes that so many numbers take. */
  static int maxBytes(int count) {
    return HEAD_BYTES + count * Long.BYTES;
  }

  /** Writes numbers, at least one, none below 0. */
  static void write(ByteBuffer out, long[] numbers) {
    long least = Arrays.stream(numbers).min().orElseThrow();
    long most = Arrays.stream(numbers).max().orElseThrow();
    int width = Long.SIZE - Long.numberOfLeadingZeros(most - least);
    putNumber(out, least);
    putNumber(out, width);
    int start = out.position();
    int bytes = bytes(numbers.length, width);
    out.put(new byte[bytes]);
    long at = (long) start * Byte.SIZE;
    for (long number : numbers) {
      long distance = number - least;
      for (int bit = 0; bit < width; bit++, at++) {
        if (((distance >>> bit) & 1) != 0) {
          int index = (int) (at / Byte.SIZE);
          out.put(index, (byte) (out.get(index) | (1 << (at % Byte.SIZE))));
        }
      }
    }
  }

  /**
   * Reads numbers.
   *
   * @throws dev.headrace.api.error.ResumeTokenException if one of them is too large
   * @throws java.nio.BufferUnderflowException if there are fewer bytes than so many numbers need
   */
  static long[] read(ByteBuffer in, int count) {
    long least = number(in, Long.MAX_VALUE);
    int width = number(in, Long.SIZE - 1);
    byte[] packed = new byte[Math.min(bytes(count, width), in.remaining() + 1)];
    in.get(packed);
    long[] numbers = new long[count];
    long at = 0;
    for (int i = 0; i < count; i++) {
      long distance = 0;
      for (int bit = 0; bit < width; bit++, at++) {
        int set = (packed[(int) (at / Byte.SIZE)] >>> (at % Byte.SIZE)) & 1;
        distance |= (long) set << bit;
      }
      if (distance > Long.MAX_VALUE - least) {
        throw TokenText.damaged("a number is larger than makes sense", null);
      }
      numbers[i] = least + distance;
    }
    return numbers;
  }

  private static int bytes(int count, int width) {
    return Math.toIntExact(((long) count * width + Byte.SIZE - 1) / Byte.SIZE);
  }
}
