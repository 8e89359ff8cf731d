package dev.headrace.cli.cluster;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeConfiguration;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.JoinTimeoutException;
import dev.headrace.cli.terminal.CommandFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The cluster that a command means, and how its node joins it. */
public final class ClusterOptions {
  private static final int LOOK_SECONDS = 10;
  private static final String FOUND_NONE = "found no cluster";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-c", "--cluster"},
      paramLabel = "NAME",
      description = "The cluster's name (headrace).")
  private @Nullable String cluster;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "A file with settings of nodes; the guide lists them. Environment variables such as "
              + "HEADRACE_MEMORY_BYTES, and options, count more.")
  private @Nullable Path config;

  @Option(
      names = "--join",
      paramLabel = "HOST:PORT",
      split = ",",
      description =
          "Nodes through which to find the cluster, with their membership ports. Without it, "
              + "nodes on one machine find each other through a folder.")
  private List<String> hosts = List.of();

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description =
          "The folder through which they do, an absolute path (one in the system's temporary "
              + "folder).")
  private @Nullable String folder;

  @Option(
      names = "--bind",
      paramLabel = "HOST",
      description = "The address to listen on (127.0.0.1).")
  private @Nullable String bind;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "How long to look for the cluster (10; for the command node, 60).")
  private @Nullable Integer timeoutSeconds;

  @Mixin private SecurityOptions security = new SecurityOptions();

  /**
   * The settings of a node of that cluster, to be completed: those of the file, then those of the
   * environment, then those of the options.
   *
   * @param base has what none of these sets
   * @throws ParameterException if one has a wrong value
   */
  public NodeSettings.Builder settings(NodeSettings.Builder base) {
    check();
    NodeSettings.Builder settings;
    try {
      settings = NodeConfiguration.of(base, config, security.over(this::variable)::find);
    } catch (HeadraceException e) {
      throw wrongly(security.named(String.valueOf(e.getMessage())), e);
    } catch (IllegalArgumentException e) {
      throw wrongly(OptionNames.inRange(String.valueOf(e.getMessage())), e);
    }
    if (cluster != null) {
      settings.clusterName(cluster);
    }
    if (bind != null) {
      settings.bindAddress(bind);
    }
    if (!hosts.isEmpty() && (!given("--folder") || given("--join"))) {
      settings.discovery(new Discovery.Hosts(hosts));
    } else if (folder != null) {
      settings.discovery(new Discovery.Local(folder));
    }
    if (timeoutSeconds != null) {
      settings.joinTimeout(Duration.ofSeconds(timeoutSeconds));
    }
    return settings;
  }

  /** Whether an option stands in the command line, rather than in the environment. */
  private boolean given(String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  /** The file of settings; null if there is none. */
  @Nullable Path config() {
    return config;
  }

  /** The value of an environment variable; null if it is not set. */
  @Nullable String variable(String name) {
    return spec.root().defaultValueProvider() instanceof EnvironmentDefaults environment
        ? environment.find(name)
        : null;
  }

  /**
   * Starts a node with these settings.
   *
   * @throws ParameterException if a setting is out of its range
   * @throws CommandFailure if the node cannot start, or the cluster does not admit it
   */
  public Headrace start(NodeSettings.Builder builder) throws CommandFailure {
    return start(built(builder));
  }

  /**
   * Completes settings.
   *
   * @throws ParameterException if a setting is out of its range
   */
  public NodeSettings built(NodeSettings.Builder builder) {
    try {
      return builder.build();
    } catch (IllegalArgumentException e) {
      throw wrongly(OptionNames.inRange(String.valueOf(e.getMessage())), e);
    }
  }

  private static Headrace start(NodeSettings settings) throws CommandFailure {
    try {
      return Headrace.start(settings);
    } catch (HeadraceException e) {
      String longer = isUnanswered(e) ? "; or wait longer, with --timeout SECONDS" : "";
      throw new CommandFailure(OptionNames.in(e.getMessage() + longer), e);
    }
  }

  /** Whether somebody was found who did not answer in time, rather than nobody or no quorum. */
  private static boolean isUnanswered(HeadraceException failure) {
    String message = String.valueOf(failure.getMessage());
    return failure instanceof JoinTimeoutException
        && !message.contains(FOUND_NONE)
        && !message.contains("does not replace a missing one");
  }

  /**
   * Joins the cluster as a node that holds nothing.
   *
   * @throws CommandFailure if there is no such cluster
   */
  public Headrace join() throws CommandFailure {
    String name = spec.name() + "-" + UUID.randomUUID().toString().substring(0, 6);
    NodeSettings.Builder builder =
        settings(NodeSettings.builder())
            .nodeName(name)
            .capacity(0)
            .membershipPort(0) // the file's and the environment's are those of a node beside it
            .dataPort(0);
    if (timeoutSeconds == null) {
      builder.joinTimeout(Duration.ofSeconds(LOOK_SECONDS));
    }
    NodeSettings settings = built(builder);
    Headrace node;
    try {
      node = start(settings);
    } catch (CommandFailure e) {
      throw foundNone(e) ? noCluster(settings, e.getCause()) : e;
    }
    if (holdsNothing(node.status())) {
      node.close();
      throw noCluster(settings, null);
    }
    return node;
  }

  private void check() {
    int seconds = timeoutSeconds == null ? LOOK_SECONDS : timeoutSeconds;
    if (seconds < 1 || seconds > NodeSettings.MAX_TIMEOUT.toSeconds()) {
      throw wrongly(
          "--timeout must be between 1 and "
              + NodeSettings.MAX_TIMEOUT.toSeconds()
              + " (seconds), but is "
              + seconds,
          null);
    }
    if (given("--join") && given("--folder")) {
      throw wrongly("--join and --folder are two ways to find the cluster; leave out one", null);
    }
    if (folder != null && !Path.of(folder).isAbsolute()) {
      throw wrongly(
          "--folder must be an absolute path, the same for all nodes, but is \"" + folder + "\"",
          null);
    }
    for (String host : hosts) {
      if (!host.matches(".+:[0-9]{1,5}")) {
        throw wrongly(
            "--join takes HOST:PORT, but \"" + host + "\" has no port; add the --port of that node",
            null);
      }
    }
  }

  private ParameterException wrongly(String message, @Nullable Throwable cause) {
    return new ParameterException(spec.commandLine(), message, cause);
  }

  /** Whether no cluster was found, rather than one that did not admit the node. */
  private static boolean foundNone(CommandFailure failure) {
    Throwable refusal = failure.getCause();
    return refusal != null
        && refusal.getCause() instanceof TimeoutException
        && String.valueOf(refusal.getMessage()).contains(FOUND_NONE);
  }

  private static CommandFailure noCluster(NodeSettings settings, @Nullable Throwable cause) {
    String name = settings.clusterName();
    return new CommandFailure(
        CommandFailure.FAILED,
        "no cluster \""
            + name
            + "\" was found "
            + where(settings.discovery())
            + " within "
            + settings.joinTimeout().toSeconds()
            + " s; start a node with: headrace node"
            + (name.equals("headrace") ? "" : " --cluster " + name),
        cause);
  }

  private static String where(Discovery discovery) {
    if (discovery instanceof Discovery.Local local) {
      return "on this machine, through " + OptionNames.folder(local.folder()) + ",";
    }
    return discovery instanceof Discovery.Hosts named
        ? "at " + String.join(", ", named.hosts())
        : "by " + discovery;
  }

  private static boolean holdsNothing(ClusterStatus status) {
    return status.members().stream().noneMatch(member -> member.capacity() > 0);
  }
}
