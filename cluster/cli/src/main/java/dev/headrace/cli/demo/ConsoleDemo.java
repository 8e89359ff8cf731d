package dev.headrace.cli.demo;

import dev.headrace.api.ClusterStatus;
import dev.headrace.cli.progress.Figures;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.Terminal;
import dev.headrace.http.HttpServer;
import dev.headrace.http.HttpSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A cluster under load in which nodes come and go until ctrl-C, for the console to show. Used by
 * one thread; the interrupt comes from another.
 */
final class ConsoleDemo {
  private static final int NODES = 5;
  private static final long FIRST_SECONDS = 8;
  private static final long PAUSE_SECONDS = 15;
  private static final long POLL_MILLIS = 200;
  private static final long END_SECONDS = 30;

  private final Terminal terminal;
  private final PrintStream out;
  private final int port;

  /**
   * A demonstration.
   *
   * @param port of the console; 0 for a free one
   */
  ConsoleDemo(Terminal terminal, int port) {
    this.terminal = terminal;
    this.out = terminal.out();
    this.port = port;
  }

  /** Runs until ctrl-C. */
  int call() throws IOException, InterruptedException {
    CountDownLatch ending = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    try (var registration = terminal.interrupts().onInterrupt(() -> end(ending, ended))) {
      out.println("Starting " + NODES + " nodes, and loading the Unicode character database");
      try (DemoCluster cluster = DemoCluster.start(NODES)) {
        show(cluster, ending);
      }
      out.println("All nodes have ended");
      return CommandFailure.INTERRUPTED;
    } finally {
      ended.countDown();
    }
  }

  private void show(DemoCluster cluster, CountDownLatch ending) throws InterruptedException {
    Map<Integer, CodePoint> source = CodePoint.all();
    cluster.first().cache("unicode", Integer.class, CodePoint.class).putAll(source);
    try (HttpServer server =
            HttpServer.start(cluster.first(), HttpSettings.builder().port(port).build());
        DemoLoad load = DemoLoad.start(server.url() + "/v1/caches/unicode/entries", source)) {
      out.println();
      out.println("  Open " + server.url() + "/ in a browser. Ctrl-C ends the cluster.");
      out.println();
      change(cluster, ending);
    }
  }

  /** Lets nodes join, crash and leave, one after the other, until the end. */
  private void change(DemoCluster cluster, CountDownLatch ending) throws InterruptedException {
    boolean over = ending.await(FIRST_SECONDS, TimeUnit.SECONDS);
    for (int turn = 0; !over; turn++) {
      List<Integer> others = cluster.others();
      if (turn % 2 == 0) {
        out.println("A node joins");
        cluster.join();
      } else if (turn % 4 == 1) {
        int victim = others.get(others.size() / 2);
        out.println(name(cluster, victim) + " is killed");
        cluster.kill(victim);
      } else {
        out.println(name(cluster, others.get(0)) + " leaves");
        cluster.leave(others.get(0));
      }
      over = ending.await(PAUSE_SECONDS, TimeUnit.SECONDS);
      while (!over && !cluster.isSettled()) {
        over = ending.await(POLL_MILLIS, TimeUnit.MILLISECONDS);
      }
      if (!over) {
        settled(cluster.status());
      }
    }
  }

  private void settled(ClusterStatus status) {
    ClusterStatus.Rebalance last = status.rebalance();
    out.println(
        "  "
            + status.members().size()
            + " nodes, all in place"
            + (last == null
                ? ""
                : " after " + Figures.count(last.copies()) + " copies, " + bytes(last)));
  }

  private static String bytes(ClusterStatus.Rebalance last) {
    return Figures.bytes(last.bytes()) + " in " + Figures.duration(last.elapsed().toNanos());
  }

  private static String name(DemoCluster cluster, int index) {
    return cluster.node(index).settings().nodeName();
  }

  private static void end(CountDownLatch ending, CountDownLatch ended) {
    ending.countDown();
    try {
      if (!ended.await(END_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("The cluster did not end within " + END_SECONDS + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
