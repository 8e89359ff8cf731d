package dev.headrace.benchmarks.http.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Random;

/** The bytes of requests by their numbers, and what is to be answered. Immutable. */
final class EntityRequests {
  private static final int KEY_DIGITS = 8;
  private static final int SEED = 17;

  private final LoadPlan.Work work;
  private final byte[] before;
  private final byte[] after;

  EntityRequests(LoadPlan.Work work) {
    this.work = work;
    before = (work.method() + " /v0/entity?id=").getBytes(US_ASCII);
    String line = work.query() + " HTTP/1.1\r\nhost: localhost\r\n";
    String body =
        work.put() ? "content-length: " + work.valueBytes() + "\r\n\r\n" + value() : "\r\n";
    after = (line + body).getBytes(US_ASCII);
  }

  private String value() {
    Random random = new Random(SEED);
    StringBuilder value = new StringBuilder();
    for (int i = 0; i < work.valueBytes(); i++) {
      value.append((char) ('a' + random.nextInt(26)));
    }
    return value.toString();
  }

  /** The request of a number. */
  ByteBuf render(ByteBufAllocator buffers, long number) {
    ByteBuf request = buffers.buffer(before.length + 1 + KEY_DIGITS + after.length);
    request.writeBytes(before);
    request.writeByte(isHit(number) ? 'k' : 'x'); // nobody writes an x
    long left = key(number);
    int begin = request.writerIndex();
    for (int i = KEY_DIGITS - 1; i >= 0; i--) {
      request.setByte(begin + i, (byte) ('0' + left % 10));
      left /= 10;
    }
    request.writerIndex(begin + KEY_DIGITS);
    return request.writeBytes(after);
  }

  /** Whether the answer to a request is as it has to be. */
  boolean isExpected(long number, int status, long bodyBytes) {
    if (work.put()) {
      return status == 201;
    }
    return isHit(number) ? status == 200 && bodyBytes == work.valueBytes() : status == 404;
  }

  private long key(long number) {
    return (work.inTurn() ? number : mixed(number) >>> 1) % work.keys();
  }

  private boolean isHit(long number) {
    return work.put() || (mixed(~number) >>> 1) % 100 < work.hitPercent();
  }

  /** The last step of SplitMix64, which spreads numbers that follow each other. */
  private static long mixed(long number) {
    long bits = (number + 1) * 0x9E3779B97F4A7C15L;
    bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
    return bits ^ (bits >>> 31);
  }
}
