package dev.headrace.benchmarks.http.node;

import dev.headrace.benchmarks.harness.HarnessMessage;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where a node stands among the others. Immutable.
 *
 * @param index of this node, from 0
 * @param owners copies of each entry
 * @param memoryBytes the most heap that entries may take
 * @param membershipPorts of all nodes, where Headrace's meet
 * @param httpPorts of all nodes
 */
public record NodePlace(
    int index,
    int owners,
    long memoryBytes,
    List<Integer> membershipPorts,
    List<Integer> httpPorts) {

  /** Copies the lists. */
  public NodePlace {
    membershipPorts = List.copyOf(membershipPorts);
    httpPorts = List.copyOf(httpPorts);
  }

  /** How many nodes there are. */
  int nodes() {
    return httpPorts.size();
  }

  /** The port of this node. */
  int httpPort() {
    return httpPorts.get(index);
  }

  /**
   * The command that starts the node.
   *
   * @param system {@code headrace} or {@code proxy}
   */
  public HarnessMessage command(String system) {
    return HarnessMessage.of("start")
        .with("system", system)
        .with("index", index)
        .with("owners", owners)
        .with("memoryBytes", memoryBytes)
        .with("membershipPorts", text(membershipPorts))
        .with("httpPorts", text(httpPorts));
  }

  /** The place that a command tells. */
  static NodePlace of(HarnessMessage command) {
    return new NodePlace(
        command.whole("index"),
        command.whole("owners"),
        Long.parseLong(command.text("memoryBytes")),
        numbers(command.text("membershipPorts")),
        numbers(command.text("httpPorts")));
  }

  private static String text(List<Integer> ports) {
    return ports.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private static List<Integer> numbers(String text) {
    return Arrays.stream(text.split(",", -1)).map(Integer::valueOf).toList();
  }
}
