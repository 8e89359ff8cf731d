package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.CacheSettings;
import dev.headrace.cli.export.DiskFiles;
import dev.headrace.cli.export.ExportProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands against two nodes in this process. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
final class EndToEndTest {
  @TempDir private static Path meeting;
  @TempDir private Path folder;
  private TwoNodes nodes;

  @BeforeAll
  void startTwoNodes() {
    nodes = TwoNodes.start(meeting);
  }

  @AfterAll
  void stopThem() {
    nodes.close();
  }

  @Test
  void aPutIsSeenByGet() {
    assertThat(nodes.run("put", "4711", "Köln", "--cache", "towns").err()).isEmpty();
    CommandRun get = new CommandRun();
    assertThat(get.run(nodes.inCluster("get", "4711", "--cache", "towns"))).isZero();
    assertThat(get.out()).isEqualTo("Köln\n");
  }

  @Test
  void aKeyThatIsNotThereHasItsOwnExitCode() {
    nodes.run("put", "somebody", "x");
    CommandRun get = new CommandRun();
    assertThat(get.run(nodes.inCluster("get", "nobody", "--verbose"))).isEqualTo(3);
    assertThat(get.err())
        .isEqualTo("headrace get: there is no key \"nobody\" in cache \"default\"\n");
    assertThat(get.out()).isEmpty();
  }

  @Test
  void whatIsLoadedIsScanned() throws IOException {
    StringBuilder csv = new StringBuilder("id,name\n");
    Map<String, String> expected = new TreeMap<>();
    for (int i = 0; i < 5_000; i++) {
      csv.append(i).append(",\"name, ").append(i).append("\"\n");
      expected.put("" + i, "{\"id\":\"" + i + "\",\"name\":\"name, " + i + "\"}");
    }
    Path file = Files.writeString(folder.resolve("people.csv"), csv);
    CommandRun load = nodes.run("load", file.toString(), "--key", "id", "--cache", "people");
    assertThat(load.err()).startsWith("Loaded 5,000 entries into cache \"people\" in ");

    Path ndjson = folder.resolve("people.ndjson");
    CommandRun scan =
        nodes.run("scan", "--cache", "people", "-o", ndjson.toString(), "--key-field", "id");
    assertThat(scan.err()).contains("Scanned 5,000 entries of cache \"people\"");
    assertThat(Files.readAllLines(ndjson)).containsExactlyInAnyOrderElementsOf(expected.values());

    CommandRun keys = nodes.run("scan", "--cache", "people", "--keys-only", "--format", "csv");
    List<String> lines = new ArrayList<>(keys.out().lines().toList());
    assertThat(lines.remove(0)).isEqualTo("key");
    assertThat(lines).containsExactlyInAnyOrderElementsOf(expected.keySet());
  }

  @Test
  void aScanThatCannotJoinLeavesTheFileAsItWas() throws IOException {
    Path file = Files.writeString(folder.resolve("precious.ndjson"), "{\"key\":\"old\"}\n");
    CommandRun scan = new CommandRun();
    int code =
        scan.run(
            "scan",
            "-o",
            file.toString(),
            "--cluster",
            "nobody-" + UUID.randomUUID(),
            "--timeout",
            "1");
    assertThat(code).isEqualTo(1);
    assertThat(scan.err()).contains("no cluster");
    assertThat(file).hasContent("{\"key\":\"old\"}");
  }

  @Test
  void aScanReplacesALongerFile() throws IOException {
    nodes.run("put", "1", "one", "--cache", "short");
    Path file = Files.writeString(folder.resolve("short.ndjson"), "x".repeat(10_000));
    nodes.run("scan", "--cache", "short", "-o", file.toString());
    assertThat(Files.readAllLines(file)).hasSize(1).first().asString().contains("one");
  }

  @Test
  void standardInputIsLoadedAndMalformedInputEndsIt() {
    CommandRun load = new CommandRun().input("{\"id\":1}\n{\"id\":2}\n{\"id\":3,\n{\"id\":4}\n");
    assertThat(
            load.run(
                nodes.inCluster("load", "-", "--format", "ndjson", "--key", "id", "--cache", "in")))
        .isEqualTo(1);
    assertThat(load.err())
        .isEqualTo(
            "headrace load: standard input, line 3, column 9: the line ends inside a JSON object;"
                + " 2 entries before it were loaded\n");
    Cache<String, String> cache = nodes.open(CacheSettings.of("in", String.class, String.class));
    assertThat(cache.get("2")).isEqualTo("{\"id\":2}");
    assertThat(cache.containsKey("4")).isFalse();
  }

