package dev.headrace.cli.cluster;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
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

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-c", "--cluster"},
      paramLabel = "NAME",
      defaultValue = "headrace",
      description = "The cluster's name (${DEFAULT-VALUE}).")
  private String cluster = "";

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
      defaultValue = "",
      description =
          "The folder through which they do, an absolute path (one in the system's temporary "
              + "folder).")
  private String folder = "";

  @Option(
      names = "--bind",
      paramLabel = "HOST",
      defaultValue = "127.0.0.1",
      description = "The address to listen on (${DEFAULT-VALUE}).")
  private String bind = "";

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "How long to look for the cluster (10; for the command node, 60).")
  private @Nullable Integer timeoutSeconds;

  @Mixin private SecurityOptions security = new SecurityOptions();

  /**
   * The settings of a node of that cluster, to be completed.
   *
   * @param lookSeconds how long to look for the cluster unless an option says otherwise
   * @throws ParameterException if an option has a wrong value
   */
  public NodeSettings.Builder settings(int lookSeconds) {
    int seconds = timeoutSeconds == null ? lookSeconds : timeoutSeconds;
    check(seconds);
    NodeSettings.Builder settings =
        NodeSettings.builder()
            .clusterName(cluster)
            .bindAddress(bind)
            .discovery(hosts.isEmpty() ? new Discovery.Local(folder) : new Discovery.Hosts(hosts))
            .joinTimeout(Duration.ofSeconds(seconds));
    security.to(settings);
    return settings;
  }

  /**
   * Starts a node with these settings.
   *
   * @throws ParameterException if a setting is out of its range
   * @throws CommandFailure if the node cannot start, or the cluster does not admit it
   */
  public Headrace start(NodeSettings.Builder builder) throws CommandFailure {
    NodeSettings settings;
    try {
      settings = builder.build();
    } catch (IllegalArgumentException e) {
      throw wrongly(OptionNames.inRange(String.valueOf(e.getMessage())), e);
    }
    try {
      return Headrace.start(settings);
    } catch (HeadraceException e) {
      throw new CommandFailure(OptionNames.in(String.valueOf(e.getMessage())), e);
    }
  }

  /**
   * Joins the cluster as a node that holds nothing.
   *
   * @throws CommandFailure if there is no such cluster
   */
  public Headrace join() throws CommandFailure {
    String name = spec.name() + "-" + UUID.randomUUID().toString().substring(0, 6);
    Headrace node;
    try {
      node = start(settings(LOOK_SECONDS).nodeName(name).capacity(0));
    } catch (CommandFailure e) {
      throw foundNone(e) ? noCluster(e.getCause()) : e;
    }
    if (holdsNothing(node.status())) {
      node.close();
      throw noCluster(null);
    }
    return node;
  }

  private void check(int seconds) {
    if (seconds < 1 || seconds > NodeSettings.MAX_TIMEOUT.toSeconds()) {
      throw wrongly(
          "--timeout must be between 1 and "
              + NodeSettings.MAX_TIMEOUT.toSeconds()
              + " (seconds), but is "
              + seconds,
          null);
    }
    if (!folder.isEmpty() && !Path.of(folder).isAbsolute()) {
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
        && String.valueOf(refusal.getMessage()).contains("found no cluster");
  }

  private CommandFailure noCluster(@Nullable Throwable cause) {
    String where =
        hosts.isEmpty()
            ? "on this machine, through " + OptionNames.folder(folder) + ","
            : "at " + String.join(", ", hosts);
    return new CommandFailure(
        CommandFailure.FAILED,
        "no cluster \""
            + cluster
            + "\" was found "
            + where
            + " within "
            + (timeoutSeconds == null ? LOOK_SECONDS : timeoutSeconds)
            + " s; start a node with: headrace node"
            + (cluster.equals("headrace") ? "" : " --cluster " + cluster),
        cause);
  }

  private static boolean holdsNothing(ClusterStatus status) {
    return status.members().stream().noneMatch(member -> member.capacity() > 0);
  }
}
