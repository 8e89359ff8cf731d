package dev.headrace.cluster.membership.socket;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.Set;
import javax.net.ssl.SSLException;

/**
 * The input of a connection: first what was read before the peer was known, then what arrives. It
 * waits without a limit between frames, and with one inside a frame. Used by one thread.
 */
final class PeerInput extends InputStream {
  private final byte[] head;
  private final InputStream in;
  private final Set<Thread> inFrame;
  private int headAt;

  PeerInput(byte[] head, InputStream in, Set<Thread> inFrame) {
    this.head = head;
    this.in = in;
    this.inFrame = inFrame;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (headAt < head.length) {
      int count = Math.min(length, head.length - headAt);
      System.arraycopy(head, headAt, bytes, offset, count);
      headAt += count;
      return count;
    }
    while (true) {
      try {
        return in.read(bytes, offset, length);
      } catch (SocketTimeoutException e) {
        if (inFrame.contains(Thread.currentThread())) {
          throw new IOException("the rest of a frame does not arrive", e);
        }
      } catch (SSLException e) {
        return end(e);
      }
    }
  }

  /**
   * Returns the end of the stream if TLS ended without its closing message: frames have lengths, so
   * that a cut frame is noticed anyway.
   */
  private static int end(SSLException cause) throws SSLException {
    if (String.valueOf(cause.getMessage()).contains("close_notify")) {
      return -1;
    }
    throw cause;
  }

  @Override
  public int available() throws IOException {
    return headAt < head.length ? head.length - headAt : in.available();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
