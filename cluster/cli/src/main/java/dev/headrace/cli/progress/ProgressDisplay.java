package dev.headrace.cli.progress;

import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows a {@link CommandProgress} on standard error once it takes more than a second: drawn over
 * itself on a screen, else as a line every few seconds. Calls are serialized by its monitor.
 */
public final class ProgressDisplay implements AutoCloseable {
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long TICK_MILLIS = 200;

  /** How progress is shown. */
  public enum Style {
    /** Drawn over itself. */
    BAR,
    /** A line every few seconds. */
    LINES,
    /** Not at all. */
    NONE
  }

  private final CommandProgress progress;
  private final PrintStream err;
  private final LongSupplier clockNanos;
  private final Style style;
  private final @Nullable ScheduledExecutorService ticker;
  private int drawnLines;
  private long lastLineNanos;
  private boolean closed;

  private ProgressDisplay(
      CommandProgress progress,
      PrintStream err,
      LongSupplier clockNanos,
      Style style,
      @Nullable ScheduledExecutorService ticker) {
    this.progress = progress;
    this.err = err;
    this.clockNanos = clockNanos;
    this.ticker = ticker;
    this.style = style;
    lastLineNanos = clockNanos.getAsLong();
  }

  /** A display that is shown whenever {@link #tick} is called. */
  static ProgressDisplay manual(
      CommandProgress progress, PrintStream err, LongSupplier clockNanos, Style style) {
    return new ProgressDisplay(progress, err, clockNanos, style, null);
  }

  /** A display that shows itself until it is closed. */
  public static ProgressDisplay start(CommandProgress progress, PrintStream err, Style style) {
    ScheduledExecutorService ticker =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "headrace-progress");
              thread.setDaemon(true);
              return thread;
            });
    ProgressDisplay display = new ProgressDisplay(progress, err, System::nanoTime, style, ticker);
    var ignored =
        ticker.scheduleAtFixedRate(display::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    return display;
  }

  /** Shows how far it has come, if it is time. */
  synchronized void tick() {
    long nowNanos = clockNanos.getAsLong();
    if (closed || progress.elapsedNanos(nowNanos) < QUIET_NANOS) {
      return;
    }
    if (style == Style.BAR) {
      draw(progress.drawing(nowNanos));
    } else if (style == Style.LINES && nowNanos - lastLineNanos >= LINE_NANOS) {
      lastLineNanos = nowNanos;
      err.println(progress.line(nowNanos));
    }
  }

  private void draw(List<String> lines) {
    StringBuilder frame = new StringBuilder();
    if (drawnLines > 0) {
      frame.append("\u001b[").append(drawnLines).append('A');
    }
    for (String line : lines) {
      frame.append('\r').append(line).append("\u001b[K\n");
    }
    frame.append("\u001b[J");
    drawnLines = lines.size();
    err.print(frame);
    err.flush();
  }

  /** Stops; what was drawn stays, up to date. */
  @Override
  public void close() {
    if (ticker != null) {
      ticker.shutdownNow();
    }
    synchronized (this) {
      if (drawnLines > 0 && !closed) {
        draw(progress.drawing(clockNanos.getAsLong()));
      }
      closed = true;
    }
  }
}
