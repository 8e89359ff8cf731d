package dev.headrace.cli;

import dev.headrace.api.CacheReport;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.Security;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.Terminal;
import java.time.Clock;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the members of the cluster, what they hold, and the caches. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Prints the members of the cluster, what they hold, and the caches.",
      "For each member: the number of segments of which it is primary or backup, its "
          + "memory and its streams. For each cache: its size, and the formats of its keys and "
          + "values. Lost segments and a rebalance are reported, too.",
      "A segment has one primary, which orders its writes, and backups. While fewer nodes "
          + "hold data than owners are configured, segments have fewer owners."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headrace status",
      "  headrace status --watch",
      "  headrace status --caches",
      "  headrace status --json | jq .lostSegments"
    })
final class StatusCommand implements Callable<Integer> {
  private static final String TOP_AND_CLEAR = "\u001b[H\u001b[J";

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  /** It changes by itself, and is no news. */
  private static final Pattern EPOCH = Pattern.compile("\\bepoch\\s+\\d+\\.\\d+");

  /** The address of a node that only its own machine reaches. */
  private static final Pattern LOOPBACK =
      Pattern.compile("(127\\..*|localhost|\\[?(::1|0:0:0:0:0:0:0:1)]?):\\d+");

  private final Terminal terminal;
  private final Clock clock = Clock.system(ZoneId.systemDefault());

  @Option(names = "--json", description = "Print a JSON object.")
  private boolean json;

  @Option(
      names = "--caches",
      description = "Print what each member holds of each cache, too, as --json always does.")
  private boolean shares;

  @Option(
      names = {"-w", "--watch"},
      description =
          "Repeat every second until ctrl-C, in place. Into a file or pipe, print only "
              + "changes, each with the time, and leave out the nodes of other commands.")
  private boolean watch;

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  StatusCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    try (Headrace node = cluster.join()) {
      if (watch) {
        watch(node);
        return CommandFailure.INTERRUPTED;
      }
      terminal.out().println(text(node, true));
      return 0;
    }
  }

  private String text(Headrace node, boolean withVisitors) throws InterruptedException {
    ClusterStatus status = node.status();
    CacheReport caches = status.suspendedBecause() == null ? caches(node) : null;
    StatusReport report = new StatusReport(status, caches, withVisitors);
    if (json) {
      return report.json();
    }
    return report.table(shares) + openDoors(node, status);
  }

  /** The caches; null if they cannot be listed now, and why is told. */
  private @Nullable CacheReport caches(Headrace node) throws InterruptedException {
    try {
      return node.caches().get();
    } catch (ExecutionException e) { // the cluster has changed meanwhile, as a rule
      Throwable cause = e.getCause() == null ? e : e.getCause();
      terminal.err().println("The caches cannot be listed now: " + cause.getMessage());
      return null;
    }
  }

  /** A warning if nodes without security listen on addresses of a network. */
  private static String openDoors(Headrace node, ClusterStatus status) {
    boolean open =
        node.settings().security() instanceof Security.None
            && status.members().stream()
                .anyMatch(member -> !LOOPBACK.matcher(member.address()).matches());
    return open
        ? "\n\n"
            + TextTable.wrapped(
                "Security: none. Anybody who reaches the nodes' ports can read, change and delete"
                    + " everything.")
        : "";
  }

  /** Prints until the process is asked to end. What cannot be redrawn gets only changes. */
  private void watch(Headrace node) throws CommandFailure, InterruptedException {
    CountDownLatch ending = new CountDownLatch(1);
    String printed = "";
    try (var registration = terminal.interrupts().onInterrupt(ending::countDown)) {
      do {
        String text = text(node, terminal.redraws());
        String content = json ? text : EPOCH.matcher(text).replaceFirst("");
        if (terminal.redraws()) {
          terminal.out().print(TOP_AND_CLEAR + text + "\n");
          terminal.out().flush();
        } else if (!content.equals(printed)) {
          if (!json) {
            terminal.out().println("--- " + LocalDateTime.now(clock).format(TIME));
          }
          terminal.out().println(text);
          printed = content;
        }
        terminal.output().check();
      } while (!ending.await(1, TimeUnit.SECONDS));
    }
  }
}
