package dev.headrace.replication.message;

import dev.headrace.stream.NodeId;

/**
 * What makes an operation recognisable when it is sent again.
 *
 * <p>An attempt is sent once, and the transport delivers it once at most. So an attempt that was
 * refused is never carried out, and an operation all of whose attempts were refused has had no
 * effect. Nobody keeps refusals: over a transport that doubled frames, the second copy of a refused
 * attempt could be carried out after its caller was told that nothing was written.
 *
 * @param caller the node that asks
 * @param sequence the caller's number for the operation, from 1
 * @param oldestOutstanding the smallest number whose result the caller still waits for; results
 *     below it may be forgotten
 * @param attempt how often the operation had been sent with this one, so that a refusal says which
 *     attempt was not carried out; 0 where it does not matter
 */
public record OperationId(NodeId caller, long sequence, long oldestOutstanding, int attempt) {
  /** A number's lowest bits tell the share of the segments that it is of. */
  public static final int SHARE_BITS = 10;

  /** A segment's share is its number modulo this. Each share has its own order of numbers. */
  public static final int SHARES = 1 << SHARE_BITS;

  /** Of a mutation without a caller, such as the removal of an expired entry. */
  public static final OperationId NONE = new OperationId(new NodeId(0, 0), 0, 0);

  /** Of an operation that can no longer be refused. */
  public OperationId(NodeId caller, long sequence, long oldestOutstanding) {
    this(caller, sequence, oldestOutstanding, 0);
  }

  /** The share of a segment, or that of an operation's number. */
  public static int share(long segmentOrNumber) {
    return (int) segmentOrNumber & (SHARES - 1);
  }

  /** Whether this is an attempt of the same operation. */
  public boolean isSameOperation(OperationId other) {
    return sequence == other.sequence && caller.equals(other.caller);
  }

  /** Whether no caller waits for this. */
  public boolean isNone() {
    return sequence == 0;
  }
}