  @Test
  void anEmptyCacheIsScannedAtOnce() {
    nodes.open(CacheSettings.of("empty", String.class, String.class));
    CommandRun scan = nodes.run("scan", "--cache", "empty");
    assertThat(scan.out()).isEmpty();
    assertThat(scan.err()).startsWith("Scanned 0 entries of cache \"empty\"");
  }

  @Test
  void aStoppedScanGoesOnWithItsToken() throws Exception {
    Cache<String, String> cache = nodes.open(CacheSettings.of("long", String.class, String.class));
    Map<String, String> entries = new TreeMap<>();
    for (int i = 0; i < 20_000; i++) {
      entries.put("key-" + i, "value " + i);
    }
    cache.putAll(entries);

    CommandRun stopped = new CommandRun();
    Thread controlC = new Thread(stopped::interrupt);
    stopped.beforeFirstOutputEnds(
        () -> {
          controlC.start();
          // It has told the scan to stop as soon as it waits for the scan's end.
          while (controlC.getState() != Thread.State.TIMED_WAITING) {
            LockSupport.parkNanos(1_000_000);
          }
        });
    assertThat(stopped.run(nodes.inCluster("scan", "--cache", "long", "--batch-size", "256")))
        .isEqualTo(130);
    controlC.join();

    List<String> lines = new ArrayList<>(stopped.out().lines().toList());
    assertThat(lines).hasSizeBetween(1, 19_999);
    Matcher token = Pattern.compile("--resume (\\S+)").matcher(stopped.err());
    assertThat(token.find()).as(stopped.err()).isTrue();
    CommandRun rest = nodes.run("scan", "--cache", "long", "--resume", token.group(1));
    rest.out().lines().forEach(lines::add);
    assertThat(lines)
        .containsExactlyInAnyOrderElementsOf(
            entries.entrySet().stream()
                .map(e -> "{\"key\":\"" + e.getKey() + "\",\"value\":\"" + e.getValue() + "\"}")
                .toList());
  }

  @Test
  void anExportWhoseProcessDiedGoesOnWhereItsProgressSays() throws IOException {
    Cache<String, String> cache =
        nodes.open(CacheSettings.of("exported", String.class, String.class));
    for (int i = 0; i < 500; i++) {
      cache.put("k" + i, "{\"b\":" + i + ",\"a\":1}");
    }
    StringBuilder written = new StringBuilder("key,b,a\n");
    String token = "";
    try (var entries = cache.stream().entries().withTokens().iterator()) {
      for (int i = 0; i < 123; i++) {
        var next = entries.next();
        String key = next.element().getKey();
        written.append(key).append(',').append(key.substring(1)).append(",1\n");
        token = next.token();
      }
    }
    Path file = Files.writeString(folder.resolve("exported.csv"), written + "k7,half of a li");
    String options = "--cache exported --format csv --key-field key";
    Files.write(
        DiskFiles.progressOf(file), new ExportProgress(options, written.length(), token).encode());
    CommandRun other = new CommandRun();
    assertThat(other.run(nodes.inCluster("scan", "--resume", file.toString()))).isEqualTo(1);
    assertThat(other.err()).contains("go on with: " + options);
    assertThat(nodes.run("scan", "--cache", "exported", "--resume", file.toString()).err())
        .contains("Scanned 377 entries");
    assertThat(Files.readAllLines(file))
        .hasSize(501)
        .startsWith("key,b,a")
        .doesNotHaveDuplicates()
        .allMatch(line -> line.matches("key,b,a|k(\\d+),\\1,1"));
    assertThat(DiskFiles.progressOf(file)).doesNotExist();
    assertThat(other.run(nodes.inCluster("scan", "--resume", file.toString()))).isEqualTo(1);
    assertThat(other.err()).contains("is no interrupted export");
  }

  @Test
  void theOptionsToGoOnWithAreQuotedForAShell() throws IOException {
    nodes.run("put", "somebody", "x", "--cache", "quoted");
    String header = "key,value\n";
    Path file = Files.writeString(folder.resolve("people's.csv"), header);
    String options =
        "--cache quoted --format csv --key-field key --filter 'key = '\\''somebody'\\'''";
    Files.write(
        DiskFiles.progressOf(file), new ExportProgress(options, header.length(), null).encode());
    CommandRun other = new CommandRun();
    assertThat(other.run(nodes.inCluster("scan", "--resume", file.toString()))).isEqualTo(1);
    assertThat(other.err())
        .contains("go on with: " + options + " --resume '" + folder + "/people'\\''s.csv'");
    String filter = "key = 'somebody'";
    String[] same = {"scan", "--cache", "quoted", "--filter", filter, "--resume", file.toString()};
    assertThat(nodes.run(same).err()).contains("Scanned 1 ");
    assertThat(Files.readString(file)).isEqualTo(header + "somebody,x\n");
  }

