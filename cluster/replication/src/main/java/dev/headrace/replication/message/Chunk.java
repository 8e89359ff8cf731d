package dev.headrace.replication.message;

import dev.headrace.stream.entry.Cursor;
import java.util.List;

/**
 * A primary hands a learner the entries of a range of positions, as they are behind one mutation of
 * the segment's history. The chunk <i>replaces</i> its range: what the learner has in it and the
 * chunk has not is gone.
 *
 * @param format a hash of the formats of keys and values, 0 for any
 * @param copyNumber the primary's number for this copy; of one term, a greater one discards a
 *     smaller one
 * @param number the chunk's number in the copy, from 1
 * @param sequence the last mutation that the entries contain
 * @param term the term of that mutation, 0 if there is none
 * @param from where the range begins: behind this
 * @param to where it ends; meaningless in the last chunk, whose range has no end
 * @param last whether nothing follows
 * @param entries the entries, in order, as a batch
 * @param results what callers may still ask for; only with the last chunk
 */
@SuppressWarnings("ArrayRecordComponent") // Messages are handed over, never compared.
public record Chunk(
    String cache,
    int format,
    int segment,
    long epoch,
    long segmentEpoch,
    long copyNumber,
    long number,
    long sequence,
    long term,
    Cursor from,
    Cursor to,
    boolean last,
    byte[] entries,
    List<ResultWindow> results)
    implements SegmentMessage.FromPrimary {
  /** About how many bytes of entries one chunk has, or a single larger entry. */
  public static final int BYTES = 1 << 14;

  /** About how many bytes a chunk takes beside its entries. */
  public static final int OVERHEAD_BYTES = 128;

  public Chunk {
    results = List.copyOf(results);
  }
}
