package dev.headrace.stream.pull;

import dev.headrace.stream.batch.EntryDecoder;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.batch.SegmentPart.Status;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.protocol.ReadyBatch;
import dev.headrace.stream.pull.Place.ExpiredKeys;
import dev.headrace.stream.token.Remainder;
import dev.headrace.stream.token.ResumeToken;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The batch that is being handed over, part by part: which segment its next entries belong to,
 * which segments end with it, and what has expired in it. Belongs to the drain.
 */
final class OpenBatch {
  private final ReadyBatch batch;
  private final List<Integer> completing = new ArrayList<>(0);
  private @Nullable ExpiredKeys expired;
  private int index;
  private boolean begun;

  OpenBatch(ReadyBatch batch) {
    this.batch = batch;
  }

  ReadyBatch batch() {
    return batch;
  }

  /**
   * Moves to the next part that has entries.
   *
   * @param completed accepts the segments that are complete by now
   * @return how many entries it has; 0 if there is none left
   */
  int nextPart(IntConsumer completed) {
    List<SegmentPart> parts = batch.parts();
    for (; index < parts.size(); index++) {
      SegmentPart part = parts.get(index);
      if (!begun && part.entries() > 0) {
        begun = true;
        return part.entries();
      }
      begun = false;
      if (part.status() == Status.DONE) {
        if (expired == null) {
          completed.accept(part.segment());
        } else {
          completing.add(part.segment());
        }
      }
    }
    return 0;
  }

  /** The segment of the present part. */
  int segment() {
    return batch.parts().get(index).segment();
  }

  /** An entry has expired before it was handed over. */
  void expired(byte[] key) {
    expired = new ExpiredKeys(key, expired);
  }

  /** The keys of the entries that have expired; null if there are none. */
  @Nullable ExpiredKeys expired() {
    return expired;
  }

  /**
   * The place behind the last entry that was handed over.
   *
   * @param before what remains behind the batches before this one
   * @param left how many entries of the present part were not handed over
   * @param decoder stands behind the last entry; the batch has keys
   */
  Place place(ResumeToken before, int left, EntryDecoder<?> decoder, HashSpace space) {
    List<SegmentPart> parts = batch.parts();
    Cursor cursor = null;
    if (begun && left == 0) { // The end of a segment is told later.
      SegmentPart present = parts.get(index);
      cursor = present.status() == Status.MORE ? present.cursor() : Remainder.END;
    } else if (begun && left < parts.get(index).entries()) {
      cursor = cursorBehindLast(decoder, space);
    }
    return new Place(before, parts, index, cursor, space, List.copyOf(completing), expired, null);
  }

  /** The place behind an entry that another one of its part follows. */
  private static Cursor cursorBehindLast(EntryDecoder<?> decoder, HashSpace space) {
    long hash = decoder.lastHash(space);
    byte[] runKey = decoder.nextHash(space) == hash ? decoder.lastKey() : null;
    return Cursor.owning(space.position(hash), runKey);
  }

  /** The segments that are complete when these keys have been read again. */
  List<Integer> completing() {
    return completing;
  }
}
