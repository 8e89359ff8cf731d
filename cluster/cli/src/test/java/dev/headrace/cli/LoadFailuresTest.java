package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Loads in which some records cannot be written, and what is printed about these. */
final class LoadFailuresTest {
  private static final int MAX_ENTRY_BYTES = 4096;

  @TempDir private static Path folder;
  private static TwoNodes cluster;

  @BeforeAll
  static void start() {
    cluster = TwoNodes.start(folder, settings -> settings.maxEntryBytes(MAX_ENTRY_BYTES));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Records with keys from 0, the first of which are too large to be written. */
  private static Path records(String name, int count, int tooLarge) throws IOException {
    List<String> lines =
        IntStream.range(0, count)
            .mapToObj(
                i ->
                    "{\"id\":\"k%d\",\"text\":\"%s\"}"
                        .formatted(i, i < tooLarge ? "x".repeat(MAX_ENTRY_BYTES) : "short"))
            .toList();
    return Files.write(folder.resolve(name), lines);
  }

  private static CommandRun load(Path file, String cache, String... more) {
    CommandRun command = new CommandRun();
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("load", file.toString(), "--key", "id", "--cache", cache));
    arguments.addAll(List.of(more));
    int code = command.run(cluster.inCluster(arguments.toArray(String[]::new)));
    assertThat(code).as(command.err()).isEqualTo(1);
    return command;
  }

  @Test
  void whatCannotBeWrittenIsNamedAndTheRestIsLoadedIfThatIsWanted() throws IOException {
    Path file = records("some.ndjson", 50, 3);

    CommandRun load = load(file, "some", "--skip-bad");

    List<String> lines = load.err().lines().toList();
    assertThat(lines.subList(0, 3))
        .allMatch(line -> line.matches("Not loaded: line [123], key \"k[012]\": .*4096.*"))
        .doesNotHaveDuplicates();
    assertThat(lines.get(3)).startsWith("Loaded 47 entries into cache \"some\" in ");
    assertThat(lines.get(4))
        .isEqualTo("headrace load: " + file + ": 3 entries could not be loaded");
    assertThat(lines).hasSize(5);
    assertThat(load.out()).isEmpty();
    assertThat(cluster.run("get", "k7", "--cache", "some").out()).contains("short");
    assertThat(cluster.run("scan", "--cache", "some", "--keys-only").out().lines()).hasSize(47);
  }

  @Test
  void ofManyFailuresTheFirstAreNamedAndTheOthersCounted() throws IOException {
    CommandRun load = load(records("many.ndjson", 60, 55), "many", "--skip-bad");

    assertThat(load.err().lines().filter(line -> line.startsWith("Not loaded: line"))).hasSize(20);
    assertThat(load.err())
        .contains("\nNot loaded: 35 entries more\nLoaded 5 entries into cache \"many\" in ")
        .endsWith(": 55 entries could not be loaded\n");
  }

  @Test
  void whatIsMalformedIsNamedAndTheRestIsLoadedIfThatIsWanted() throws IOException {
    Path file = Files.writeString(folder.resolve("named.csv"), "id,name\n1,A\n2\n3,C\n");

    CommandRun load = load(file, "named", "--skip-bad");

    assertThat(load.err())
        .startsWith(
            "Not loaded: line 3, column 2: the record has 1 field, but the first line names 2\n"
                + "Loaded 2 entries into cache \"named\" in ")
        .endsWith(": 1 entry could not be loaded\n");
  }

  @Test
  void withoutThatTheFirstFailureEndsTheLoad() throws IOException {
    Path file = records("first.ndjson", 20, 20);

    CommandRun load = load(file, "first");

    assertThat(load.err())
        .startsWith("headrace load: " + file + ": stopped after 0 entries. ")
        .contains("4096")
        .doesNotContain("Not loaded", "Loaded");
  }

