package dev.headrace.cluster.read;

import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.SegmentPart;
import java.nio.ByteBuffer;
import java.util.List;

/** Takes a {@link ReadService}'s answer to one request. Used by one thread at a time. */
public interface ReadReply {

  /**
   * Allocates the direct buffer into which the entries are copied, from position 0; big-endian. The
   * answer is sent from this memory. Another call returns another buffer and invalidates the first
   * one.
   *
   * @param capacityBytes the wanted size, limited to the request's {@code maxBytes}; up to about 8
   *     MB come from a pool
   */
  ByteBuffer entries(int capacityBytes);

  /**
   * Sends the answer: the entries up to the buffer's position, and how to continue each segment.
   *
   * @param epoch the version of the segment table that the node answered with
   * @param parts in the order of the request's segments; copied
   * @param entryBytes the next entry's size if the last part says that it is too large, else 0
   * @param sequence the last mutation that the entries may contain, or {@link Batch#NO_SEQUENCE}
   * @throws IllegalStateException if the request was answered before
   */
  void answer(long epoch, List<SegmentPart> parts, long entryBytes, long sequence);

  /**
   * Fails the request.
   *
   * @param reason the reason that the requester gets
   * @throws IllegalStateException if the request was answered before
   */
  void fail(String reason);
}
