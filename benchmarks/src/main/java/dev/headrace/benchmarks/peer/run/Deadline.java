package dev.headrace.benchmarks.peer.run;

import dev.headrace.benchmarks.harness.Fork;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;

/**
 * Halts this JVM if something takes longer than it may, such as a load into a heap that is full.
 */
final class Deadline implements AutoCloseable {

  private final Timer timer = new Timer("deadline", true);

  private Deadline() {}

  static Deadline in(int minutes, String what) {
    Deadline deadline = new Deadline();
    TimerTask halt =
        new TimerTask() {
          @Override
          public void run() {
            System.out.printf("# halted: %s took more than %d minutes%n", what, minutes);
            System.out.flush();
            Runtime.getRuntime().halt(Fork.NO_ROOM);
          }
        };
    deadline.timer.schedule(halt, TimeUnit.MINUTES.toMillis(minutes));
    return deadline;
  }

  @Override
  public void close() {
    timer.cancel();
  }
}
