package dev.headrace.cli.progress;

import java.io.PrintStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How progress is shown. */
public final class ProgressOption {
  @Option(
      names = "--progress",
      paramLabel = "STYLE",
      description =
          "How to show progress on standard error: bar (redrawn in place), lines, or none "
              + "(bar on a screen, else lines).")
  private ProgressDisplay.@Nullable Style style;

  /** Shows progress until it is closed. */
  public ProgressDisplay show(CommandProgress progress, PrintStream err, boolean screen) {
    ProgressDisplay.Style automatic =
        screen ? ProgressDisplay.Style.BAR : ProgressDisplay.Style.LINES;
    return ProgressDisplay.start(progress, err, style == null ? automatic : style);
  }
}
