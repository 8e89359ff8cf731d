package dev.headrace.stream.protocol;

import dev.headrace.stream.batch.Batch;
import dev.headrace.stream.batch.ReadHandler;
import dev.headrace.stream.batch.ReadRequest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A request in flight, and where its answer meets the drain: a queue for a single producer, the I/O
 * thread, and a single consumer, the drain, that never needs more than one place, because the next
 * request to a node is sent only after the answer to the last one was taken.
 *
 * <p>The one place decides every race by compare-and-set: either the answer comes first and the
 * drain owns it, or the drain abandons the request first and whoever brings the answer releases it.
 * An abandoned request tells the drain that its answer has come, since only then its credit is
 * free.
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
   * Forgotten once it has run: it keeps the stream alive, which nobody else may need any more,
   * while an answer may wait for ever.
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

  /** Whom it asks. */
  public NodeRead from() {
    return from;
  }

  /** What it asks for. */
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

  /** The answer: a {@link Batch}, or a {@link Throwable}; null if there is none (yet). */
  public @Nullable Object answer() {
    Object now = outcome;
    return now == ABANDONED || now == GONE ? null : now;
  }

  /** Whether the answer to an abandoned request has come and was thrown away. */
  public boolean isGone() {
    return outcome == GONE;
  }

  /** Renounces the answer: whether it has come already or not, it is released and then gone. */
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
