package dev.headrace.stream.pull;

import dev.headrace.api.error.FaultScope;
import dev.headrace.api.error.StreamDeadlineException;
import dev.headrace.stream.Timer;
import dev.headrace.stream.Timer.Cancellable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** When a stream ends, whether it is complete or not; possibly never. For one thread. */
final class StreamDeadline {

  private final Timer timer;
  private final long afterNanos;
  private final long endsAtNanos;
  private @Nullable Cancellable alarm;

  /**
   * @param afterNanos from now on; 0 for never
   */
  StreamDeadline(Timer timer, long afterNanos) {
    this.timer = timer;
    this.afterNanos = afterNanos;
    this.endsAtNanos = timer.nanoTime() + afterNanos;
  }

  /** Wakes the stream when its time is up. */
  void schedule(Runnable wake) {
    if (afterNanos != 0) {
      alarm = timer.schedule(Math.max(0, endsAtNanos - timer.nanoTime()), wake);
    }
  }

  boolean isOver() {
    return afterNanos != 0 && timer.nanoTime() - endsAtNanos >= 0;
  }

  void cancel() {
    if (alarm != null) {
      alarm.cancel();
    }
  }

  /**
   * The error of a stream whose time is up.
   *
   * @param place where it is; null of a reduction
   */
  StreamDeadlineException failure(String cache, @Nullable Place place) {
    String what = place == null ? "The reduction of \"" : "The stream of \"";
    String advice =
        place == null
            ? ". A reduction has no part of its result: begin it anew with a later deadline"
            : ". What was handed over is correct, and resumeToken() stands for the rest: resume"
                + " from it, or set a later deadline";
    return new StreamDeadlineException(
        what
            + cache
            + "\" has not ended within its deadline of "
            + Duration.ofNanos(afterNanos)
            + advice,
        FaultScope.ofCache(cache),
        place == null ? null : place.encode());
  }
}
