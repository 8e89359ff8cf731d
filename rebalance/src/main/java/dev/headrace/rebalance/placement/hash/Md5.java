package dev.headrace.rebalance.placement.hash;

import static java.lang.Integer.rotateLeft;

/**
 * MD5 of messages in buffers with room for the padding, of whose digest the first 32 bits are
 * wanted.
 *
 * <p>The JDK's takes as long for the 64 steps of a block, and a fifth of its time for what it does
 * beside them. In a step the operands that the step before made come last, and the constants come
 * from an array: the compiler would put literals last.
 *
 * <p>Source: RFC 1321.
 */
final class Md5 {
  private static final int BLOCK_BYTES = 64;
  private static final int LENGTH_BYTES = 8;

  /** How many bytes there must be behind a message. */
  static final int PADDING_BYTES = BLOCK_BYTES + LENGTH_BYTES;

  /** The whole part of 2^32 times the sine of each step. */
  private static final int[] K = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee,
    0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
    0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa,
    0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
    0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
    0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05,
    0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039,
    0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
    0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391
  };

  private Md5() {}

  /**
   * The first four bytes of the digest as a number, the lowest first.
   *
   * @param message the message, which the padding is written behind
   */
  static int first32(byte[] message, int length) {
    int end = (length + LENGTH_BYTES) / BLOCK_BYTES * BLOCK_BYTES + BLOCK_BYTES;
    message[length] = (byte) 0x80;
    Words.putInt64(message, length + 1, 0);
    for (int at = (length + Long.BYTES) & -Long.BYTES; at < end; at += Long.BYTES) {
      Words.putInt64(message, at, 0);
    }
    Words.putInt64(message, end - LENGTH_BYTES, (long) length * Byte.SIZE);
    return compress(message, end);
  }

  /** One method, so that the state stays in registers. */
  // checkstyle: off MethodLength because of that
  private static int compress(byte[] message, int end) {
    int a = 0x67452301;
    int b = 0xefcdab89;
    int c = 0x98badcfe;
    int d = 0x10325476;
    for (int at = 0; at < end; at += BLOCK_BYTES) {
      final int oldA = a;
      final int oldB = b;
      final int oldC = c;
      final int oldD = d;
      int x0 = Words.int32(message, at + 0);
      int x1 = Words.int32(message, at + 4);
      int x2 = Words.int32(message, at + 8);
      int x3 = Words.int32(message, at + 12);
      int x4 = Words.int32(message, at + 16);
      int x5 = Words.int32(message, at + 20);
      int x6 = Words.int32(message, at + 24);
      int x7 = Words.int32(message, at + 28);
      int x8 = Words.int32(message, at + 32);
      int x9 = Words.int32(message, at + 36);
      int xa = Words.int32(message, at + 40);
      int xb = Words.int32(message, at + 44);
      int xc = Words.int32(message, at + 48);
      int xd = Words.int32(message, at + 52);
      int xe = Words.int32(message, at + 56);
      int xf = Words.int32(message, at + 60);

      a = f(a, b, c, d, x0 + K[0], 7);
      d = f(d, a, b, c, x1 + K[1], 12);
      c = f(c, d, a, b, x2 + K[2], 17);
      b = f(b, c, d, a, x3 + K[3], 22);
      a = f(a, b, c, d, x4 + K[4], 7);
      d = f(d, a, b, c, x5 + K[5], 12);
      c = f(c, d, a, b, x6 + K[6], 17);
      b = f(b, c, d, a, x7 + K[7], 22);
      a = f(a, b, c, d, x8 + K[8], 7);
      d = f(d, a, b, c, x9 + K[9], 12);
      c = f(c, d, a, b, xa + K[10], 17);
      b = f(b, c, d, a, xb + K[11], 22);
      a = f(a, b, c, d, xc + K[12], 7);
      d = f(d, a, b, c, xd + K[13], 12);
      c = f(c, d, a, b, xe + K[14], 17);
      b = f(b, c, d, a, xf + K[15], 22);

      a = g(a, b, c, d, x1 + K[16], 5);
      d = g(d, a, b, c, x6 + K[17], 9);
      c = g(c, d, a, b, xb + K[18], 14);
      b = g(b, c, d, a, x0 + K[19], 20);
      a = g(a, b, c, d, x5 + K[20], 5);
      d = g(d, a, b, c, xa + K[21], 9);
      c = g(c, d, a, b, xf + K[22], 14);
      b = g(b, c, d, a, x4 + K[23], 20);
      a = g(a, b, c, d, x9 + K[24], 5);
      d = g(d, a, b, c, xe + K[25], 9);
      c = g(c, d, a, b, x3 + K[26], 14);
      b = g(b, c, d, a, x8 + K[27], 20);
      a = g(a, b, c, d, xd + K[28], 5);
      d = g(d, a, b, c, x2 + K[29], 9);
      c = g(c, d, a, b, x7 + K[30], 14);
      b = g(b, c, d, a, xc + K[31], 20);

      a = h(a, b, c, d, x5 + K[32], 4);
      d = h(d, a, b, c, x8 + K[33], 11);
      c = h(c, d, a, b, xb + K[34], 16);
      b = h(b, c, d, a, xe + K[35], 23);
      a = h(a, b, c, d, x1 + K[36], 4);
      d = h(d, a, b, c, x4 + K[37], 11);
      c = h(c, d, a, b, x7 + K[38], 16);
      b = h(b, c, d, a, xa + K[39], 23);
      a = h(a, b, c, d, xd + K[40], 4);
      d = h(d, a, b, c, x0 + K[41], 11);
      c = h(c, d, a, b, x3 + K[42], 16);
      b = h(b, c, d, a, x6 + K[43], 23);
      a = h(a, b, c, d, x9 + K[44], 4);
      d = h(d, a, b, c, xc + K[45], 11);
      c = h(c, d, a, b, xf + K[46], 16);
      b = h(b, c, d, a, x2 + K[47], 23);

      a = i(a, b, c, d, x0 + K[48], 6);
      d = i(d, a, b, c, x7 + K[49], 10);
      c = i(c, d, a, b, xe + K[50], 15);
      b = i(b, c, d, a, x5 + K[51], 21);
      a = i(a, b, c, d, xc + K[52], 6);
      d = i(d, a, b, c, x3 + K[53], 10);
      c = i(c, d, a, b, xa + K[54], 15);
      b = i(b, c, d, a, x1 + K[55], 21);
      a = i(a, b, c, d, x8 + K[56], 6);
      d = i(d, a, b, c, xf + K[57], 10);
      c = i(c, d, a, b, x6 + K[58], 15);
      b = i(b, c, d, a, xd + K[59], 21);
      a = i(a, b, c, d, x4 + K[60], 6);
      d = i(d, a, b, c, xb + K[61], 10);
      c = i(c, d, a, b, x2 + K[62], 15);
      b = i(b, c, d, a, x9 + K[63], 21);

      a += oldA;
      b += oldB;
      c += oldC;
      d += oldD;
    }
    return a;
  }

  private static int f(int a, int b, int c, int d, int x, int shift) {
    return rotateLeft(a + x + (d ^ (b & (c ^ d))), shift) + b;
  }

  private static int g(int a, int b, int c, int d, int x, int shift) {
    return rotateLeft(a + x + (c & ~d) + (b & d), shift) + b;
  }

  private static int h(int a, int b, int c, int d, int x, int shift) {
    return rotateLeft(a + x + (b ^ (c ^ d)), shift) + b;
  }

  private static int i(int a, int b, int c, int d, int x, int shift) {
    return rotateLeft(a + x + (c ^ (b | ~d)), shift) + b;
  }
}
