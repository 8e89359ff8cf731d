package dev.headrace.cluster.process;

import dev.headrace.api.error.NodeClosedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which a process writes, reads and streams, turn after turn. They pause between
 * turns, because many processes share few cores. Used by one thread.
 */
final class Shifts implements AutoCloseable {
  private static final int THREADS = 40;
  private static final long WRITE_PAUSE_MILLIS = 5;
  private static final long READ_PAUSE_MILLIS = 25;
  private static final long STREAM_PAUSE_MILLIS = 20;
  private static final long PROBE_PAUSE_MILLIS = 10;
  private static final long REST_SECONDS = 60;

  private final Findings findings;
  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(THREADS);
  private final List<Streamer> streamers = new ArrayList<>();

  /**
   * @param findings take what a turn throws
   */
  Shifts(Findings findings) {
    this.findings = findings;
  }

  void writing(Runnable turn) {
    every(WRITE_PAUSE_MILLIS, guarded(untilClosed(turn)));
  }

  void reading(Runnable turn) {
    every(READ_PAUSE_MILLIS, guarded(untilClosed(turn)));
  }

  void streaming(Streamer streamer) {
    streamers.add(streamer);
    every(STREAM_PAUSE_MILLIS, guarded(untilClosed(streamer::turn)));
  }

  void probing(Runnable turn) {
    every(PROBE_PAUSE_MILLIS, guarded(untilClosed(turn)));
  }

  /** A node that the cluster gives up is closed, and so answers nothing more: that is right. */
  private static Runnable untilClosed(Runnable turn) {
    return () -> {
      try {
        turn.run();
      } catch (NodeClosedException e) {
        throw new CancellationException(e.getMessage());
      }
    };
  }

  private Runnable guarded(Runnable turn) {
    return () -> {
      try {
        turn.run();
      } catch (CancellationException e) {
        throw e; // ends the turns
      } catch (RuntimeException e) {
        findings.object("A turn failed: " + e);
        throw e;
      }
    };
  }

  private void every(long pauseMillis, Runnable turn) {
    var unused = threads.scheduleWithFixedDelay(turn, 0, pauseMillis, TimeUnit.MILLISECONDS);
  }

  /** Ends all turns. What was being streamed is abandoned. */
  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(REST_SECONDS, TimeUnit.SECONDS)) {
        findings.object("Turns have not ended within " + REST_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    streamers.forEach(Streamer::close);
    streamers.clear();
  }
}
