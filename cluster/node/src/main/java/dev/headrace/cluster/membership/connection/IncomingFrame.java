package dev.headrace.cluster.membership.connection;

import java.io.DataInput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Reads a frame into a buffer that grows with what has arrived, whatever length the frame claims.
 */
final class IncomingFrame {
  /** The first buffer of a longer frame. */
  static final int STEP_BYTES = 8 << 10;

  private IncomingFrame() {}

  /**
   * Blocks until the frame has arrived.
   *
   * @throws IOException if the length is negative, or the connection ends before
   */
  static byte[] read(DataInput in, int lengthBytes) throws IOException {
    if (lengthBytes < 0) {
      throw new IOException("A frame claims a length of " + lengthBytes);
    }
    byte[] frame = new byte[Math.min(lengthBytes, STEP_BYTES)];
    int arrived = 0;
    while (true) {
      in.readFully(frame, arrived, frame.length - arrived);
      if (frame.length == lengthBytes) {
        return frame;
      }
      arrived = frame.length;
      frame = Arrays.copyOf(frame, (int) Math.min(lengthBytes, 2L * arrived));
    }
  }
}