  @Test
  void whatIsRejectedGoesIntoAFileAndTheRestIsLoaded() throws IOException {
    Path rejects = folder.resolve("rejects.ndjson");
    Path file =
        Files.write(
            folder.resolve("bad.ndjson"),
            List.of(
                "{\"id\":\"a\"}",
                "{\"id\":",
                "{\"id\":\"b\",\"text\":\"" + "x".repeat(MAX_ENTRY_BYTES) + "\"}",
                "{\"name\":\"nobody\"}",
                "{\"id\":\"c\"}"));

    CommandRun load = load(file, "rejecting", "--rejects", rejects.toString());

    assertThat(load.err())
        .contains("Loaded 2 entries into cache \"rejecting\"")
        .endsWith(": 3 entries could not be loaded; see " + rejects + "\n");
    assertThat(Files.readAllLines(rejects))
        .satisfiesExactlyInAnyOrder(
            line ->
                assertThat(line)
                    .startsWith("{\"line\":2,")
                    .contains("ends inside a JSON object")
                    .endsWith("\"record\":\"{\\\"id\\\":\"}"),
            line -> assertThat(line).startsWith("{\"line\":4,").contains("no field"),
            line ->
                assertThat(line)
                    .startsWith("{\"line\":3,\"key\":\"b\",\"reason\":")
                    .contains("4096", ",\"record\":\"{\\\"id\\\":\\\"b\\\","));
    assertThat(cluster.run("scan", "--cache", "rejecting", "--keys-only").out().lines()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"csv, 'id,text'", "tsv, 'id\ttext'"})
  void whatIsRejectedCanBeMendedAndLoadedAgain(String format, String header) throws IOException {
    String separator = header.substring(2, 3);
    String large = "\"x " + separator + "\"\"" + "y".repeat(MAX_ENTRY_BYTES) + "\n\"\"\"";
    Path file =
        Files.writeString(
            folder.resolve("mend." + format),
            String.join("\n", header, "", "a\t,b", "c" + separator + large, "d" + separator + "e")
                .replace("a\t,b", format.equals("csv") ? "a\tb" : "a,b"));
    Path rejects = folder.resolve("mend.rejects." + format);
    load(file, "mend-" + format, "--rejects", rejects.toString());

    List<String> mended = new ArrayList<>(List.of(header));
    List<Integer> lines = new ArrayList<>();
    for (String line : Files.readAllLines(rejects)) {
      JsonNode rejected = new ObjectMapper().readTree(line);
      lines.add(rejected.get("line").asInt());
      String record = rejected.get("record").asText();
      mended.add(
          rejected.has("key") ? record.replace("y".repeat(MAX_ENTRY_BYTES), "y") : "b" + separator);
    }
    assertThat(lines).containsExactlyInAnyOrder(3, 4);
    Files.write(file, mended);
    cluster.run("load", file.toString(), "--key", "id", "--cache", "mend-" + format);

    assertThat(cluster.run("get", "c", "--cache", "mend-" + format).out())
        .contains("\"text\":\"x " + separator.replace("\t", "\\t") + "\\\"y\\n\\\"\"");
    assertThat(cluster.run("scan", "--cache", "mend-" + format, "--keys-only").out().lines())
        .hasSize(3);
  }

  @Test
  void aFileThatCannotTakeRejectedRecordsEndsTheLoad() throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.isWritable(full), "there is no device that is always full");
    Path malformed = Files.writeString(folder.resolve("full.csv"), "id,name\n1\n");
    for (Path file : List.of(malformed, records("full.ndjson", 3, 1))) {
      assertThat(load(file, "full", "--rejects", full.toString()).err())
          .contains("headrace load: /dev/full: No space left on device");
    }
  }

  @Test
  void whatIsLoadedIsNotOverwritten() throws IOException {
    Path file = Files.writeString(folder.resolve("kept.csv"), "id\n1\n");
    Path link = Files.createSymbolicLink(folder.resolve("link.csv"), file);
    Path around = folder.resolve("..").resolve(folder.getFileName()).resolve("kept.csv");
    for (String option : List.of("--rejects", "--resume")) {
      for (Path same : List.of(file, link, around)) {
        CommandRun load = new CommandRun();
        String[] command = {"load", file.toString(), "--key", "id", option, same.toString()};
        assertThat(load.run(cluster.inCluster(command))).as(load.err()).isEqualTo(2);
        assertThat(load.err()).contains(option + " must be another file");
        assertThat(file).hasContent("id\n1");
      }
    }
  }

  @Test
  void malformedRecordsOfCsvAreRejectedAsTheyAre() throws IOException {
    Path rejects = folder.resolve("csv.rejects");
    Path file =
        Files.writeString(folder.resolve("bad.csv"), "id,name\n1,A\n2\n,C\n3,\"C\"x\n4,\"D, E\"\n");

    CommandRun load = load(file, "csv", "--rejects", rejects.toString());

    assertThat(load.err()).contains("Loaded 2 entries", "3 entries could not be loaded");
    assertThat(Files.readAllLines(rejects))
        .satisfiesExactly(
            line -> assertThat(line).contains("\"line\":3,", "\"record\":\"2\""),
            line -> assertThat(line).contains("\"line\":4,", "the key is empty", "\",C\""),
            line -> assertThat(line).contains("\"line\":5,", "\"record\":\"3,\\\"C\\\"x\""));
  }
}
