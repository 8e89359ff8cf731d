package dev.headrace.cluster.process.start;

import dev.headrace.cluster.membership.FreePorts;
import dev.headrace.cluster.process.Child;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Starts five processes at the same moment, again and again, and tells whether they formed one
 * cluster, and how soon.
 *
 * <pre>ColdStarts ROUNDS hosts|folder NAMED_HOSTS BURNING_THREADS</pre>
 */
final class ColdStarts {
  private static final int NODES = 5;
  private static final Duration BAR = Duration.ofSeconds(15);
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final long RECHECK_MILLIS = 50;

  private final String kind;
  private final int named;
  private final PrintStream out;

  private ColdStarts(String kind, int named, PrintStream out) {
    this.kind = kind;
    this.named = named;
    this.out = out;
  }

  /** Runs; see the class. */
  public static void main(String[] args) throws Exception {
    PrintStream out = System.out; // checkstyle: off RegexpSinglelineJava because it reports here
    int rounds = Integer.parseInt(args[0]);
    ColdStarts starts = new ColdStarts(args[1], Integer.parseInt(args[2]), out);
    for (int burner = 0; burner < Integer.parseInt(args[3]); burner++) {
      Process burning =
          new ProcessBuilder("sh", "-c", "while kill -0 $PPID 2>/dev/null; do :; done").start();
      Runtime.getRuntime().addShutdownHook(new Thread(burning::destroyForcibly));
    }
    List<Double> times = new ArrayList<>();
    int failed = 0;
    for (int round = 0; round < rounds; round++) {
      double seconds = starts.round(round);
      times.add(seconds);
      failed += seconds <= BAR.toSeconds() ? 0 : 1;
    }
    times.sort(null);
    out.printf(
        "%d rounds of %d nodes by %s (%d hosts named), %s burning: %d failed; median %.1f s,"
            + " longest %.1f s%n",
        rounds,
        NODES,
        args[1],
        starts.named,
        args[3],
        failed,
        times.get(rounds / 2),
        times.get(rounds - 1));
    Runtime.getRuntime().exit(failed == 0 ? 0 : 1);
  }

  /** How long it took until all five were one cluster, in seconds; infinite if they never were. */
  private double round(int round) throws IOException, InterruptedException {
    String cluster = "cold-" + UUID.randomUUID();
    Path folder =
        Files.createDirectories(Path.of("target", "cold-starts", cluster).toAbsolutePath());
    List<Integer> ports = FreePorts.some(NODES);
    String where =
        kind.equals("hosts")
            ? ports.stream()
                .limit(named)
                .map(port -> "127.0.0.1:" + port)
                .collect(Collectors.joining(","))
            : folder.toString();
    long startNanos = System.nanoTime();
    List<Child> nodes = new ArrayList<>();
    try {
      for (int i : order(round)) {
        String port = kind.equals("hosts") ? ports.get(i).toString() : "0";
        nodes.add(
            Child.start(
                ColdStartNode.class,
                "n" + i,
                folder.resolve("n" + i + ".log"),
                List.of(cluster, port, kind, where),
                out::println));
      }
      String obstacle = awaitOne(nodes, startNanos);
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      out.printf("round %d: %.1f s%s%n", round, seconds, obstacle == null ? "" : ": " + obstacle);
      if (obstacle != null || seconds > BAR.toSeconds()) {
        out.println("logs in " + folder);
      }
      return obstacle == null ? seconds : Double.POSITIVE_INFINITY;
    } finally {
      nodes.forEach(Child::close);
    }
  }

  /** In another order each time, since the machine starts one process after the other. */
  private static int[] order(int round) {
    return IntStream.range(0, NODES).map(i -> (i + round) % NODES).toArray();
  }

  /** Waits until all nodes are one cluster and read what each has written; null if they do. */
  private static @Nullable String awaitOne(List<Child> nodes, long startNanos)
      throws InterruptedException {
    for (Child node : nodes) {
      try {
        node.awaitJoined();
      } catch (AssertionError e) {
        return e.getMessage();
      }
    }
    String names = nodes.stream().map(Child::name).collect(Collectors.joining(","));
    String obstacle = disagreement(nodes, names);
    while (obstacle != null && System.nanoTime() - startNanos < LIMIT.toNanos()) {
      Thread.sleep(RECHECK_MILLIS); // checkstyle: off RegexpSinglelineJava because they are polled
      obstacle = disagreement(nodes, names);
    }
    return obstacle;
  }

  private static @Nullable String disagreement(List<Child> nodes, String names)
      throws InterruptedException {
    Set<String> seen = new HashSet<>();
    for (Child node : nodes) {
      seen.add(node.answerTo("status"));
    }
    if (seen.size() > 1 || seen.iterator().next().split(" ").length != NODES + 4) {
      return seen.toString();
    }
    for (Child node : nodes) {
      String answer = node.answerTo("read " + names);
      if (!answer.equals("= all read")) {
        return node.name() + ": " + answer;
      }
    }
    return null;
  }
}
