package dev.headrace.cli;

import dev.headrace.api.Headrace;
import dev.headrace.api.RepairReport;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.progress.CommandProgress;
import dev.headrace.cli.progress.Figures;
import dev.headrace.cli.progress.ProgressDisplay;
import dev.headrace.cli.progress.ProgressOption;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.FailureText;
import dev.headrace.cli.terminal.Terminal;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Has the cluster compare its replicas and repair what differs. */
@Command(
    name = "repair",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compares replicas with their primaries, and repairs differences.",
      "Each primary compares its segments with their backups, and replaces what differs. "
          + "The cluster stays in use meanwhile.",
      "A cluster also does this by itself, once per hour by default.",
      "The exit code is 0 when all segments have been compared, whether or not replicas "
          + "differed; the printed line tells."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  headrace repair", "  headrace repair --cache people --cache towns"})
final class RepairCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--cache",
      paramLabel = "NAME",
      split = ",",
      description = "Repair only this cache; can be given several times (all caches).")
  private List<String> caches = List.of();

  @Mixin private ProgressOption progressOption = new ProgressOption();
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  RepairCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    Set<String> names = new LinkedHashSet<>(caches);
    if (names.stream().anyMatch(String::isBlank)) {
      throw new ParameterException(spec.commandLine(), "a cache's name must not be blank");
    }
    try (Headrace node = cluster.join()) {
      return repair(node, names);
    }
  }

  private int repair(Headrace node, Set<String> names) throws CommandFailure, InterruptedException {
    CommandProgress progress = new CommandProgress(System.nanoTime());
    Advance advance = new Advance(progress);
    CompletableFuture<RepairReport> repair = node.repair(names, advance::to);
    RepairReport report;
    try (ProgressDisplay display =
            progressOption.show(progress, terminal.err(), terminal.redraws());
        var registration = terminal.interrupts().onInterrupt(() -> repair.cancel(false))) {
      report = repair.get();
    } catch (CancellationException e) {
      terminal.err().println("Stopped waiting; the primaries finish what they were asked for");
      return CommandFailure.INTERRUPTED;
    } catch (ExecutionException e) {
      throw new CommandFailure("the repair failed: " + reason(e), e);
    }
    return print(report, progress.elapsedNanos(System.nanoTime()));
  }

  private static String reason(ExecutionException e) {
    Throwable cause = e.getCause();
    return cause == null ? String.valueOf(e.getMessage()) : FailureText.oneLine(cause);
  }

  private int print(RepairReport report, long nanos) throws CommandFailure {
    String line = line(report, nanos);
    if (!report.complete()) {
      throw new CommandFailure(
          line
              + " Not compared: "
              + Figures.count((long) report.segments() - report.compared())
              + " of "
              + Figures.count(report.segments())
              + " segments, which have no owner, are moving, or are written to too fast. See"
              + " headrace status, and try again");
    }
    terminal.out().println(line);
    return 0;
  }

  /** The result for people. */
  static String line(RepairReport report, long nanos) {
    String compared =
        "Compared %s segments, %s, %s, in %s: "
            .formatted(
                Figures.count(report.compared()),
                Figures.entries(report.entries()),
                Figures.bytes(report.bytes()),
                Figures.duration(nanos));
    if (report.differences() == 0) {
      return compared + "no replica differed.";
    }
    String newer =
        report.newer() == 0
            ? ""
            : " Of these "
                + Figures.count(report.newer())
                + " had a higher version than the primary's; please report it.";
    return compared
        + "%s differed; repaired %s of backups with %s.%s"
            .formatted(
                report.differences() == 1
                    ? "1 range"
                    : Figures.count(report.differences()) + " ranges",
                Figures.entries(report.repaired()),
                Figures.bytes(report.sentBytes()),
                newer);
  }

  /** Turns reports, each of which includes the ones before, into additions to the progress. */
  private static final class Advance {
    private final CommandProgress progress;
    private @Nullable RepairReport last; // guarded by this

    Advance(CommandProgress progress) {
      this.progress = progress;
    }

    /** Reports come on several threads, perhaps not in order. */
    synchronized void to(RepairReport report) {
      RepairReport before = last;
      long entries = before == null ? 0 : before.entries();
      if (report.entries() >= entries) {
        last = report;
        progress.add(
            report.entries() - entries, report.bytes() - (before == null ? 0 : before.bytes()));
        progress.advance(report.compared(), report.segments());
      }
    }
  }
}
