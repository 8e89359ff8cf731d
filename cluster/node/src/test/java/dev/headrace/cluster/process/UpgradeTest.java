package dev.headrace.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.cluster.message.ForgetCache;
import dev.headrace.cluster.process.Findings.Count;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster of the previous version of the protocol is upgraded node by node, while it is written,
 * read and streamed, loaded by sinks, streamed by conditions, and its changes are followed. What
 * only the next version knows works when the last old node has gone. The jar of the previous
 * version holds the classes of all modules below a node.
 */
final class UpgradeTest {
  private static final Path PREVIOUS =
      Path.of("src/test/previous/headrace-protocol-%d.jar".formatted(ForgetCache.PROTOCOL - 1));

  /** What the jar of the previous version stands in for. */
  private static final Pattern PRESENT =
      Pattern.compile(".*/target/classes|.*/headrace-[a-z]+-[0-9.]+(-SNAPSHOT)?\\.jar");

  /** Why a node closes a connection over which something comes that its version does not know. */
  private static final Pattern MISUNDERSTOOD =
      Pattern.compile("Closed the connection .*(a frame of type|of the protocol is unknown)");

  @Test
  void nothingIsLostWhileNodesAreReplacedByThoseOfTheNextVersion(@TempDir Path meeting)
      throws Exception {
    try (Fleet fleet = new Fleet(meeting)) {
      try {
        run(fleet);
      } catch (AssertionError | Exception e) {
        throw new AssertionError(e.getMessage() + "\nLogs of the processes: " + fleet.logs(), e);
      }
    }
  }

  private static void run(Fleet fleet) throws Exception {
    fleet.use(previousClassPath());
    for (String name : List.of("old-one", "old-two")) {
      fleet.startHolder(name).awaitJoined();
    }
    Child oldClient = fleet.startClient("old-client");
    oldClient.awaitJoined();
    oldClient.ask("load");
    fleet.awaitBalanced();
    for (String command : List.of("write 0", "read", "stream 2000", "more")) {
      oldClient.ask(command);
    }

    fleet.use(Child.CLASS_PATH);
    Child client = fleet.startClient("client");
    client.awaitJoined();
    for (String command : List.of("write 1", "read", "stream 2000", "more")) {
      client.ask(command);
    }
    assertThat(client.answerTo("destroy"))
        .as("in a cluster of both versions")
        .contains("this cluster speaks version " + (ForgetCache.PROTOCOL - 1));
    Child first = replace(fleet, "old-one", "one");
    assertThat(first.answerTo("destroy")).startsWith("failed");
    replace(fleet, "old-two", "two");
    oldClient.ask("rest");
    client.ask("rest");
    oldClient.ask("verify"); // which wants that nobody writes
    fleet.note("The old client: " + oldClient.ask("finish"));
    fleet.note("The new client: " + client.ask("finish"));
    first.ask("write 1");
    first.ask("more");
    assertThat(Findings.parse(oldClient.ask("report")).get(Count.ACKNOWLEDGED)).isPositive();
    fleet.forgetClient(oldClient);
    oldClient.leave();
    fleet.awaitBalanced();

    fleet.await("the next version", () -> first.answerTo("destroy").equals("= done") ? null : "no");
    first.ask("rest");
    fleet.note("In the next version: " + first.ask("finish"));
    for (Child member : fleet.members()) {
      member.ask("verify");
    }
    fleet.watch(Duration.ZERO);
    Map<Count, Long> counts = Findings.parse(client.ask("report"));
    fleet.note("The new client has seen " + counts);
    assertThat(counts.get(Count.ACKNOWLEDGED)).isPositive();
    assertThat(counts.get(Count.UNREAD)).as("refused reads").isZero();
    assertThat(misunderstandings(fleet.logs())).as("frames that were not understood").isEmpty();
  }

  private static List<String> misunderstandings(Path logs) throws Exception {
    List<String> found = new ArrayList<>();
    List<Path> files;
    try (Stream<Path> all = Files.walk(logs)) {
      files = all.filter(file -> file.toString().endsWith(".log")).toList();
    }
    assertThat(files).as("logs of the processes").hasSizeGreaterThan(4);
    for (Path file : files) {
      try (Stream<String> lines = Files.lines(file)) {
        lines.filter(line -> MISUNDERSTOOD.matcher(line).find()).forEach(found::add);
      }
    }
    return found;
  }

  private static Child replace(Fleet fleet, String old, String next) throws Exception {
    Child started = fleet.startHolder(next);
    started.awaitJoined();
    started.ask("read");
    fleet.awaitBalanced();
    Child leaves =
        fleet.members().stream().filter(one -> one.name().equals(old)).findFirst().orElseThrow();
    fleet.note(old + " leaves");
    fleet.forget(leaves);
    leaves.leave();
    fleet.awaitBalanced();
    return started;
  }

  private static String previousClassPath() {
    assertThat(Files.exists(PREVIOUS)).as("%s is there", PREVIOUS.toAbsolutePath()).isTrue();
    List<String> entries = new ArrayList<>();
    entries.add(PREVIOUS.toAbsolutePath().toString());
    for (String entry :
        Pattern.compile(File.pathSeparator, Pattern.LITERAL).split(Child.CLASS_PATH, -1)) {
      if (!PRESENT.matcher(entry).matches()) {
        entries.add(entry);
      }
    }
    return String.join(File.pathSeparator, entries);
  }
}
