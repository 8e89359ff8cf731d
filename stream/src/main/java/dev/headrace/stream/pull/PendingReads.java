package dev.headrace.stream.pull;

import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.protocol.PendingRead;
import dev.headrace.stream.protocol.StreamMachine;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a stream that are under way, in the order of sending, abandoned ones included.
 * Guarded by the engine's lock; any thread may put an answer into a request.
 */
final class PendingReads {
  private final List<PendingRead> reads = new ArrayList<>(4);

  /** Adds a request that is about to be sent. */
  void add(PendingRead read) {
    reads.add(read);
  }

  /** Whether a request was answered. */
  boolean hasAnswer() {
    for (int i = 0; i < reads.size(); i++) {
      if (reads.get(i).answer() != null) {
        return true;
      }
    }
    return false;
  }

  /**
   * Removes and returns the first request with an answer, taken or dropped; null if none has one.
   */
  @Nullable PendingRead takeEnded() {
    for (int i = 0; i < reads.size(); i++) {
      PendingRead read = reads.get(i);
      if (read.answer() != null || read.isGone()) {
        return reads.remove(i);
      }
    }
    return null;
  }

  /**
   * Gives the batches of all requests back to the machine if every request has one.
   *
   * @return false if one has none: the stream is not paused but waits, or has to hear of a failure
   */
  boolean giveBack(StreamMachine machine) {
    for (PendingRead read : reads) {
      if (!(read.answer() instanceof Batch)) {
        return false;
      }
    }
    for (PendingRead read : reads) {
      read.abandon();
      machine.returned(read);
    }
    reads.clear();
    return true;
  }

  /** Abandons all requests: the stream has ended. */
  void abandonAll() {
    reads.forEach(PendingRead::abandon);
    reads.clear();
  }
}
