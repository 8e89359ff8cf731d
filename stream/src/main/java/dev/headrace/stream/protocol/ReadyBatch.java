package dev.headrace.stream.protocol;

import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.entry.Cursor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be handed over: a received batch or, in its place between batches, the news that a
 * segment is skipped, or that it has ended.
 *
 * @param from the node that holds the batch's credit; null for news
 * @param begin where the first part begins; the others begin at the start of their segments
 * @param parts how each segment continues
 * @param bytes the size of the batch's entries
 * @param skippedSegment the segment that is skipped, or -1
 */
public record ReadyBatch(
    @Nullable NodeRead from,
    Cursor begin,
    @Nullable Batch batch,
    List<SegmentPart> parts,
    int entries,
    int bytes,
    int skippedSegment) {

  static ReadyBatch of(
      NodeRead from, Cursor begin, Batch batch, List<SegmentPart> parts, int entries, int bytes) {
    return new ReadyBatch(from, begin, batch, parts, entries, bytes, -1);
  }

  static ReadyBatch ended(int segment) {
    SegmentPart end = new SegmentPart(segment, 0, SegmentPart.Status.DONE, Cursor.START);
    return new ReadyBatch(null, Cursor.START, null, List.of(end), 0, 0, -1);
  }

  static ReadyBatch skipped(int segment) {
    return new ReadyBatch(null, Cursor.START, null, List.of(), 0, 0, segment);
  }
}
