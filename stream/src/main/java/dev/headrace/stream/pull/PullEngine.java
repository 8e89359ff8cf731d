package dev.headrace.stream.pull;

import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.StreamInterruptedException;
import dev.headrace.api.error.WireException;
import dev.headrace.api.stream.StreamListener;
import dev.headrace.stream.Timer.Cancellable;
import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.EntryDecoder;
import dev.headrace.stream.batch.ReadRequest;
import dev.headrace.stream.batch.SegmentPart;
import dev.headrace.stream.batch.SegmentPart.Status;
import dev.headrace.stream.protocol.NodeRead;
import dev.headrace.stream.protocol.PendingRead;
import dev.headrace.stream.protocol.ReadyBatch;
import dev.headrace.stream.protocol.StreamMachine;
import dev.headrace.stream.protocol.StreamMachine.Source;
import dev.headrace.stream.protocol.StreamOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One stream, to be pulled: {@link #isReady}, then {@link #take}. It runs the machine's effects,
 * decodes batches where they lie, and tells the listener.
 *
 * <p>Everything but {@link #timerFired} belongs to the drain: one thread at a time, each seeing
 * what the last one did. When nothing is ready, {@code signal} will be run, by any thread, as soon
 * as that may have changed. Per entry the engine touches only plain fields; all bookkeeping is per
 * batch or per segment.
 */
final class PullEngine<T> implements StreamMachine.Effects {

  private final StreamEnvironment environment;
  private final Source source;
  private final EntryDecoder<T> decoder;
  private final @Nullable StreamListener listener;
  private final Runnable signal;
  private final StreamMachine machine;
  private final List<PendingRead> pending = new ArrayList<>(4);

  /** Entries left in the present part. */
  private int left;

  private @Nullable ReadyBatch current;
  private int partIndex;
  private boolean partBegun;
  private boolean planned;
  private boolean ended;
  private @Nullable Throwable failure;

  private @Nullable Cancellable awaitedView;
  private @Nullable Cancellable alarm;
  private long alarmNanos;
  private volatile boolean alarmRang; // set by the timer, cleared by the drain

  /**
   * @param signal schedules the drain; called on any thread
   */
  PullEngine(
      StreamEnvironment environment,
      StreamOptions options,
      Source source,
      EntryDecoder<T> decoder,
      Runnable signal) {
    this.environment = environment;
    this.source = source;
    this.decoder = decoder;
    this.listener = options.listener();
    this.signal = signal;
    this.machine = new StreamMachine(options, source, environment.ownership().self(), this);
  }

  /** Whether {@link #take} would hand something over without any more ado. */
  boolean hasDecodable() {
    return left > 0;
  }

  /** Whether {@link #take} would hand something over; if not, the stream has ended or must wait. */
  boolean isReady() {
    return left > 0 || advance();
  }

  /**
   * Decodes the next entry; only when {@link #isReady}.
   *
   * @return null if it cannot be decoded: the stream has ended with an error
   */
  @Nullable T take() {
    T next;
    try {
      next = decoder.next();
    } catch (Throwable e) {
      fail(undecodable(e));
      return null;
    }
    left--;
    return next;
  }

  /** Whether nothing will be handed over any more. */
  boolean isEnded() {
    return ended;
  }

  /** After the end: what went wrong, or null. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Plans the stream without asking anybody; an empty or impossible one ends at once. */
  void plan() {
    if (planned || ended) {
      return;
    }
    planned = true;
    try {
      machine.plan(environment.ownership().view(), environment.timer().nanoTime());
      if (machine.isFinished()) {
        end(machine.failure());
      }
    } catch (Throwable e) {
      fail(e);
    }
  }

  /** Ends the stream and gives everything back. Idempotent. */
  void close() {
    end(null);
  }

  private boolean advance() {
    plan();
    try {
      while (!ended) {
        if (current == null && !beginBatch()) {
          return false;
        }
        if (current != null) {
          if (beginPart(current)) {
            return true;
          }
          finishBatch(current);
        }
      }
    } catch (Throwable e) {
      fail(e);
    }
    return false;
  }

  /** Takes the next batch if there is one; returns false if the stream has ended or must wait. */
  private boolean beginBatch() {
    pump();
    ReadyBatch next = machine.nextReady();
    if (next == null) {
      if (machine.isFinished()) {
        end(machine.failure());
      } else if (machine.isWaiting()) {
        wakeAt(environment.timer().nanoTime() + StreamMachine.WATCH_NANOS);
      }
      return false;
    }
    Batch batch = next.batch();
    if (batch == null) {
      machine.consumed(next);
      if (listener != null) {
        listener.segmentSkipped(next.skippedSegment());
      }
      return true;
    }
    current = next;
    partIndex = 0;
    partBegun = false;
    decoder.begin(batch.entries());
    return true;
  }

  /** Moves to the next part with entries; returns whether there is one. */
  private boolean beginPart(ReadyBatch batch) {
    List<SegmentPart> parts = batch.parts();
    for (; partIndex < parts.size(); partIndex++) {
      SegmentPart part = parts.get(partIndex);
      if (!partBegun && part.entries() > 0) {
        partBegun = true;
        left = part.entries();
        return true;
      }
      partBegun = false;
      if (listener != null && part.status() == Status.DONE) {
        listener.segmentCompleted(part.segment());
      }
    }
    return false;
  }

  private void finishBatch(ReadyBatch batch) {
    current = null;
    Batch bytes = batch.batch();
    if (bytes != null) {
      bytes.release();
    }
    machine.consumed(batch);
    if (listener != null && batch.entries() > 0) {
      listener.batchConsumed(machine::token);
    }
  }

  /** Tells the machine what has happened meanwhile, and lets it ask for more. */
  private void pump() {
    long nowNanos = environment.timer().nanoTime();
    if (alarmRang) {
      alarmRang = false;
      alarm = null;
      machine.tick(nowNanos);
    }
    collect(nowNanos); // First: what has arrived is handed over, whatever the view says.
    machine.viewChanged(environment.ownership().view(), nowNanos);
    machine.advance();
    while (hasAnswer()) {
      collect(nowNanos);
      machine.advance();
    }
  }

  private boolean hasAnswer() {
    for (int i = 0; i < pending.size(); i++) {
      if (pending.get(i).answer() != null) {
        return true;
      }
    }
    return false;
  }

  private void collect(long nowNanos) {
    for (int i = 0; i < pending.size(); ) {
      PendingRead read = pending.get(i);
      Object answer = read.answer();
      if (answer == null && !read.isGone()) {
        i++;
        continue;
      }
      pending.remove(i);
      if (answer instanceof Batch batch) {
        tellReceived(read, batch);
        machine.received(read, batch, nowNanos);
      } else if (answer instanceof Throwable cause) {
        machine.failed(read, cause, nowNanos);
      } else {
        machine.returned(read);
      }
    }
  }

  private void tellReceived(PendingRead read, Batch batch) {
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

  @Override
  public PendingRead send(NodeRead node, ReadRequest request) {
    PendingRead read = new PendingRead(node, request, signal);
    pending.add(read);
    if (listener != null) {
      listener.credited(machine.creditedEntries(), machine.creditedBytes());
    }
    try {
      environment.port().read(node.id(), request, read);
    } catch (RuntimeException e) {
      read.failed(e);
    }
    return read;
  }

  @Override
  public void abandon(PendingRead read) {
    read.abandon();
  }

  @Override
  public void awaitNewerThan(long epoch) {
    if (awaitedView != null) {
      awaitedView.cancel();
    }
    awaitedView = environment.ownership().awaitNewerThan(epoch, signal);
  }

  @Override
  public void wakeAt(long nanos) {
    if (alarm != null) {
      if (nanos - alarmNanos >= 0) {
        return;
      }
      alarm.cancel();
    }
    alarmNanos = nanos;
    long delayNanos = Math.max(0, nanos - environment.timer().nanoTime());
    alarm = environment.timer().schedule(delayNanos, this::timerFired);
  }

  private void timerFired() {
    alarmRang = true;
    signal.run();
  }

  private Throwable undecodable(Throwable cause) {
    ReadyBatch batch = current;
    int segment = batch == null ? -1 : batch.parts().get(partIndex).segment();
    String where = "An entry of segment " + segment + " of the cache \"" + source.cache() + '"';
    HeadraceException failed =
        cause instanceof WireException
            ? new WireException(where + " is damaged: " + cause.getMessage(), cause)
            : new CodecException(
                where
                    + " could not be decoded: "
                    + cause
                    + ". Mend the codec, or remove the entry; the suppressed exception's resume"
                    + " token stands before its batch",
                cause);
    failed.addSuppressed(
        new StreamInterruptedException(
            "The stream ended within a batch; this token stands before the batch, entries of which"
                + " may have been handed over",
            List.of(segment),
            machine.token()));
    return failed;
  }

  private void fail(Throwable cause) {
    end(cause);
  }

  private void end(@Nullable Throwable cause) {
    if (ended) {
      return;
    }
    ended = true;
    failure = cause;
    left = 0;
    if (awaitedView != null) {
      awaitedView.cancel();
    }
    if (alarm != null) {
      alarm.cancel();
    }
    for (PendingRead read : pending) {
      read.abandon();
    }
    pending.clear();
    for (ReadyBatch ready : machine.takeAllReady()) {
      release(ready);
    }
    if (current != null) {
      release(current);
      current = null;
    }
  }

  private static void release(ReadyBatch ready) {
    Batch batch = ready.batch();
    if (batch != null) {
      batch.release();
    }
  }
}
