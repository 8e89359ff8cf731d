package dev.headrace.cluster.command;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.JoinRefusedException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which cluster a command means, and how it gets there. */
final class ClusterOptions {
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
          "Nodes to find the cluster by, with their membership ports; without it the nodes of this"
              + " machine find each other through a folder.")
  private List<String> hosts = List.of();

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      defaultValue = "",
      description = "That folder, an absolute path (one in the system's temporary folder).")
  private String folder = "";

  @Option(
      names = "--bind",
      paramLabel = "HOST",
      defaultValue = "127.0.0.1",
      description = "The address to listen on (${DEFAULT-VALUE}).")
  private String bind = "";

  @Option(
      names = "--segments",
      paramLabel = "N",
      defaultValue = "256",
      description = "The cluster's number of segments (${DEFAULT-VALUE}).")
  private int segments;

  @Option(
      names = "--owners",
      paramLabel = "N",
      defaultValue = "2",
      description = "The cluster's number of owners of a segment (${DEFAULT-VALUE}).")
  private int owners;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "How long to look for the cluster (${DEFAULT-VALUE}).")
  private int timeoutSeconds;

  String cluster() {
    return cluster;
  }

  /** Settings of a node of that cluster, to be completed. */
  NodeSettings.Builder settings() {
    return NodeSettings.builder()
        .clusterName(cluster)
        .bindAddress(bind)
        .segments(segments)
        .owners(owners)
        .discovery(hosts.isEmpty() ? new Discovery.Local(folder) : new Discovery.Hosts(hosts))
        .joinTimeout(Duration.ofSeconds(timeoutSeconds));
  }

  /**
   * Checks settings.
   *
   * @throws ParameterException if one is out of its range
   */
  NodeSettings checked(NodeSettings.Builder builder) {
    try {
      return builder.build();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /**
   * Joins the cluster as a node that holds nothing.
   *
   * @throws CommandFailure if there is no such cluster
   */
  Headrace join() throws CommandFailure {
    String name = spec.name() + "-" + UUID.randomUUID().toString().substring(0, 6);
    NodeSettings settings = checked(settings().nodeName(name).capacity(0));
    Headrace node;
    try {
      node = Headrace.start(settings);
    } catch (JoinRefusedException e) {
      throw e.getCause() instanceof TimeoutException
          ? noCluster(e)
          : new CommandFailure("cannot join cluster \"" + cluster + "\": " + e.getMessage(), e);
    }
    if (holdsNothing(node.status())) {
      node.close();
      throw noCluster(null);
    }
    return node;
  }

  private CommandFailure noCluster(@Nullable Throwable cause) {
    return new CommandFailure(
        CommandFailure.FAILED,
        "no cluster \""
            + cluster
            + "\" was found "
            + (hosts.isEmpty() ? "on this machine" : "at " + String.join(", ", hosts))
            + " within "
            + timeoutSeconds
            + " s; start a node with: headrace node"
            + (cluster.equals("headrace") ? "" : " --cluster " + cluster),
        cause);
  }

  private static boolean holdsNothing(ClusterStatus status) {
    return status.members().stream().noneMatch(member -> member.capacity() > 0);
  }
}
