package dev.headrace.cluster.process;

import dev.headrace.api.Cache;
import dev.headrace.api.Discovery;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.node.HeadraceNode;
import dev.headrace.cluster.process.work.FurtherWork;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process with one node. Each line of its standard input is a command, and gets one line as its
 * answer: {@code = text}, {@code failed reason}, or {@code closed reason} once the node has ended.
 * Violations are told as they are found, as {@code ! text}. The end of the input ends the process.
 *
 * <table>
 *   <caption>Commands</caption>
 *   <tr><td>{@code load}</td><td>puts the loaded keys</td></tr>
 *   <tr><td>{@code write N}</td><td>begins to write, with the Nth half of the hands</td></tr>
 *   <tr><td>{@code read}</td><td>begins to read written keys</td></tr>
 *   <tr><td>{@code stream N}</td><td>begins to stream, N entries at a time</td></tr>
 *   <tr><td>{@code more}</td><td>begins {@link FurtherWork}</td></tr>
 *   <tr><td>{@code finish}</td><td>ends that when all processes rest, and tells how much it was</td></tr>
 *   <tr><td>{@code probe}</td><td>begins to read and write all the time, to see outages</td></tr>
 *   <tr><td>{@code outage}</td><td>tells the {@link Outage} of reads, and of writes, since it was asked last</td></tr>
 *   <tr><td>{@code status}</td><td>tells the {@link TableStatus}</td></tr>
 *   <tr><td>{@code describe}</td><td>tells what goes on</td></tr>
 *   <tr><td>{@code report}</td><td>tells the {@link Findings}</td></tr>
 *   <tr><td>{@code rest}</td><td>ends what was begun</td></tr>
 *   <tr><td>{@code verify}</td><td>reads and streams everything while nobody writes</td></tr>
 *   <tr><td>{@code destroy}</td><td>removes a cache that it has made</td></tr>
 *   <tr><td>{@code leave}</td><td>leaves in order, and ends the process</td></tr>
 * </table>
 */
final class NodeMain {
  static final int SEGMENTS = 64;

  private static final Logger LOG = LoggerFactory.getLogger(NodeMain.class);
  private static final int LOAD_ENTRIES = 5_000;
  private static final int READERS = 16;
  private static final int PORTION_ENTRIES = 1_000;

  private final HeadraceNode node;
  private final Board board;
  private final PrintStream answers;
  private final Findings findings;
  private final Cache<String, String> content;
  private final Cache<String, Long> counters;
  private final Shifts shifts;
  private final Probed probedReads = new Probed();
  private final Probed probedWrites = new Probed();
  private @Nullable FurtherWork further;

  private NodeMain(HeadraceNode node, Board board, PrintStream answers) {
    this.node = node;
    this.board = board;
    this.answers = answers;
    this.findings = new Findings(this::violated);
    this.content = node.cache("content", String.class, String.class);
    this.counters = node.cache("counters", String.class, Long.class);
    this.shifts = new Shifts(findings);
  }

  /**
   * Runs a node.
   *
   * @param args its name, its capacity, the cluster's name, the folder in which nodes meet, the
   *     board's file, the address to listen on, and how many owners a segment has
   */
  public static void main(String[] args) throws IOException {
    PrintStream answers =
        System.out; // checkstyle: off RegexpSinglelineJava because it answers here
    System.setOut(System.err); // checkstyle: off RegexpSinglelineJava because others must not
    ProcessHandle.current().parent().ifPresent(NodeMain::endWith);
    NodeSettings settings =
        NodeSettings.builder()
            .nodeName(args[0])
            .capacity(Double.parseDouble(args[1]))
            .clusterName(args[2])
            .discovery(new Discovery.Local(args[3]))
            .bindAddress(args[5])
            .segments(SEGMENTS)
            .owners(Integer.parseInt(args[6]))
            .operationTimeout(Duration.ofSeconds(5)) // shorter than it takes to notice a pause
            .joinTimeout(Duration.ofSeconds(60))
            .busyPoll(Duration.ZERO) // many processes share few cores
            .build();
    NodeMain process =
        new NodeMain(HeadraceNode.start(settings), Board.open(Path.of(args[4])), answers);
    answers.println("= joined");
    process.serve();
  }

