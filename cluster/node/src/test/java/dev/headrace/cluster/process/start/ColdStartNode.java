package dev.headrace.cluster.process.start;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A process with one node that starts together with others. It answers {@code = joined} when its
 * node has started and its first write has returned, and then each command with one line.
 *
 * <table>
 *   <caption>Commands</caption>
 *   <tr><td>{@code status}</td><td>tells epoch, coordinator and members</td></tr>
 *   <tr><td>{@code read NAMES}</td><td>reads what the nodes of these names, separated by commas,
 *       have written</td></tr>
 *   <tr><td>{@code leave}</td><td>ends the process, at once</td></tr>
 * </table>
 */
final class ColdStartNode {
  private static final Duration JOIN_LIMIT = Duration.ofMinutes(2);

  private final Headrace node;
  private final Cache<String, String> cache;

  private ColdStartNode(Headrace node) {
    this.node = node;
    this.cache = node.cache("first", String.class, String.class);
  }

  /**
   * Runs a node.
   *
   * @param args its name, the cluster's name, its membership port, and either {@code hosts} and
   *     hosts separated by commas, or {@code folder} and a path
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers =
        System.out; // checkstyle: off RegexpSinglelineJava because it answers here
    System.setOut(System.err); // checkstyle: off RegexpSinglelineJava because others must not
    ProcessHandle.current().parent().ifPresent(ColdStartNode::endWith);
    NodeSettings settings = settings(args[0], args[1], Integer.parseInt(args[2]), args[3], args[4]);
    ColdStartNode process;
    try {
      process = new ColdStartNode(Headrace.start(settings));
      process.cache.put(args[0], "written by " + args[0]);
    } catch (HeadraceException e) {
      answers.println("failed " + e.toString().replace('\n', ' '));
      return;
    }
    answers.println("= joined");
    process.serve(answers);
  }

  private static void endWith(ProcessHandle parent) {
    var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
  }

  /** The settings of a node; see {@link #main}. */
  static NodeSettings settings(String name, String cluster, int port, String kind, String where) {
    return NodeSettings.builder()
        .nodeName(name)
        .clusterName(cluster)
        .membershipPort(port)
        .discovery(
            kind.equals("hosts")
                ? new Discovery.Hosts(List.of(where.split(",")))
                : new Discovery.Local(where))
        .joinTimeout(JOIN_LIMIT)
        .busyPoll(Duration.ZERO) // many nodes share few cores
        .build();
  }

  private void serve(PrintStream answers) throws IOException {
    try (BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      String command = commands.readLine();
      while (command != null && !command.equals("leave")) {
        answers.println(reply(command.split(" ")));
        command = commands.readLine();
      }
    }
    Runtime.getRuntime().halt(0);
  }

  private String reply(String[] command) {
    try {
      return "= " + (command[0].equals("status") ? describe(node.status()) : read(command[1]));
    } catch (HeadraceException e) {
      return "failed " + e.toString().replace('\n', ' ');
    }
  }

  /** What nodes of one cluster agree on, as one line. */
  static String describe(ClusterStatus status) {
    return "epoch %d of %s"
        .formatted(
            status.epoch(),
            status.members().stream()
                .map(member -> member.name() + (member.coordinator() ? "*" : ""))
                .sorted()
                .collect(Collectors.joining(" ")));
  }

  private String read(String names) {
    for (String name : names.split(",", -1)) {
      String value = cache.get(name);
      if (!("written by " + name).equals(value)) {
        return "what " + name + " has written reads as " + value;
      }
    }
    return "all read";
  }
}
