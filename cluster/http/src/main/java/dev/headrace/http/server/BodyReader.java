package dev.headrace.http.server;

import dev.headrace.http.exchange.ProblemException;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gathers the body of a request. What it takes is counted together with the bodies of all other
 * requests, until {@link #release}. For one thread.
 */
final class BodyReader {
  private static final byte[] NOTHING = {};

  private final int mostBytes;
  private final long mostOfAll;
  private final AtomicLong ofAll;
  private byte[] bytes = NOTHING;
  private int length;
  private long counted;

  /**
   * @param ofAll the bytes of all bodies
   */
  BodyReader(PortLimits limits, AtomicLong ofAll) {
    this.mostBytes = limits.bodyBytes();
    this.mostOfAll = limits.allBodyBytes();
    this.ofAll = ofAll;
  }

  /**
   * Makes room for a body whose length is known.
   *
   * @throws ProblemException 413 or 503 if it is too long
   */
  void expect(long contentLength) {
    if (contentLength > mostBytes) {
      throw tooLong();
    }
    count(contentLength);
  }

  /**
   * Adds a part.
   *
   * @throws ProblemException 413 or 503 if the body is too long now
   */
  void add(ByteBuf part) {
    int more = part.readableBytes();
    if (more == 0) {
      return;
    }
    if (more > mostBytes - length) {
      throw tooLong();
    }
    if (length + more > bytes.length) {
      long wanted = Math.max(Math.max(length + more, counted), Math.min(2L * length, mostBytes));
      count(wanted - counted);
      bytes = Arrays.copyOf(bytes, (int) wanted);
    }
    part.readBytes(bytes, length, more);
    length += more;
  }

  /** The body as a whole. */
  byte[] body() {
    return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
  }

  /** How many bytes have arrived. */
  int length() {
    return length;
  }

  /** Gives back what was counted. */
  void release() {
    ofAll.addAndGet(-counted);
    counted = 0;
    bytes = NOTHING;
  }

  private void count(long more) {
    if (ofAll.addAndGet(more) > mostOfAll) {
      ofAll.addAndGet(-more);
      throw new ProblemException(
              503, "The node is receiving too much at a time; send it again a little later")
          .with("retry-after", "1");
    }
    counted += more;
  }

  private ProblemException tooLong() {
    return new ProblemException(
        413, "The body of a request may have " + mostBytes + " bytes; send less at a time");
  }
}
