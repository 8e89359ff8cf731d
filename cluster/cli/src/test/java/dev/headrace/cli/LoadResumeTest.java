package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Loads that end early, and go on when the same command is given again. */
@Timeout(120)
final class LoadResumeTest {
  private static final String CUT_OFF = "{\"id\":";

  @TempDir private static Path folder;
  private static TwoNodes cluster;

  @BeforeAll
  static void start() {
    cluster = TwoNodes.start(folder);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static List<String> records(int from, int to) {
    return IntStream.range(from, to).mapToObj("{\"id\":\"k%d\"}"::formatted).toList();
  }

  private static Path write(String name, List<String> first, List<String> more) throws IOException {
    List<String> lines = new ArrayList<>(first);
    lines.addAll(more);
    return Files.write(folder.resolve(name + ".ndjson"), lines);
  }

  private static Path progressOf(String name) {
    return folder.resolve(name + ".progress");
  }

  /** Loads a file into the cache of its name, and expects an exit code. */
  private static CommandRun load(int code, String name, Path file, String... more) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("load", file.toString(), "--key", "id", "--cache", name));
    arguments.addAll(List.of("--resume", progressOf(name).toString()));
    arguments.addAll(List.of(more));
    CommandRun command = new CommandRun();
    assertThat(command.run(cluster.inCluster(arguments.toArray(String[]::new))))
        .as(command.err())
        .isEqualTo(code);
    return command;
  }

  private static List<String> keys(String cache) {
    return cluster.run("scan", "--cache", cache, "--keys-only").out().lines().toList();
  }

  @Test
  void aLoadGoesOnBehindWhatIsLoaded() throws IOException {
    Path file = write("people", records(0, 3), List.of(CUT_OFF));
    assertThat(load(1, "people", file).err())
        .contains(", line 4, column ")
        .endsWith("; 3 entries before it were loaded\n");
    assertThat(progressOf("people")).exists();
    cluster.run("delete", "k0", "--cache", "people");

    write("people", records(0, 3), records(3, 8));
    CommandRun rest = load(0, "people", file);

    assertThat(rest.err())
        .startsWith("Going on behind 3 records\n")
        .contains("Loaded 5 entries into cache \"people\"");
    assertThat(keys("people")).hasSize(7).noneMatch(line -> line.contains("\"k0\""));
    assertThat(progressOf("people")).doesNotExist();
  }

  @Test
  void aLoadThatIsNotInterruptedLeavesNothing() throws IOException {
    load(0, "whole", write("whole", records(0, 4), List.of()));
    assertThat(keys("whole")).hasSize(4);
    assertThat(progressOf("whole")).doesNotExist();
  }

  @Test
  void aLoadThatIsKilledGoesOn() throws Exception {
    List<String> fed = new ArrayList<>();
    Process load = startLoad("killed");
    try (Writer in = new OutputStreamWriter(load.getOutputStream(), StandardCharsets.UTF_8)) {
      while (!Files.exists(progressOf("killed"))) {
        String next = "{\"id\":\"k%d\"}".formatted(fed.size());
        fed.add(next);
        in.write(next + "\n");
        in.flush();
        LockSupport.parkNanos(1_000_000);
      }
    } finally {
      load.destroyForcibly().waitFor();
    }
    cluster.run("delete", "k0", "--cache", "killed");

    Path file = write("killed", fed, List.of("{\"id\":\"last\"}"));
    CommandRun rest = load(0, "killed", file);

    assertThat(rest.err()).startsWith("Going on behind ");
    assertThat(keys("killed")).hasSize(fed.size()).noneMatch(line -> line.contains("\"k0\""));
  }

  /** The command in a process of its own, which reads its standard input. */
  private static Process startLoad(String name) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-Djava.net.preferIPv4Stack=true",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    String progress = progressOf(name).toString();
    command.addAll(
        List.of(
            cluster.inCluster(
                "load",
                "-",
                "--format",
                "ndjson",
                "--key",
                "id",
                "--cache",
                name,
                "--resume",
                progress)));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(name + ".log").toFile())
        .start();
  }

  @Test
  void aFileWhoseBeginningWasChangedIsRefused() throws IOException {
    Path file = write("changed", records(0, 3), List.of(CUT_OFF));
    load(1, "changed", file);

    write("changed", records(1, 4), records(4, 8));

    assertThat(load(1, "changed", file).err())
        .contains(
            "its first 3 records are not those that were loaded before", "delete the progress");
    assertThat(keys("changed")).hasSize(3);
  }

  @Test
  void aFileThatHasBecomeShorterIsRefused() throws IOException {
    Path file = write("shorter", records(0, 3), List.of(CUT_OFF));
    load(1, "shorter", file);

    write("shorter", records(0, 2), List.of());

    assertThat(load(1, "shorter", file).err()).contains("its first 3 records are not those");
  }

  @Test
  void anotherTargetIsRefused() throws IOException {
    Path file = write("target", records(0, 3), List.of(CUT_OFF));
    load(1, "target", file);

    Files.move(progressOf("target"), progressOf("another"));

    assertThat(load(1, "another", file).err())
        .contains("it belongs to another load", "cache target", "cache another", "delete it");
  }

  @Test
  void whatIsNoProgressIsRefusedAndKept() throws IOException {
    Path file = write("foreign", records(0, 3), List.of());
    Files.writeString(progressOf("foreign"), "a diary\n");

    assertThat(load(1, "foreign", file).err()).contains("this is no progress of a load");

    assertThat(progressOf("foreign")).hasContent("a diary");
  }

  @Test
  void aDamagedProgressIsRefused() throws IOException {
    Path file = write("damaged", records(0, 3), List.of(CUT_OFF));
    load(1, "damaged", file);
    String progress = Files.readString(progressOf("damaged"));
    Files.writeString(progressOf("damaged"), progress.replaceFirst("\n3 ", "\n2 "));

    assertThat(load(1, "damaged", file).err()).contains("this progress of a load is damaged");
  }

  /** What is not UTF-8 ends a load even with a file for malformed records. */
  @Test
  void eachMalformedRecordIsRejectedOnce() throws IOException {
    Path rejects = folder.resolve("rejects.ndjson");
    List<String> first = List.of("{\"id\":\"k0\"}", CUT_OFF, "{\"id\":\"k1\"}");
    Path file = write("rejecting", first, List.of("é"));
    Files.writeString(file, String.join("\n", first) + "\né\n", StandardCharsets.ISO_8859_1);
    load(1, "rejecting", file, "--rejects", rejects.toString());
    assertThat(Files.readAllLines(rejects)).hasSize(1);
    Files.writeString(rejects, "half a line", StandardOpenOption.APPEND);

    write("rejecting", first, List.of("{\"id\":\"k2\"}", "[]"));
    CommandRun rest = load(1, "rejecting", file, "--rejects", rejects.toString());

    assertThat(rest.err()).endsWith(": 2 entries could not be loaded; see " + rejects + "\n");
    assertThat(Files.readAllLines(rejects))
        .hasSize(2)
        .satisfiesExactly(
            line -> assertThat(line).startsWith("{\"line\":2,"),
            line -> assertThat(line).startsWith("{\"line\":5,"));
    assertThat(keys("rejecting")).hasSize(3);
    assertThat(progressOf("rejecting")).doesNotExist();
  }

  @Test
  void aLoadThatEndedAtABadRecordGoesOnWithoutIt() throws IOException {
    Path file = write("skipping", records(0, 2), List.of(CUT_OFF, "{\"id\":\"k2\"}"));
    load(1, "skipping", file);

    CommandRun rest = load(1, "skipping", file, "--skip-bad");

    assertThat(rest.err())
        .startsWith("Going on behind 2 records\nNot loaded: line 3, ")
        .endsWith(": 1 entry could not be loaded\n");
    assertThat(keys("skipping")).hasSize(3);
  }

  @Test
  void theProgressIsNotTheFileForRejectedRecords() throws IOException {
    Path file = write("same", records(0, 3), List.of());
    assertThat(load(2, "same", file, "--rejects", progressOf("same").toString()).err())
        .contains("--rejects must be another file");
  }
}