  /** Whatever this process is about, it does not outlive the one that started it. */
  private static void endWith(ProcessHandle parent) {
    var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
  }

  private void serve() throws IOException {
    try (BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      String command = commands.readLine();
      while (command != null && !command.equals("leave")) {
        answers.println(oneLine(reply(command)));
        command = commands.readLine();
      }
      if (command == null) {
        Runtime.getRuntime().halt(1); // whoever started this is gone
      }
    }
    node.close(); // while reads go on
    shifts.close();
  }

  private String reply(String command) {
    try {
      return "= " + obey(command.split(" "));
    } catch (NodeClosedException e) {
      return "closed " + e.getMessage();
    } catch (HeadraceException e) {
      LOG.error(command + " failed", e);
      return "failed " + e;
    }
  }

  private String obey(String[] command) {
    switch (command[0]) {
      case "load" -> load();
      case "write" -> write(Integer.parseInt(command[1]));
      case "read" -> read();
      case "stream" -> shifts.streaming(streamer(Integer.parseInt(command[1])));
      case "more" -> more();
      case "finish" -> {
        return finish();
      }
      case "probe" -> {
        Prober.read(node, shifts, probedReads, findings);
        Prober.write(node, shifts, probedWrites, findings);
      }
      case "outage" -> {
        return probedReads.take() + " " + probedWrites.take();
      }
      case "status" -> {
        return TableStatus.of(node.status()).toString();
      }
      case "describe" -> {
        return node.describe();
      }
      case "report" -> {
        return findings.toString();
      }
      case "rest" -> shifts.close();
      case "verify" -> verify();
      case "destroy" -> destroy();
      default -> throw new IllegalArgumentException("There is no command " + command[0]);
    }
    return "done";
  }

  private void load() {
    Map<String, String> some = new HashMap<>();
    for (int number = 0; number < Content.LOADED; number++) {
      some.put(Content.loadedKey(number), Content.loadedValue(number));
      if (some.size() == LOAD_ENTRIES || number == Content.LOADED - 1) {
        content.putAll(some);
        some.clear();
      }
    }
  }

  private void write(int half) {
    int hands = Content.HANDS / 2;
    for (int hand = half * hands; hand < (half + 1) * hands; hand++) {
      shifts.writing(new Writer(content, counters, board, findings, hand)::turn);
    }
  }

  /** A node that is cut off keeps reads of what it does not own waiting, so there are many. */
  private void read() {
    for (int first = 0; first < Content.WRITTEN; first += Content.WRITTEN / READERS) {
      shifts.reading(reader(first)::turn);
    }
  }

  private void verify() {
    reader(0).readAll();
    try (Streamer streamer = streamer(PORTION_ENTRIES)) {
      streamer.streamAll();
    }
  }

  private void more() {
    FurtherWork work = new FurtherWork(node, findings::object);
    further = work;
    work.turns().forEach(shifts::reading);
  }

  private String finish() {
    try (FurtherWork work = Objects.requireNonNull(further, "more")) {
      further = null;
      return work.finish();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void destroy() {
    Cache<String, String> passing = node.cache("short-lived", String.class, String.class);
    passing.put("key", "value");
    try {
      node.destroy("short-lived").join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof HeadraceException known ? known : e;
    }
  }

  private Reader reader(int first) {
    return new Reader(content, counters, board, findings, first);
  }

  private Streamer streamer(int entriesPerTurn) {
    return new Streamer(content, () -> node.status().epoch(), board, findings, entriesPerTurn);
  }

  private void violated(String what) {
    LOG.error(what + "; status: " + reply("status"));
    answers.println("! " + oneLine(what));
  }

  private static String oneLine(String text) {
    return text.replace('\n', ' ').replace('\r', ' ');
  }
}
