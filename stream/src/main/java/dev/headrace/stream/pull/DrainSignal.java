package dev.headrace.stream.pull;

import java.lang.ref.WeakReference;

/**
 * Schedules the drain of a stream without keeping the drain, or the subscriber behind it, alive.
 *
 * <p>Whatever can still wake the drain keeps it alive: a request in flight and an alarm hold what
 * {@link #held} returns. An engine has only this object, since what closes an abandoned stream
 * refers to the engine. So a drain that nothing can wake, and nobody else refers to, is garbage.
 */
public final class DrainSignal implements Runnable {
  private volatile WeakReference<Runnable> drain;

  /**
   * @param drain schedules the drain; called on any thread
   */
  public DrainSignal(Runnable drain) {
    this.drain = new WeakReference<>(drain);
  }

  /** Wakes another drain from now on. */
  public void redirect(Runnable other) {
    drain = new WeakReference<>(other);
  }

  /** The same signal, which keeps the drain alive as long as somebody holds it. */
  public Runnable held() {
    Runnable present = drain.get();
    return present == null ? () -> {} : present;
  }

  /** Wakes the drain if it still exists. On any thread. */
  @Override
  public void run() {
    held().run();
  }
}