  @Test
  void aDamagedTokenIsRefused() {
    nodes.run("put", "somebody", "x");
    CommandRun scan = new CommandRun();
    assertThat(scan.run(nodes.inCluster("scan", "--resume", "nonsense"))).isEqualTo(1);
    assertThat(scan.err()).startsWith("headrace scan: ").contains("oken").doesNotContain("\tat ");
    assertThat(scan.err().lines()).hasSize(1);
  }

  @Test
  void statusNamesTheNodes() {
    assertThat(nodes.run("status").out())
        .contains(
            "Cluster \"" + nodes.cluster() + "\"",
            "256 segments",
            "one",
            "two",
            "No segment is lost")
        .doesNotContain("status-");
    assertThat(nodes.run("status", "--json").out()).contains("\"lostSegments\" : [ ]");
  }

  @Test
  void aStatusThatIsWatchedInAPipeTellsTheTime() throws Exception {
    CommandRun watch = new CommandRun();
    CompletableFuture<Integer> exitCode =
        CompletableFuture.supplyAsync(() -> watch.run(nodes.inCluster("status", "--watch")));
    watch.awaitOutput("No segment is lost");
    assertThat(watch.out())
        .containsPattern("^--- \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\nCluster \"");
    watch.interrupt();
    assertThat(exitCode.get()).isEqualTo(130);
  }

  @Test
  void repairSaysWhatWasCompared() {
    nodes.run("put", "4711", "Köln", "--cache", "repaired");
    CommandRun repair = nodes.run("repair", "--cache", "repaired");
    assertThat(repair.out())
        .startsWith("Compared 256 segments, 1 entry, ")
        .endsWith(": no replica differed.\n");
    assertThat(repair.err()).isEmpty();
    assertThat(nodes.run("repair").out()).startsWith("Compared 256 segments, ");
  }

  @Test
  void aClusterThatIsNotThereIsSaid() {
    CommandRun get = new CommandRun();
    assertThat(get.run("get", "a", "-c", "nobody-" + UUID.randomUUID(), "--timeout", "1"))
        .isEqualTo(1);
    assertThat(get.err()).contains("no cluster").contains("headrace node");
    assertThat(get.err().lines()).hasSize(1);
  }

  @Test
  void aNodeRunsUntilItIsInterrupted() throws Exception {
    CommandRun node = new CommandRun();
    CompletableFuture<Integer> exitCode =
        CompletableFuture.supplyAsync(
            () ->
                node.run(
                    "node",
                    "--name",
                    "solo",
                    "-c",
                    "solo-" + nodes.cluster(),
                    "--folder",
                    "" + meeting));
    node.awaitOutput("1 node holds 256 segments");
    assertThat(node.out())
        .startsWith("Node \"solo\" of cluster \"solo-" + nodes.cluster() + "\" listens on");
    node.interrupt();
    assertThat(exitCode.get()).isEqualTo(130);
    assertThat(node.out()).endsWith("Leaving cluster \"solo-" + nodes.cluster() + "\"\n");
  }

