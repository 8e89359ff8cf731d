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

/** Prints who is in the cluster and who holds what. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Prints who is in the cluster, who holds what, and the caches.",
      "Each member comes with the segments that it holds; segments that are lost and a rebalance"
          + " are told, and how large each cache is and of which formats.",
      "A segment has one primary, which orders its writes, and backups. There may be fewer owners"
          + " than configured, while there are fewer nodes that hold data."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headrace status",
      "  headrace status --watch",
      "  headrace status --json | jq .lostSegments"
    })
final class StatusCommand implements Callable<Integer> {
  private static final String TOP_AND_CLEAR = "\u001b[H\u001b[J";

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  /** The address of a node that only its own machine reaches. */
  private static final Pattern LOOPBACK =
      Pattern.compile("(127\\..*|localhost|\\[?(::1|0:0:0:0:0:0:0:1)]?):\\d+");

  private final Terminal terminal;
  private final Clock clock = Clock.system(ZoneId.systemDefault());

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(names = "--json", description = "Print a JSON object.")
  private boolean json;

  @Option(
      names = {"-w", "--watch"},
      description =
          "Keep it on the screen, made anew every second, until ctrl-C; in a file or pipe, print"
              + " the time and everything when something changed, without the nodes of other"
              + " commands.")
  private boolean watch;

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
    boolean goesOn = status.suspendedBecause() == null;
    CacheReport caches = goesOn ? caches(node) : null;
    if (goesOn && caches == null) {
      terminal.err().println("The cluster does not tell its caches now");
    }
    StatusReport report = new StatusReport(status, caches, withVisitors);
    return json ? report.json() : report.table() + openDoors(node, status);
  }

  private static @Nullable CacheReport caches(Headrace node) throws InterruptedException {
    try {
      return node.caches().get();
    } catch (ExecutionException e) { // the cluster has changed since it was looked at
      return null;
    }
  }

  /** What nodes without security on addresses of a network are. */
  private static String openDoors(Headrace node, ClusterStatus status) {
    boolean open =
        node.settings().security() instanceof Security.None
            && status.members().stream()
                .anyMatch(member -> !LOOPBACK.matcher(member.address()).matches());
    return open
        ? "\n\n"
            + "Security: none. Whoever reaches the nodes' ports can read, change and delete"
            + " everything."
        : "";
  }

  /** Prints until the process is asked to end; where lines cannot be drawn over, only changes. */
  private void watch(Headrace node) throws InterruptedException {
    CountDownLatch ending = new CountDownLatch(1);
    String printed = "";
    try (var registration = terminal.interrupts().onInterrupt(ending::countDown)) {
      do {
        String text = text(node, terminal.redraws());
        String content = json ? text : text.substring(text.indexOf('\n')); // not the epoch
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
      } while (!ending.await(1, TimeUnit.SECONDS));
    }
  }
}
