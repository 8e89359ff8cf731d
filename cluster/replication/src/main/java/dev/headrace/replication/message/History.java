package dev.headrace.replication.message;

import java.util.List;

/**
 * The answer of an owner, or of a former one, to {@link HistoryRequest}. Having sent it, it accepts
 * nothing of an older segment epoch, and a former owner serves nobody.
 *
 * @param format a hash of the formats of keys and values as the owner knows it, 0 for any
 * @param sequence the last mutation that the owner has
 * @param term the term of that mutation, 0 if there is none
 * @param servedTerm the newest term of which the sender knows that its primary served: who was no
 *     owner any more then needs not be heard again; 0 if there is none
 * @param standing what the owner has
 * @param pastOwners the owners before the present ones, latest first, as far back as the sender
 *     knows every change of them; none if the sender has everything, for then nobody asks
 * @param afterTerm the term of the mutation named by the request, -1 if it is not known any more
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
    long term,
    long servedTerm,
    Standing standing,
    List<PastOwners> pastOwners,
    long afterTerm,
    List<Mutation> mutations)
    implements SegmentMessage {
  /** The most mutations in one message. */
  public static final int MAX_MUTATIONS = 1024;

  public History {
    pastOwners = List.copyOf(pastOwners);
    mutations = List.copyOf(mutations);
  }
}
