package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong before any cluster is looked for. */
final class ArgumentsTest {
  private final CommandRun command = new CommandRun();

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "scam|headrace: there is no command scam",
        "load|headrace load: missing required",
        "load people.csv|headrace load: missing required option: '--key=FIELD'",
        "load people.xml --key id|headrace load: the format of people.xml cannot be told",
        "load - --key id|headrace load: the format of standard input cannot be told",
        "load a.csv --key id --format xml|headrace load: invalid value for option '--format'",
        "scan --batch-size 0|headrace scan: --batch-size must be at least 1, but is 0",
        "scan --batch-size many|headrace scan: invalid value for option '--batch-size'",
        "scan --delivery twice|headrace scan: --delivery must be exactly-once or at-most-once",
        "get|headrace get: missing required parameter: 'KEY'",
        "put a|headrace put: missing required parameter: 'VALUE'",
        "node --owners 0|headrace node: --owners must be at least 1, but is 0",
        "node --capacity -1|headrace node: --capacity must be 0",
        "node --port 70000|headrace node: --port must be between 0 and 65535",
        "node --data-port -1|headrace node: --data-port must be between 0 and 65535",
        "node --segments 0|headrace node: --segments must be between 1 and 1048576, but is 0",
        "node --min-owners 3|headrace node: --min-owners must be between 1 and --owners (2), but",
        "node --split maybe|headrace node: invalid value for option '--split'",
        "node --join 127.0.0.1|headrace node: --join takes HOST:PORT, but \"127.0.0.1\"",
        "status --segments 64|headrace status: unknown options: '--segments', '64'",
        "get a --owners 2|headrace get: unknown options: '--owners', '2'",
        "status --timeout 0|headrace status: --timeout must be between 1 and 86400 (seconds), but",
        "status --folder here|headrace status: --folder must be an absolute path, the same for",
        "scan -o big.xml|headrace scan: the format of big.xml cannot be told from its name",
        "scan --columns a,b|headrace scan: --columns works with CSV and TSV",
        "scan --columns a -f csv --keys-only|headrace scan: --columns names fields of values",
        "load a.tsv -k id --separator ;|headrace load: --separator works with CSV only",
        "repair now|headrace repair: unmatched argument at index 1: 'now'",
        "repair --progress fast|headrace repair: invalid value for option '--progress'",
        "node --lost-segments soon|headrace node: --lost-segments must be wait, ended, a",
        "node --lost-segments -1|headrace node: --lost-segments must be wait, ended, a",
        "give-up|headrace give-up: give either numbers of segments or --all",
        "give-up 3 --all|headrace give-up: give either numbers of segments or --all",
        "node --operation-loops 0|headrace node: --operation-loops must be between 1 and 64",
        "node --bulk-loops 65|headrace node: --bulk-loops must be between 1 and 64",
        "node --stream-memory 5|headrace node: --stream-memory must be at least 1048576",
        "node --repair-minutes -1|headrace node: --repair-minutes must be between",
        "node --repair-minutes soon|headrace node: invalid value for option '--repair-minutes'",
        "node --security maybe|headrace node: --security must be none, secret, tls, or required",
        "node --security required|headrace node: --security required needs --secret-file or secret",
        "node --security secret|headrace node: --security secret needs --secret-file or",
        "get a --security tls|headrace get: --tls-cert, --tls-key and --tls-trust belong together",
        "status --tls-cert a.pem|headrace status: --tls-cert, --tls-key and --tls-trust belong",
        "node --secret-file /absent|headrace node: --secret-file: the secret's file /absent",
        "node --secret-file a --tls-key b|headrace node: both a secret and certificates are given",
        "plan|headrace plan: missing required option: '--members=NODE",
        "plan --members a|headrace plan: nothing changes: give --join, --leave or --crash",
        "plan --members a,b,a --join c|headrace plan: a is given twice in --members",
        "plan --members a,b --join b|headrace plan: b cannot join: it is a member or joins",
        "plan --members a,b --leave c|headrace plan: c cannot leave or crash: it is not in",
        "plan --members a,b --leave b --crash b|headrace plan: b can leave or crash only once",
        "plan --members a,b --crash a,b|headrace plan: no node with a capacity would be left",
        "plan --members a=0 --join b|headrace plan: no member has a capacity",
        "plan --members a=x --join b|headrace plan: the capacity of a must be a number, but is",
        "plan --members a=-1 --join b|headrace plan: the capacity of a must be 0 or more, but is",
        "plan --members =1 --join b|headrace plan: a node is written NAME[=CAPACITY][@ZONE], but",
        "plan --members a@ --join b|headrace plan: a node is written NAME[=CAPACITY][@ZONE], but",
        "plan --members a --join b --owners 0|headrace plan: --owners must be at least 1, but is 0",
        "plan --members a --join b --segments 0|headrace plan: --segments must be between 1 and",
      })
  void wrongUseIsOneLineAndExitCode2(String line, String message) {
    assertThat(command.run(line.isEmpty() ? new String[0] : line.split(" "))).isEqualTo(2);
    assertThat(command.err()).startsWith(message).contains("--help)");
    assertThat(command.err().lines().findFirst().orElseThrow()).endsWith("--help)");
    assertThat(command.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "node", "load", "scan", "get", "put", "status", "repair", "give-up", "plan", "demo"
      })
  void everyCommandExplainsItself(String name) {
    assertThat(command.run(name, "--help")).isZero();
    assertThat(command.out()).contains("Usage: headrace " + name).contains("--help");
    assertThat(command.out().lines()).allMatch(line -> line.length() <= 80 || line.contains("--"));
    assertThat(command.err()).isEmpty();
  }

  @Test
  void aloneItPrintsItsHelp() {
    assertThat(command.run()).isEqualTo(2);
    assertThat(command.err()).startsWith("A distributed in-memory cache").contains("Examples:");
    assertThat(command.out()).isEmpty();
  }

  @Test
  void everyCommandHasOneLineInTheList() {
    command.run("--help");
    List<String> lines = command.out().lines().toList();
    assertThat(lines.subList(lines.indexOf("Commands:") + 1, lines.indexOf("Exit codes:") - 1))
        .hasSize(14)
        .allMatch(line -> line.matches("  [a-z-]+ +[A-Z].*\\."));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"load", "scan", "get", "put", "delete", "clear", "destroy", "status", "repair"})
  void onlyNodesDecideOnSegmentsAndOwners(String name) {
    command.run(name, "--help");
    assertThat(command.out()).doesNotContain("--segments", "--owners");
    CommandRun node = new CommandRun();
    node.run("node", "--help");
    assertThat(node.out()).contains("--segments", "--owners", "--min-owners", "--split");
  }

  @Test
  void anEmptyKeyIsNoneForPut() {
    assertThat(command.run("put", "", "x")).isEqualTo(2);
    assertThat(command.err()).startsWith("headrace put: the key must not be empty");
  }

  @Test
  void aSemicolonInTheHeaderIsPointedAt() throws IOException {
    Path file = Files.writeString(folder.resolve("people.csv"), "id;name\n1;Ada\n");
    assertThat(command.run("load", file.toString(), "--key", "id")).isEqualTo(1);
    assertThat(command.err()).contains("if ';' separates the fields, add --separator ';'");
  }

  @Test
  void helpNamesCommandsExitCodesAndExamples() {
    assertThat(command.run("--help")).isZero();
    assertThat(command.out())
        .contains("node", "load", "scan", "get", "put", "status", "repair", "plan", "demo")
        .contains("Exit codes:", "130", "141", "143")
        .contains("Examples:", "headrace load people.csv --key id");
  }

  @Test
  void aCacheWithoutANameIsNotRepaired() {
    assertThat(command.run("repair", "--cache", " ")).isEqualTo(2);
    assertThat(command.err()).startsWith("headrace repair: a cache's name must not be blank");
  }

  @Test
  void theVersionIsPrinted() {
    assertThat(command.run("--version")).isZero();
    assertThat(command.out()).isEqualTo("headrace 0.1.0\n");
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    Path file = folder.resolve("people.csv");
    assertThat(command.run("load", file.toString(), "--key", "id")).isEqualTo(1);
    assertThat(command.err())
        .isEqualTo(
            "headrace load: " + file + ": there is no such file or folder; check the path\n");
  }

  @Test
  void aFolderIsNoFile() {
    assertThat(command.run("load", folder.toString(), "--format", "csv", "--key", "id"))
        .isEqualTo(1);
    assertThat(command.err()).contains(folder.toString()).contains("directory");
  }

  @Test
  void aWrongHeaderIsFoundBeforeAnyClusterIsJoined() throws IOException {
    Path file = Files.writeString(folder.resolve("people.csv"), "name,age\nAda,36\n");
    assertThat(command.run("load", file.toString(), "--key", "id")).isEqualTo(1);
    assertThat(command.err())
        .isEqualTo(
            "headrace load: "
                + file
                + ", line 1, column 1: there is no field \"id\" in the first line; with --key name"
                + " one of name, age; nothing was loaded\n");
  }

  @Test
  void anOutputThatCannotBeOpenedIsNamed() {
    Path file = folder.resolve("no/such/folder.ndjson");
    assertThat(command.run("scan", "-o", file.toString())).isEqualTo(1);
    assertThat(command.err()).contains(file + ": there is no such file or folder");
  }

  @Test
  void verboseAddsTheStackTrace() {
    String file = folder.resolve("people.csv").toString();
    assertThat(command.run("load", file, "--key", "id", "--verbose")).isEqualTo(1);
    assertThat(command.err()).contains("\tat ").contains("NoSuchFileException");
  }
}
