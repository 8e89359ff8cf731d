package dev.headrace.stream.pull;

import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.protocol.PendingRead;
import dev.headrace.stream.protocol.StreamMachine;
import java.lang.ref.Cleaner;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls a stream's listener, if it has one, and knows which segments were skipped: these are not
 * reported as completed. Belongs to the drain. What the listener throws goes to the caller.
 */
final class ListenerCalls {

  private final UserListener<StreamListener> user;
  private final Announced<?> announced;
  private final BitSet skipped = new BitSet();

  ListenerCalls(@Nullable StreamListener listener, Announced<?> announced) {
    this.user = new UserListener<>(listener);
    this.announced = announced;
  }

  /** See {@link UserListener#keptWith}. */
  Cleaner.Cleanable keptWith(Cleaner.Cleanable end) {
    return user.keptWith(end);
  }

  /** A batch has arrived, which is released here if the listener fails. */
  void received(StreamEnvironment environment, PendingRead read, Batch batch) {
    StreamListener listener = user.get();
    if (listener != null) {
      try {
        listener.batchReceived(
            environment.nodeName().apply(read.from().id()),
            batch.entryCount(),
            batch.entries().remaining());
      } catch (Throwable e) {
        batch.release();
        throw e;
      }
    }
  }

  /** A segment cannot be read, and is skipped. */
  void skipped(int segment) {
    skipped.set(segment);
    lost(segment);
  }

  /** Nothing of a segment is left, which may have been skipped in part. */
  void completed(int segment) {
    if (skipped.get(segment)) {
      lost(segment);
      return;
    }
    StreamListener listener = user.get();
    if (listener != null) {
      listener.segmentCompleted(segment);
    }
    announced.completed(segment);
  }

  private void lost(int segment) {
    StreamListener listener = user.get();
    if (listener != null) {
      listener.segmentSkipped(segment);
    }
    announced.lost(segment);
  }

  /** Takes over which segments were skipped while a part of the stream was read. */
  void skippedBy(ListenerCalls part) {
    skipped.or(part.skipped);
  }

  /** A batch with entries has been consumed. */
  void consumed(StreamMachine machine) {
    StreamListener listener = user.get();
    if (listener != null) {
      listener.batchConsumed(() -> machine.token(List.of()).encode());
    }
  }

  /** The credit in use has changed. */
  void credited(StreamMachine machine) {
    if (user.get() instanceof CreditListener measuring) {
      measuring.credited(machine.creditedEntries(), machine.creditedBytes());
    }
  }
}
