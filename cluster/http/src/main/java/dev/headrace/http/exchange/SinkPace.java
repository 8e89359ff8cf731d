package dev.headrace.http.exchange;

import dev.headrace.stream.publisher.PausableSubscription;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;

/**
 * Asks a stream for its next element while a sink has room, and else waits until it has: a reader
 * that stalls stops the stream on every node. {@link #next} is called by the stream's signals, the
 * rest by any thread.
 */
public final class SinkPace {
  private final AtomicBoolean waiting = new AtomicBoolean();
  private final PauseListener pauses;
  private volatile @Nullable Subscription subscription;

  /** Is told whether the stream waits for its reader. */
  @FunctionalInterface
  public interface PauseListener {

    /** It waits, or waits no longer. Short. */
    void paused(boolean now);
  }

  /** A pace that has not begun. */
  public SinkPace(PauseListener pauses) {
    this.pauses = pauses;
  }

  /** The stream has begun; nothing is asked for yet. */
  public void begin(Subscription begun) {
    subscription = begun;
  }

  /** An element was written, or the first is wanted: asks for the next when there is room. */
  public void next(BodySink to) {
    Subscription present = subscription;
    if (present == null) {
      return;
    }
    if (to.hasRoom()) {
      present.request(1);
      return;
    }
    pauses.paused(true);
    waiting.set(true);
    if (to.hasRoom()) { // it came before, and nobody is told of it any more
      room();
    }
  }

  /** There is room again. */
  public void room() {
    Subscription present = subscription;
    if (present != null && waiting.compareAndSet(true, false)) {
      pauses.paused(false);
      present.request(1);
    }
  }

  /** The reader has stood still for a while: the stream need not hold what it has read ahead. */
  public void stalled() {
    if (subscription instanceof PausableSubscription present) {
      present.giveBackUnread();
    }
  }

  /** Ends the stream, if it has begun. */
  public void cancel() {
    Subscription present = subscription;
    if (present != null) {
      present.cancel();
    }
  }
}
