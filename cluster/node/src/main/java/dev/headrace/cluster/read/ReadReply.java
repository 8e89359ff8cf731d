package dev.headrace.cluster.read;

import dev.headrace.stream.batch.SegmentPart;
import java.nio.ByteBuffer;
import java.util.List;

/** Where a {@link ReadService} puts its answer to one request. Used by one thread at a time. */
public interface ReadReply {

  /**
   * The direct buffer that the entries are copied into, from position 0 on; big-endian. It is the
   * memory that the answer leaves from. Asking again gives another one and makes the first invalid.
   *
   * @param capacityBytes how much room is wanted; no more than the request's {@code maxBytes} is
   *     given; up to about 8 MB it comes from a pool
   */
  ByteBuffer entries(int capacityBytes);

  /**
   * Sends the answer: the entries up to the buffer's position, and how each segment goes on.
   *
   * @param epoch the version of the segment table that the node answered with
   * @param parts in the order of the request's segments; copied
   * @param entryBytes the next entry's size if the last part says that it is too large, else 0
   * @throws IllegalStateException if the request was answered before
   */
  void answer(long epoch, List<SegmentPart> parts, long entryBytes);

  /**
   * Says that there will be no answer.
   *
   * @param reason what to tell whoever asked
   * @throws IllegalStateException if the request was answered before
   */
  void fail(String reason);
}
