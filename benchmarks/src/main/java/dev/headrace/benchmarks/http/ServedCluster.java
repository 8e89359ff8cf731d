package dev.headrace.benchmarks.http;

import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.http.node.NodePlace;
import dev.headrace.benchmarks.http.node.NodeWorker;
import dev.headrace.benchmarks.peer.LoopbackPorts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Nodes with ports that speak HTTP, each in a JVM of its own, as nodes are run: so each has its own
 * heap, collector and compiler, and their CPU time can be told apart from the client's.
 */
final class ServedCluster implements AutoCloseable {
  private final String system;
  private final List<Fork> forks = new ArrayList<>();
  private final List<Integer> httpPorts;

  /**
   * What the nodes are like.
   *
   * @param system {@code headrace} or {@code proxy}
   * @param nodes how many
   * @param owners copies of each entry
   * @param heapMegabytes of each node
   * @param entryMegabytes the most of these that entries may take
   */
  record Shape(String system, int nodes, int owners, int heapMegabytes, int entryMegabytes) {}

  /** Starts the nodes and waits until they have their segments. */
  ServedCluster(Shape shape) {
    system = shape.system();
    int nodes = shape.nodes();
    List<Integer> ports = Arrays.stream(LoopbackPorts.free(2 * nodes)).boxed().toList();
    httpPorts = ports.subList(nodes, 2 * nodes);
    try {
      for (int i = 0; i < nodes; i++) {
        String name = "http-%s-%d-of-%d".formatted(system, i, nodes);
        List<String> heap =
            List.of(
                "-Xms" + shape.heapMegabytes() + "m",
                "-Xmx" + shape.heapMegabytes() + "m",
                "-XX:+AlwaysPreTouch", // the first touch of a page takes as long as a request
                // Pages of a store that are half a region waste the rest of it.
                "-XX:G1HeapRegionSize=4m");
        forks.add(Fork.start(name, NodeWorker.class, heap, List.of()));
      }
      for (int i = 0; i < nodes; i++) {
        long entryBytes = (long) shape.entryMegabytes() << 20;
        NodePlace place =
            new NodePlace(i, shape.owners(), entryBytes, ports.subList(0, nodes), httpPorts);
        forks.get(i).send(place.command(system));
      }
      forks.forEach(Fork::reply);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** {@code headrace} or {@code proxy}. */
  String system() {
    return system;
  }

  /** How many nodes there are. */
  int nodes() {
    return forks.size();
  }

  /** The port of the node that gets all requests. */
  int port() {
    return httpPorts.get(0);
  }

  /** The node that gets all requests. */
  Fork entrance() {
    return forks.get(0);
  }

  /** Lets all nodes do something at the same time; the commands are in the order of the nodes. */
  void all(List<HarnessMessage> commands) {
    for (int i = 0; i < commands.size(); i++) {
      forks.get(i).send(commands.get(i));
    }
    forks.forEach(Fork::reply);
  }

  /** CPU time of all nodes together, in seconds. */
  double cpuSeconds() {
    return forks.stream()
        .mapToDouble(fork -> fork.ask(HarnessMessage.of("cpu")).number("nanos") / 1e9)
        .sum();
  }

  /** What all compilers of the nodes have worked so far, in milliseconds of their own. */
  long compilationMillis() {
    return forks.stream()
        .mapToLong(fork -> fork.ask(HarnessMessage.of("compilation")).whole("millis"))
        .sum();
  }

  @Override
  public void close() {
    forks.forEach(Fork::close);
  }
}
