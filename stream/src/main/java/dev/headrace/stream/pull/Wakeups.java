package dev.headrace.stream.pull;

import dev.headrace.stream.Timer.Cancellable;
import org.jspecify.annotations.Nullable;

/**
 * What makes a stream's drain run again while nobody pulls it: an answer, an alarm, a newer table,
 * or memory. A request in flight and an alarm hold the drain's signal ({@link DrainSignal#held});
 * what is awaited otherwise does not keep it alive.
 *
 * <p>Owned by the drain, except for {@link #run} and {@link #signal}.
 */
final class Wakeups implements Runnable {

  private final StreamEnvironment environment;
  private final DrainSignal drain;
  private @Nullable Cancellable awaitedView;
  private @Nullable Cancellable alarm;
  private long alarmNanos;
  private volatile boolean alarmRang; // set by the timer, cleared by the drain

  /**
   * @param drain schedules the drain; called on any thread
   */
  Wakeups(StreamEnvironment environment, Runnable drain) {
    this.environment = environment;
    this.drain = new DrainSignal(drain);
  }

  /** Wakes another drain from now on. */
  void redirect(Runnable other) {
    drain.redirect(other);
  }

  /** The drain's signal, which keeps the drain alive as long as somebody holds it. */
  Runnable signal() {
    return drain.held();
  }

  /** Wakes the drain if it still exists; keeps nothing alive before. On any thread. */
  @Override
  public void run() {
    drain.run();
  }

  /** Wakes the drain when there is a table newer than an epoch; forgets what was awaited before. */
  void awaitNewerThan(long epoch) {
    if (awaitedView != null) {
      awaitedView.cancel();
    }
    awaitedView = environment.ownership().awaitNewerThan(epoch, this);
  }

  /** Wakes the drain at a moment, unless an earlier alarm is set. */
  void wakeAt(long nanos) {
    if (alarm != null) {
      if (nanos - alarmNanos >= 0) {
        return;
      }
      alarm.cancel();
    }
    alarmNanos = nanos;
    long delayNanos = Math.max(0, nanos - environment.timer().nanoTime());
    Runnable signal = signal();
    alarm =
        environment
            .timer()
            .schedule(
                delayNanos,
                () -> {
                  alarmRang = true;
                  signal.run();
                });
  }

  /** Whether the alarm has rung since this was last asked. */
  boolean takeAlarm() {
    if (!alarmRang) {
      return false;
    }
    alarmRang = false;
    alarm = null;
    return true;
  }

  /** Cancels the alarm and what is awaited. */
  void cancel() {
    if (awaitedView != null) {
      awaitedView.cancel();
    }
    if (alarm != null) {
      alarm.cancel();
    }
  }
}
