package dev.headrace.cli;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.LostSegments;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.SplitPolicy;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.cluster.HttpOptions;
import dev.headrace.cli.cluster.TableOptions;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.Terminal;
import dev.headrace.http.HttpServer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs a node until the process is asked to end. */
@Command(
    name = "node",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Starts a node, which runs until ctrl-C or SIGTERM.",
      "It joins its cluster, or founds it if it is the first, and prints which nodes come "
          + "and go; nodes that hold nothing, such as those of other commands, only with "
          + "--verbose. Before the process ends, the node hands over what it holds and leaves. "
          + "The exit code is then 130 after ctrl-C, 143 after SIGTERM.",
      "Nodes on one machine find each other by the cluster's name. On several machines, "
          + "give each node, the first included, --bind with an address that the others reach, "
          + "--port, and --join with the addresses of one or more nodes. If several start "
          + "together, only a node that --join names founds the cluster.",
      "All nodes of a cluster need the same --segments, --owners, --placement and " + "--split."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headrace node --name a",
      "  headrace node --http 8080",
      "  headrace node --config headrace.properties",
      "  headrace node --zone cellar --capacity 2",
      "  headrace node --bind 10.0.0.7 --port 7800 --join 10.0.0.7:7800,10.0.0.8:7800"
    })
final class NodeCommand implements Callable<Integer> {
  private static final long POLL_MILLIS = 250;
  private static final int DEFAULT_LEAVE_SECONDS = 600;

