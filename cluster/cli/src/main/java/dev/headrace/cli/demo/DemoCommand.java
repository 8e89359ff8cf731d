package dev.headrace.cli.demo;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.CloseableIterator;
import dev.headrace.cli.progress.Figures;
import dev.headrace.cli.terminal.Terminal;
import java.io.IOException;
import java.io.PrintStream;
import java.util.BitSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows a cluster at work, and checks it. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Shows Headrace at work, in one process.",
      "It touches no other cluster. Six nodes hold the Unicode character database that "
          + "comes with the JDK: all assigned code points, except surrogates and private use, "
          + "with their names, blocks, scripts and categories. It is streamed four times: at "
          + "rest, while a seventh node joins, while a node is killed, and while a node leaves. "
          + "Each time the result is compared with the source. The exit code is 1 if an entry "
          + "is missing, came twice, or is wrong.",
      "With --console it checks nothing, but keeps a cluster of five nodes under load, lets nodes "
          + "join, leave and crash, and prints where a browser sees it. Ctrl-C ends it."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final int NODES = 6;
  private static final int VICTIM = 3;
  private static final int LEAVER = 5;
  private static final int BATCH_SIZE = 4_096;

  @Option(
      names = "--console",
      description = "Keep a cluster running with load, for the page that shows it in a browser.")
  private boolean console;

  @Option(
      names = "--http",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "The port of that page on 127.0.0.1 (a free one).")
  private int port;

  private final Terminal terminal;
  private final PrintStream out;
  private final Screen screen;
  private boolean failed;

  /** A demonstration on a terminal. */
  public DemoCommand(Terminal terminal) {
    this.terminal = terminal;
    out = terminal.out();
    screen = new Screen(out);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (console) {
      return new ConsoleDemo(terminal, port).call();
    }
    long startNanos = System.nanoTime();
    try (DemoCluster cluster = DemoCluster.start(NODES)) {
      out.println("Headrace demo: " + NODES + " nodes in this process, cluster " + cluster.name());
      screen.step(NODES + " nodes found each other", System.nanoTime() - startNanos);
      placement(cluster.status());
      Map<Integer, CodePoint> source = CodePoint.all();
      load(open(cluster.first()), source);
      stream(open(cluster.first()), source);
      streamWhileNodeJoins(cluster, source);
      streamWhileNodeDies(cluster, source);
      streamWhileNodeLeaves(cluster, source);
    }
    out.println();
    out.println(
        (failed ? "FAILED" : "All checks hold")
            + " after "
            + Figures.duration(System.nanoTime() - startNanos)
            + ", shutdown included.");
    return failed ? 1 : 0;
  }

  private static Cache<Integer, CodePoint> open(Headrace node) {
    return node.cache("unicode", Integer.class, CodePoint.class);
  }

  private void placement(ClusterStatus status) {
    var replicas =
        status.members().stream()
            .mapToInt(member -> member.primarySegments() + member.backupSegments())
            .summaryStatistics();
    screen.line(
        status.segments()
            + " segments, "
            + status.effectiveOwners()
            + " owners each; every node holds "
            + (replicas.getMin() == replicas.getMax()
                ? String.valueOf(replicas.getMin())
                : replicas.getMin() + " to " + replicas.getMax())
            + " of them");
  }

  private void load(Cache<Integer, CodePoint> cache, Map<Integer, CodePoint> source) {
    long startNanos = System.nanoTime();
    cache.putAll(source);
    long nanos = System.nanoTime() - startNanos;
    screen.step(
        "Loaded " + Figures.count(source.size()) + " code points, " + rate(source.size(), nanos),
        nanos);
    CodePoint grin = cache.get(0x1F600);
    screen.line(
        grin == null
            ? "U+1F600 is missing"
            : "such as U+1F600 -> "
                + String.join(", ", grin.name(), grin.block(), grin.script(), grin.category()));
    check("the cache counts " + Figures.count(cache.size()), cache.size() == source.size());
  }

  private void stream(Cache<Integer, CodePoint> cache, Map<Integer, CodePoint> source) {
    ExactlyOnce delivered = new ExactlyOnce(source);
    StreamWatch watch = new StreamWatch();
    long startNanos = System.nanoTime();
    Map<String, Integer> scripts =
        cache.stream()
            .batchSize(BATCH_SIZE)
            .listener(watch)
            .entries()
            .toFlowable()
            .doOnNext(delivered::received)
            .map(entry -> entry.getValue().script())
            .<Map<String, Integer>>collect(
                TreeMap::new, (counts, script) -> counts.merge(script, 1, Integer::sum))
            .blockingGet();
    long nanos = System.nanoTime() - startNanos;
    screen.step("Streamed them all, counting scripts, " + rate(delivered.count(), nanos), nanos);
    screen.bars(scripts);
    lanes(watch);
    report(delivered, watch);
  }

  private void streamWhileNodeJoins(DemoCluster cluster, Map<Integer, CodePoint> source) {
    streamWhile("a seventh node joined", cluster, source, sofar -> cluster.join());
    cluster.awaitMembers(NODES + 1);
    moved(cluster, "the new node took its share");
  }

  private void streamWhileNodeDies(DemoCluster cluster, Map<Integer, CodePoint> source) {
    String victim = cluster.node(VICTIM).settings().nodeName();
    BitSet held = heldBy(cluster.node(VICTIM));
    BitSet open = new BitSet();
    StreamWatch watch =
        streamWhile(
            victim + " was killed",
            cluster,
            source,
            sofar -> {
              open.or(held);
              open.andNot(sofar.completed());
              cluster.kill(VICTIM);
            });
    screen.line(
        "It held "
            + held.cardinality()
            + " segments, "
            + open.cardinality()
            + " of them not finished.");
    screen.line("Their other owners took over at the cursor:");
    screen.numbers("segments", open.stream().boxed().toList());
    lanes(watch);
    cluster.awaitMembers(NODES);
    moved(cluster, "its replicas were replaced");
    ClusterStatus status = cluster.status();
    check(
        status.members().size()
            + " nodes go on; "
            + (status.lostSegments().isEmpty()
                ? "no segment is lost"
                : status.lostSegments().size() + " segments are lost"),
        status.lostSegments().isEmpty());
  }

  private void streamWhileNodeLeaves(DemoCluster cluster, Map<Integer, CodePoint> source) {
    String leaver = cluster.node(LEAVER).settings().nodeName();
    streamWhile(leaver + " left in order", cluster, source, sofar -> cluster.leave(LEAVER));
    cluster.awaitMembers(NODES - 1);
    moved(cluster, "what it held went to the others");
  }

  /** Streams everything, and lets something happen when a third has arrived. */
  private StreamWatch streamWhile(
      String what,
      DemoCluster cluster,
      Map<Integer, CodePoint> source,
      Consumer<StreamWatch> happens) {
    ExactlyOnce delivered = new ExactlyOnce(source);
    StreamWatch watch = new StreamWatch();
    CacheStream<Integer, CodePoint> stream =
        open(cluster.first()).stream().batchSize(BATCH_SIZE).listener(watch);
    long startNanos = System.nanoTime();
    stream
        .entries()
        .toFlowable()
        .blockingForEach(
            entry -> {
              delivered.received(entry);
              if (delivered.count() == source.size() / 3) {
                happens.accept(watch);
              }
            });
    screen.step("Streamed them again while " + what, System.nanoTime() - startNanos);
    report(delivered, watch);
    return watch;
  }

  /** Waits until segments no longer move, and tells how many did. */
  private void moved(DemoCluster cluster, String how) {
    ClusterStatus.Rebalance rebalance = cluster.awaitBalanced();
    screen.line("Then " + how + ":");
    check(
        String.format(
            "%s segments copied, where %s is the least possible, %s in %s",
            Figures.count(rebalance.copies()),
            Figures.count(rebalance.lowerBound()),
            Figures.bytes(rebalance.bytes()),
            Figures.duration(rebalance.elapsed().toNanos())),
        rebalance.copies() <= Math.ceil(rebalance.lowerBound() * 1.05));
  }

  /** The segments that a node owns: those that it reads from itself. */
  private static BitSet heldBy(Headrace node) {
    Cache<Integer, CodePoint> cache = open(node);
    String name = node.settings().nodeName();
    BitSet held = new BitSet();
    for (int segment = 0; segment < node.status().segments(); segment++) {
      StreamWatch watch = new StreamWatch();
      try (CloseableIterator<Integer> keys =
          cache.stream().segments(Set.of(segment)).listener(watch).keys().iterator()) {
        while (keys.hasNext()) {
          keys.next();
        }
      }
      held.set(segment, watch.entriesByNode().containsKey(name));
    }
    return held;
  }

  private void report(ExactlyOnce delivered, StreamWatch watch) {
    check(
        "at most "
            + Figures.count(watch.largestBuffer())
            + " entries were buffered or in flight; allowed are "
            + Figures.count(BATCH_SIZE),
        watch.largestBuffer() <= BATCH_SIZE);
    check(delivered.verdict(), delivered.holds());
  }

  private void lanes(StreamWatch watch) {
    StringBuilder row = new StringBuilder("by node");
    for (Map.Entry<String, Integer> lane : watch.entriesByNode().entrySet()) {
      String text = lane.getKey().replace("node-", "") + ": " + Figures.count(lane.getValue());
      if (row.length() + 2 + text.length() > Screen.LINE) {
        screen.line(row.toString());
        row = new StringBuilder("       ");
      }
      row.append("  ").append(text);
    }
    screen.line(row.toString());
  }

  private void check(String what, boolean holds) {
    screen.check(what, holds);
    failed |= !holds;
  }

  private static String rate(int entries, long nanos) {
    return Figures.rate(entries, nanos);
  }
}
