package dev.headrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the settings of a node are called on the command line. */
final class OptionNamesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "choose another dataPort, or 0|choose another --data-port, or 0",
        "memoryBytes must be at least 1|--memory must be at least 1",
        "streamMemoryBytes must be at least 1|--stream-memory must be at least 1",
        "operationLoops must be between 1 and 64|--operation-loops must be between 1 and 64",
        "bulkLoops must be between 1 and 64|--bulk-loops must be between 1 and 64",
        "shutdownTimeout must be positive|--leave-seconds must be positive",
        "set bindAddress to one of its addresses|set --bind to one of its addresses",
        "correct the names in Discovery.hosts|correct the names in --join",
        "or name another folder in Discovery.Local|or name another folder in --folder",
        "no data node within PT10S (here)|no data node within 10 s (here)",
        "no data node within PT1M0.5S|no data node within 60.500 s",
        "none (Local[folder=/srv/$x])|none (through the folder /srv/$x)",
        "none (Hosts[hosts=[a:1, b:2]])|none (at a:1, b:2)",
        "the segments of two owners|the segments of two owners",
      })
  void errorsNameOptions(String ofNode, String ofCommandLine) {
    assertThat(OptionNames.in(ofNode)).isEqualTo(ofCommandLine);
  }

  @Test
  void rangesNameOptionsThatAreWordsToo() {
    assertThat(OptionNames.inRange("owners must be at least 1, but is 0"))
        .isEqualTo("--owners must be at least 1, but is 0");
    assertThat(OptionNames.inRange("minOwners must be between 1 and owners (2), but is 3"))
        .isEqualTo("--min-owners must be between 1 and --owners (2), but is 3");
  }

  @Test
  void theFolderOfThisUserHasAName() {
    assertThat(OptionNames.in("none (Local[folder=])"))
        .startsWith("none (through the folder ")
        .contains("headrace-" + System.getProperty("user.name"));
  }
}