  private final Terminal terminal;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "The node's name in messages (a random name).")
  private @Nullable String name;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "The membership port, which other nodes name with --join (a free one).")
  private int port;

  @Option(
      names = "--data-port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "The port for operations and batches (a free one).")
  private int dataPort;

  @Option(
      names = "--capacity",
      paramLabel = "WEIGHT",
      defaultValue = "1",
      description =
          "How many segments the node holds, relative to other nodes; 0 for none "
              + "(${DEFAULT-VALUE}).")
  private double capacity;

  @Option(
      names = "--zone",
      paramLabel = "NAME",
      defaultValue = "",
      description =
          "The node's zone. Nodes of one zone may fail together, so a segment's owners are "
              + "spread over zones.")
  private String zone = "";

  @Option(
      names = "--repair-minutes",
      paramLabel = "MINUTES",
      defaultValue = "60",
      description =
          "The time in which the replicas of all segments are compared, and repaired, once; 0 "
              + "for only on demand (${DEFAULT-VALUE}).")
  private int repairMinutes;

  @Option(
      names = "--stream-memory",
      paramLabel = "BYTES",
      description =
          "The most that all streams of the node together may have buffered or in flight (a "
              + "quarter of the maximum heap).")
  private @Nullable Long streamMemory;

  @Option(
      names = "--operation-loops",
      paramLabel = "N",
      description =
          "Threads for operations and replication, and connections for them to each other node "
              + "(half of the cores, at least 1, at most 16).")
  private @Nullable Integer operationLoops;

  @Option(
      names = "--bulk-loops",
      paramLabel = "N",
      description =
          "Threads for batches of streams and copies, and connections for them to each other node "
              + "(half of the cores, at least 1, at most 16).")
  private @Nullable Integer bulkLoops;

  @Option(
      names = "--leave-seconds",
      paramLabel = "SECONDS",
      defaultValue = "" + DEFAULT_LEAVE_SECONDS,
      description =
          "How long a leaving node waits until others have taken over what it holds "
              + "(${DEFAULT-VALUE}).")
  private int leaveSeconds;

  @Option(
      names = "--memory",
      paramLabel = "BYTES",
      description =
          "The most heap that the node's entries may take; writes beyond it are refused (half "
              + "of the maximum heap).")
  private @Nullable Long memory;

  @Option(
      names = "--min-owners",
      paramLabel = "N",
      defaultValue = "1",
      description = "Refuse writes to a segment that has fewer owners (${DEFAULT-VALUE}).")
  private int minOwners;

  @Option(
      names = "--split",
      paramLabel = "POLICY",
      defaultValue = "deny",
      description =
          "What parts of the cluster do when they cannot reach each other. deny: only a majority,"
              + " or half with the oldest node, goes on. allow: all go on, and lose writes when"
              + " they meet again (${DEFAULT-VALUE}).")
  private SplitPolicy split = SplitPolicy.DENY;

  @Option(
      names = "--lost-segments",
      paramLabel = "wait|ended|SECONDS",
      defaultValue = "wait",
      description =
          "What happens to segments whose owners have all crashed or cannot be reached. wait: "
              + "they wait until an owner is back, or somebody gives them up. SECONDS: they begin "
              + "anew and empty after this time. ended: they do so once these nodes are known to "
              + "have ended. ended,SECONDS: whichever comes first. All nodes with a capacity need "
              + "the same setting (${DEFAULT-VALUE}).")
  private String lostSegments = "wait";

  @Mixin private TableOptions table = new TableOptions();
  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Mixin private HttpOptions http = new HttpOptions();

  NodeCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    NodeSettings.Builder settings = settings();
    var unused = http.settings(cluster); // what is wrong with them is told before the node starts
    Duration leave = cluster.built(settings).shutdownTimeout();
    CountDownLatch ending = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    try (var registration = terminal.interrupts().onInterrupt(() -> end(ending, ended, leave))) {
      try (Headrace node = cluster.start(settings);
          HttpServer server = http.start(node, cluster)) {
        run(node, server, ending);
        terminal.out().println("Leaving cluster \"" + node.settings().clusterName() + "\"");
      }
      return CommandFailure.INTERRUPTED;
    } finally {
      ended.countDown();
    }
  }

  private NodeSettings.Builder settings() {
    NodeSettings.Builder builder =
        cluster.settings(
            NodeSettings.builder().shutdownTimeout(Duration.ofSeconds(DEFAULT_LEAVE_SECONDS)));
    builder.shutdownHook(false); // it leaves by itself
    given("--port", () -> builder.membershipPort(port));
    given("--data-port", () -> builder.dataPort(dataPort));
    given("--capacity", () -> builder.capacity(capacity));
    given("--zone", () -> builder.zone(zone));
    given("--repair-minutes", () -> builder.repairInterval(Duration.ofMinutes(repairMinutes)));
    given("--segments", () -> builder.segments(table.segments()));
    given("--owners", () -> builder.owners(table.owners()));
    given("--placement", () -> builder.placement(table.placement()));
    given("--min-owners", () -> builder.minOwners(minOwners));
    given("--split", () -> builder.splitPolicy(split));
    given("--lost-segments", () -> builder.lostSegments(lostSegments()));
    given("--leave-seconds", () -> builder.shutdownTimeout(Duration.ofSeconds(leaveSeconds)));
    if (name != null) {
      builder.nodeName(name);
    }
    if (operationLoops != null) {
      builder.operationLoops(operationLoops);
    }
    if (bulkLoops != null) {
      builder.bulkLoops(bulkLoops);
    }
    if (streamMemory != null) {
      builder.streamMemoryBytes(streamMemory);
    }
    if (memory != null) {
      builder.memoryBytes(memory);
    }
    return builder;
  }

  /** Sets what an option says. Without it, the file, the environment or the default counts. */
  private void given(String option, Runnable set) {
    if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
      set.run();
    }
  }

  private LostSegments lostSegments() {
    String value = lostSegments.toLowerCase(Locale.ROOT);
    boolean whenEnded = value.startsWith("ended,");
    if (value.equals("wait")) {
      return LostSegments.WAIT;
    }
    if (value.equals("ended")) {
      return LostSegments.recreateWhenEnded();
    }
    try {
      String seconds = whenEnded ? value.substring(value.indexOf(',') + 1) : value;
      LostSegments after =
          LostSegments.recreateAfter(Duration.ofSeconds(Integer.parseInt(seconds)));
      return whenEnded ? after.orWhenEnded() : after;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(),
          "--lost-segments must be wait, ended, a number of seconds, or both as in ended,60, but is"
              + " \""
              + lostSegments
              + '"',
          e);
    }
  }

  /** Prints what happens until the process is asked to end. */
  private void run(Headrace node, @Nullable HttpServer server, CountDownLatch ending)
      throws CommandFailure, InterruptedException {
    terminal.out().println(started(node));
    if (server != null) {
      terminal.out().println("HTTP and its console on " + server.url());
    }
    boolean verbose = spec.root().findOption("--verbose").getValue();
    MembershipChanges changes = new MembershipChanges(verbose);
    do {
      ClusterStatus status;
      try {
        status = node.status();
      } catch (HeadraceException e) {
        throw new CommandFailure("the node stopped: " + e.getMessage(), e);
      }
      changes.since(status).forEach(terminal.out()::println);
    } while (!ending.await(POLL_MILLIS, TimeUnit.MILLISECONDS));
  }

  private static String started(Headrace node) {
    NodeSettings settings = node.settings();
    ClusterStatus status = node.status();
    String address =
        status.members().stream()
            .filter(ClusterStatus.Member::self)
            .map(ClusterStatus.Member::address)
            .findFirst()
            .orElse(settings.bindAddress());
    return "Node \""
        + settings.nodeName()
        + "\" of cluster \""
        + settings.clusterName()
        + "\" listens on "
        + address
        + (settings.membershipPort() == 0
            ? ""
            : ", membership on " + settings.bindAddress() + ":" + settings.membershipPort())
        + "; stop it with ctrl-C";
  }

  private static void end(CountDownLatch ending, CountDownLatch ended, Duration limit) {
    ending.countDown();
    try {
      if (!ended.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException(
            "The node did not leave within " + limit.toSeconds() + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
