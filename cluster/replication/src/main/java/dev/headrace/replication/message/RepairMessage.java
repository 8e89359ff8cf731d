package dev.headrace.replication.message;

import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.PositionRange;
import java.util.List;

/** What nodes say to each other to compare the replicas of a segment and to repair them. */
public sealed interface RepairMessage extends ReplicationMessage {
  /** The most ranges of one comparison. */
  int MAX_RANGES = 16;

  /** The most segments of a cluster, and so the most that an order or report can name. */
  int MAX_SEGMENTS = 1 << 20;

  /** The most caches that an order can name. */
  int MAX_CACHES = 4096;

  /**
   * A primary tells a backup the hashes of some ranges that follow each other, as they are behind
   * one mutation of the segment's history.
   *
   * @param sequence the last mutation that the hashes contain
   * @param number names the question in the answer
   * @param first the first range; the others have its depth
   * @param hashes a hash for each range
   */
  @SuppressWarnings("ArrayRecordComponent") // Messages are handed over, never compared.
  record Compare(
      String cache,
      int segment,
      long epoch,
      long segmentEpoch,
      long sequence,
      long number,
      PositionRange first,
      long[] hashes)
      implements RepairMessage, SegmentMessage.FromPrimary {
    /** Checks that there are such ranges. */
    public Compare {
      if (hashes.length < 1 || hashes.length > Math.min(MAX_RANGES, first.remaining())) {
        throw new IllegalArgumentException(
            "%d ranges from %s on cannot be compared".formatted(hashes.length, first));
      }
    }
  }

  /**
   * A backup's answer: which ranges it has otherwise.
   *
   * @param number the question's
   * @param level whether the backup was behind exactly the mutation of the question; if not, it has
   *     compared nothing
   * @param differences the ranges that differ, ascending
   */
  record Compared(
      String cache,
      int segment,
      long epoch,
      long segmentEpoch,
      long number,
      boolean level,
      List<Difference> differences)
      implements RepairMessage, SegmentMessage {
    public Compared {
      differences = List.copyOf(differences);
    }
  }

  /**
   * A range that a backup has otherwise.
   *
   * @param range its index in the question
   * @param entries how many entries the backup has there
   */
  record Difference(int range, int entries) {}

  /**
   * A primary tells a backup what belongs in a range, as it is behind one mutation of the segment's
   * history. It <i>replaces</i> what the backup has there.
   *
   * @param format a hash of the formats of keys and values, 0 for any
   * @param sequence the last mutation that the entries contain
   * @param number names the message in the answer
   * @param from where the range begins: behind this
   * @param to where it ends
   * @param entries the entries, in order, as a batch
   */
  @SuppressWarnings("ArrayRecordComponent") // Messages are handed over, never compared.
  record RepairRange(
      String cache,
      int format,
      int segment,
      long epoch,
      long segmentEpoch,
      long sequence,
      long number,
      Cursor from,
      Cursor to,
      byte[] entries)
      implements RepairMessage, SegmentMessage.FromPrimary {}

  /**
   * A backup's answer: what it has repaired.
   *
   * @param number the message's
   * @param level whether the backup was behind exactly the mutation of the message; if not, it has
   *     repaired nothing
   * @param extra entries that it had too many
   * @param wrong entries that it lacked or had otherwise
   * @param newer how many of these it had with a higher version
   */
  record RangeRepaired(
      String cache,
      int segment,
      long epoch,
      long segmentEpoch,
      long number,
      boolean level,
      int extra,
      int wrong,
      int newer)
      implements RepairMessage, SegmentMessage {}

  /**
   * A node wants segments compared and repaired by their primary, which answers with {@link
   * Report}s. Sent again it changes nothing, except that segments are added and that what was
   * refused is tried again.
   *
   * @param id names the order in reports
   * @param caches the caches; empty for all
   * @param segments the segments, as a set of bits
   */
  @SuppressWarnings("ArrayRecordComponent") // Messages are handed over, never compared.
  record Order(long id, List<String> caches, byte[] segments) implements RepairMessage {
    public Order {
      caches = List.copyOf(caches);
    }
  }

  /**
   * A primary tells how far it is with an order; a later report contains the earlier ones.
   *
   * @param id the order's
   * @param done the segments that are repaired, as a set of bits
   * @param refused the segments that the node could not finish, because it is not their primary any
   *     more, or because too much was written to them
   * @param stats what was found so far
   */
  @SuppressWarnings("ArrayRecordComponent") // Messages are handed over, never compared.
  record Report(long id, byte[] done, byte[] refused, RepairStats stats) implements RepairMessage {}
}
