package dev.headrace.rebalance.message;

import java.util.List;

/**
 * An owner's answer to {@link HistoryRequest}. Having sent it, the owner accepts nothing of an
 * older segment epoch.
 *
 * @param cache the cache's name
 * @param format a hash of the formats of keys and values as the owner knows it, 0 for any
 * @param segment the segment
 * @param epoch the epoch of the owner's table
 * @param segmentEpoch the epoch at which the segment's owners last changed
 * @param sequence the last mutation that the owner has
 * @param mutations those behind the request's sequence, in order without gaps; perhaps not all,
 *     then the rest is asked for again
 */
public record History(
    String cache,
    int format,
    int segment,
    long epoch,
    long segmentEpoch,
    long sequence,
    List<Mutation> mutations)
    implements Message {

  /** The most mutations in one message. */
  public static final int MAX_MUTATIONS = 1024;

  /** Copies the list. */
  public History {
    mutations = List.copyOf(mutations);
  }
}
