package dev.headrace.cluster.membership;

import com.sun.management.ThreadMXBean;
import dev.headrace.cluster.membership.connection.FrameFilter;
import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import org.jgroups.Message;
import org.jgroups.MessageFactory;
import org.jgroups.protocols.TP;
import org.jgroups.util.Util;

/** Any bytes as a frame of the membership port: refused, or parsed without surprises. */
public final class MembershipPortFuzz {
  private static final int FRONT_BYTES = 3;
  private static final long MOST_BYTES = 4 << 20;

  private MembershipPortFuzz() {}

  /** Called by Jazzer with each input. */
  public static void fuzzerTestOneInput(byte[] frame) throws Exception {
    if (allocated(frame) > MOST_BYTES) { // perhaps by loading classes
      long again = allocated(frame);
      if (again > MOST_BYTES) {
        throw new AssertionError(frame.length + " bytes made room for " + again);
      }
    }
  }

  private static long allocated(byte[] frame) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    try {
      FrameFilter.checkFrame(frame);
      parse(frame);
    } catch (IOException e) {
      return threads.getCurrentThreadAllocatedBytes() - before; // refused
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  /** As JGroups does with what has passed. */
  private static void parse(byte[] frame) throws Exception {
    DataInput in =
        new DataInputStream(
            new ByteArrayInputStream(frame, FRONT_BYTES, frame.length - FRONT_BYTES));
    if ((frame[2] & TP.LIST) != 0) {
      Util.readMessageBatch(in, (frame[2] & TP.MULTICAST) != 0);
    } else {
      Message message = MessageFactory.create(in.readShort());
      message.readFrom(in);
    }
  }
}
