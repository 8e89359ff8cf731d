package dev.headrace.stream.protocol;

import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A request in flight, and the place where its answer meets the drain: a queue with a single
 * producer, the I/O thread, and a single consumer, the drain. One place is enough, because the next
 * request to a node is sent only after the answer to the last one was taken.
 *
 * <pre>
 * state      event             next       effects
 * waiting    received, failed  answered   the drain is signalled; it owns the answer
 * waiting    abandon           abandoned
 * answered   abandon           gone       the batch is released
 * abandoned  received, failed  gone       the batch is released; the drain is signalled
 * </pre>
 *
 * <p>Each transition out of {@code waiting} is a compare-and-set, which decides the race between an
 * answer and its abandonment. The credit of an abandoned request is free only when it is {@code
 * gone}: until then its answer may still travel.
 */
public final class PendingRead implements ReadHandler {

  private static final Object ABANDONED = new Object();
  private static final Object GONE = new Object();
  private static final VarHandle OUTCOME;

  static {
    try {
      OUTCOME = MethodHandles.lookup().findVarHandle(PendingRead.class, "outcome", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final NodeRead from;
  private final ReadRequest request;

  /**
   * Set to null once it has run, because it keeps the stream alive, and an answer may wait for
   * ever.
   */
  private @Nullable Runnable signal; // of whoever brings the answer

  private volatile @Nullable Object outcome; // nothing yet, a Batch, a Throwable, or a marker

  /**
   * @param signal schedules the drain; called on any thread
   */
  public PendingRead(NodeRead from, ReadRequest request, Runnable signal) {
    this.from = from;
    this.request = request;
    this.signal = signal;
  }

  /** The node that is asked. */
  public NodeRead from() {
    return from;
  }

  /** The request. */
  public ReadRequest request() {
    return request;
  }

  @Override
  public void received(Batch batch) {
    if (!OUTCOME.compareAndSet(this, null, batch)) {
      batch.release();
      outcome = GONE;
    }
    signal();
  }

  @Override
  public void failed(Throwable cause) {
    if (!OUTCOME.compareAndSet(this, null, cause)) {
      outcome = GONE;
    }
    signal();
  }

  private void signal() {
    Runnable once = signal;
    signal = null;
    if (once != null) {
      once.run();
    }
  }

  /**
   * The answer: a {@link Batch} or a {@link Throwable}. Null while waiting, and after {@link
   * #abandon}.
   */
  public @Nullable Object answer() {
    Object now = outcome;
    return now == ABANDONED || now == GONE ? null : now;
  }

  /** Whether the request was abandoned and its answer, which has come, was dropped. */
  public boolean isGone() {
    return outcome == GONE;
  }

  /** Abandons the request: its answer is released, now if it has come, else when it comes. */
  public void abandon() {
    if (OUTCOME.compareAndSet(this, null, ABANDONED)) {
      return;
    }
    if (outcome instanceof Batch batch) {
      batch.release();
    }
    outcome = GONE;
  }
}