  @Test
  void aScanWhoseOutputFailsEndsWithItsToken() {
    loadThousand("full");
    CommandRun scan = new CommandRun();
    scan.beforeFirstOutputEnds(() -> scan.failOutput("No space left on device"));
    assertThat(scan.run(nodes.inCluster("scan", "--cache", "full", "--batch-size", "64")))
        .isEqualTo(1);
    List<String> lines = scan.err().lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).contains("standard output: No space left on device");
    assertThat(lines.get(1)).startsWith("The rest follows with --resume ");
    CommandRun rest =
        nodes.run("scan", "--cache", "full", "--resume", lines.get(1).replaceAll(".* ", ""));
    assertThat(Stream.concat(scan.out().lines(), rest.out().lines()))
        .hasSize(1_000)
        .doesNotHaveDuplicates();
  }

  @Test
  void aPipeThatNobodyReadsEndsAScanQuietly() {
    loadThousand("piped");
    CommandRun scan = new CommandRun();
    scan.failOutput("Broken pipe");
    assertThat(scan.run(nodes.inCluster("scan", "--cache", "piped", "--verbose"))).isEqualTo(141);
    assertThat(scan.err()).isEmpty();
  }

  @Test
  void aValueThatCannotBePrintedIsAFailure() {
    CommandRun get = new CommandRun();
    get.failOutput("No space left on device");
    assertThat(get.run(nodes.inCluster("get", "key", "--cache", "first"))).isEqualTo(1);
    assertThat(get.err()).contains("headrace get: standard output: No space left on device");
    CommandRun piped = new CommandRun();
    piped.failOutput("Broken pipe");
    assertThat(piped.run(nodes.inCluster("get", "key", "--cache", "first"))).isEqualTo(141);
    assertThat(piped.err()).isEmpty();
  }

  @Test
  void aStatusThatNobodyReadsIsNotRepeated() {
    CommandRun status = new CommandRun();
    status.failOutput("Broken pipe");
    assertThat(status.run(nodes.inCluster("status", "--watch"))).isEqualTo(141);
  }

  @Test
  void aScanThatCannotBeginLeavesTheExportThatWasInterrupted() throws IOException {
    Path file = Files.writeString(folder.resolve("interrupted.ndjson"), "{}\n");
    CommandRun fresh = new CommandRun();
    String[] wrong = {"scan", "--cache", "first", "-o", file.toString(), "--resume", "junk"};
    assertThat(fresh.run(nodes.inCluster(wrong))).isEqualTo(1);
    Path progress = folder.resolve("interrupted.ndjson.progress");
    assertThat(progress).doesNotExist();
    byte[] noted = new ExportProgress("--cache first --format ndjson", 3, "token").encode();
    Files.write(progress, noted);
    CommandRun again = new CommandRun();
    assertThat(again.run(nodes.inCluster(wrong))).isEqualTo(1);
    assertThat(again.err()).contains("go on with --resume " + file);
    assertThat(progress).hasBinaryContent(noted);
    assertThat(file).hasContent("{}");
  }

  @Test
  void whatNoCacheCanBeCalledIsWrongUsage() {
    CommandRun put = new CommandRun();
    assertThat(put.run(nodes.inCluster("put", "a", "b", "--cache", "x".repeat(256)))).isEqualTo(2);
    assertThat(put.err()).contains("1 to 255 bytes");
    CommandRun own = new CommandRun();
    assertThat(own.run(nodes.inCluster("put", "a", "b", "--cache", "headrace.caches")))
        .isEqualTo(1);
    assertThat(own.err()).contains("is not for users to write to");
    assertThat(nodes.run("get", "first", "--cache", "headrace.caches").out()).contains("string");
    assertThat(nodes.run("status").out()).doesNotContain("xxx");
  }

  @Test
  void aColumnThatIsMissingAsksForAFreshStart() {
    nodes.run("put", "1", "{\"a\":1}", "--cache", "mixed");
    nodes.run("put", "2", "{\"b\":2}", "--cache", "mixed");
    CommandRun scan = new CommandRun();
    assertThat(scan.run(nodes.inCluster("scan", "--cache", "mixed", "-f", "csv"))).isEqualTo(1);
    assertThat(scan.err()).contains("start again with --columns").doesNotContain("--resume");
    assertThat(scan.err().lines()).hasSize(1);
    assertThat(nodes.run("scan", "--cache", "mixed", "-f", "csv", "--columns", "a,c").err())
        .endsWith("No value had the fields c.\n");
  }

  @Test
  void csvMayHaveAnotherSeparator() throws IOException {
    Path file = Files.writeString(folder.resolve("semi.csv"), "id;name\n1;Bern\n");
    nodes.run("load", file.toString(), "-k", "id", "--separator", ";", "--cache", "semi");
    assertThat(nodes.run("get", "1", "--cache", "semi").out())
        .isEqualTo("{\"id\":\"1\",\"name\":\"Bern\"}\n");
  }

  @Test
  void anAddressOfAnotherMachineIsSaid() {
    CommandRun node = new CommandRun();
    assertThat(node.run("node", "--bind", "192.0.2.1", "-c", nodes.cluster())).isEqualTo(1);
    assertThat(node.err())
        .contains("not an address of this machine; set --bind to one that is")
        .doesNotContain("dataPort", "bindAddress");
  }

  private void loadThousand(String cache) {
    StringBuilder csv = new StringBuilder("id\n");
    for (int i = 0; i < 1_000; i++) {
      csv.append(i).append('\n');
    }
    CommandRun load = new CommandRun().input(csv.toString());
    assertThat(load.run(nodes.inCluster("load", "-", "-f", "csv", "-k", "id", "--cache", cache)))
        .isZero();
  }
}
