package dev.headrace.stream.pull;

import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.batch.SegmentPart.Status;
import dev.headrace.stream.protocol.ReadyBatch;
import dev.headrace.stream.pull.Place.ExpiredKeys;
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

  /** How many parts were left behind. */
  int partsLeftBehind() {
    return index;
  }

  /**
   * The present part.
   *
   * @return null if none of its entries may have been handed over, or all parts were left behind
   */
  @Nullable SegmentPart present() {
    return begun ? batch.parts().get(index) : null;
  }

  /** The segments that are complete when these keys have been read again. */
  List<Integer> completing() {
    return completing;
  }
}
