package dev.headrace.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every line that three nodes and a client log, or print otherwise, from their start to their end
 * while nothing is wrong: one process each, at the level INFO, with all libraries.
 */
@Timeout(300)
final class WholeLogTest {
  private static final String EVENTS = "INFO dev.headrace.cluster.status.ClusterEvents: ";
  private static final String REBALANCED = "Rebalanced: N replicas of segments were copied in T";

  /** How many lines of each process were expected before. */
  private final Map<String, Integer> checked = new HashMap<>();

  /** What each process says next, sorted. */
  private final Map<String, List<String>> expected = new TreeMap<>();

  @Test
  void aLogSaysWhoComesAndGoesAndWhatWasCopiedAndNothingElse(@TempDir Path meeting)
      throws Exception {
    try (Fleet fleet = new Fleet(meeting)) {
      start(fleet);
      Child client = fleet.startClient("client");
      client.awaitJoined();
      say("client @ has joined; 4 nodes, 3 of them with data", "one", "two", "three");
      say("Cluster of 4 nodes, 3 of them with data: one @, two @, three @, client @", "client");
      client.ask("load");
      client.ask("verify");
      awaitLines(fleet);

      leave(fleet, "two");
      say(REBALANCED, "one", "three", "client");
      say("two @ has left; 3 nodes, 2 of them with data", "one", "three", "client");
      awaitLines(fleet);

      fleet.startHolder("two").awaitJoined();
      say("Cluster of 4 nodes, 3 of them with data: one @, three @, client @, two @", "two");
      say("two @ has joined; 4 nodes, 3 of them with data", "one", "three", "client");
      say(REBALANCED, "one", "two", "three", "client");
      awaitLines(fleet);
      client.ask("verify");

      leave(fleet, "client");
      say("client @ has left; 3 nodes", "one", "two", "three");
      awaitLines(fleet);
      leave(fleet, "one");
      say(REBALANCED, "two", "three");
      say("one @ has left; 2 nodes", "two", "three");
      awaitLines(fleet);
      leave(fleet, "three");
      say("three @ has left; 1 node", "two");
      awaitLines(fleet);
      leave(fleet, "two");
      awaitLines(fleet);
    }
  }

  private void start(Fleet fleet) throws Exception {
    fleet.startHolder("one").awaitJoined();
    say("Cluster of 1 node: one @", "one");
    awaitLines(fleet);
    fleet.startHolder("two").awaitJoined();
    say("two @ has joined; 2 nodes", "one");
    say("Cluster of 2 nodes: one @, two @", "two");
    awaitLines(fleet);
    fleet.startHolder("three").awaitJoined();
    say("three @ has joined; 3 nodes", "one", "two");
    say("Cluster of 3 nodes: one @, two @, three @", "three");
    awaitLines(fleet);
  }

  /** Ends a process, which may still hear what the others do. */
  private void leave(Fleet fleet, String name) throws Exception {
    Child leaver =
        fleet.members().stream()
            .filter(member -> member.name().equals(name))
            .findFirst()
            .orElseThrow();
    fleet.forget(leaver);
    fleet.forgetClient(leaver);
    leaver.leave();
    Path log = fleet.logs().resolve(name + ".log");
    assertThat(linesSince(log))
        .as("the last lines of %s", name)
        .doesNotHaveDuplicates()
        .allMatch(
            line ->
                line.equals(EVENTS + REBALANCED)
                    || line.matches(
                        EVENTS + name + " @ has left; .* nodes?(; the cluster has ended)?"));
    Files.delete(log);
    checked.remove(name);
  }

  private void say(String text, String... names) {
    for (String name : names) {
      List<String> lines = expected.computeIfAbsent(name, first -> new ArrayList<>());
      lines.add(EVENTS + text);
      lines.sort(null);
    }
  }

  private void awaitLines(Fleet fleet) throws Exception {
    fleet.await(
        "lines " + expected,
        () -> {
          Map<String, List<String>> present = linesSince(fleet);
          return present.equals(expected) ? null : "they are " + present;
        });
    expected.forEach((name, lines) -> checked.merge(name, lines.size(), Integer::sum));
    expected.clear();
  }

  /** The further lines of those who have any, sorted. */
  private Map<String, List<String>> linesSince(Fleet fleet) throws IOException {
    Map<String, List<String>> all = new TreeMap<>();
    try (var logs = Files.newDirectoryStream(fleet.logs(), "*.log")) {
      for (Path log : logs) {
        List<String> lines = linesSince(log);
        if (!lines.isEmpty()) {
          all.put(name(log), lines);
        }
      }
    }
    return all;
  }

  /** Further lines, without what differs from run to run: times, addresses and numbers. */
  private List<String> linesSince(Path log) throws IOException {
    return Files.readAllLines(log).stream()
        .skip(checked.getOrDefault(name(log), 0))
        .map(line -> line.replaceFirst("^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} ", ""))
        .map(line -> line.replaceAll("\\(127\\.0\\.0\\.1:\\d+\\)", "@"))
        .map(line -> line.replaceAll("[\\d,]+ replicas", "N replicas"))
        .map(line -> line.replaceAll("in [\\d.]+ s, [\\d,.]+ MB", "in T"))
        .sorted()
        .toList();
  }

  private static String name(Path log) {
    return log.getFileName().toString().replace(".log", "");
  }
}
