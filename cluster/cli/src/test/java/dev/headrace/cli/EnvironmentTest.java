package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Options that come from environment variables. */
@Timeout(180)
final class EnvironmentTest {
  @TempDir private static Path folder;
  private static TwoNodes nodes;

  @BeforeAll
  static void start() {
    nodes = TwoNodes.start(folder);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static CommandRun inCluster() {
    return new CommandRun()
        .with("HEADRACE_CLUSTER", nodes.cluster())
        .with("HEADRACE_FOLDER", folder.toString());
  }

  @Test
  void theClusterAndTheCacheComeFromTheEnvironment() {
    CommandRun put = inCluster().with("HEADRACE_CACHE", "env");
    assertThat(put.run("put", "a", "b")).as(put.err()).isZero();
    CommandRun get = inCluster();
    assertThat(get.run("get", "a", "--cache", "env")).as(get.err()).isZero();
    assertThat(get.out()).isEqualTo("b\n");
  }

  @Test
  void anOptionCountsMoreThanTheEnvironment() {
    CommandRun status = inCluster().with("HEADRACE_CLUSTER", "nosuch");
    assertThat(status.run("status", "--cluster", nodes.cluster())).as(status.err()).isZero();
    assertThat(status.out()).contains("Cluster \"" + nodes.cluster() + "\"");
  }

  @Test
  void aFileNamesTheClusterAndOptionsCountMore() throws IOException {
    Path config =
        Files.writeString(
            folder.resolveSibling("headrace.properties"),
            "clusterName = %s%ndiscovery.folder = %s%n".formatted(nodes.cluster(), folder));
    CommandRun status = new CommandRun();
    assertThat(status.run("status", "--config", config.toString())).as(status.err()).isZero();
    assertThat(status.out()).contains("Cluster \"" + nodes.cluster() + "\"");
    CommandRun other = new CommandRun().with("HEADRACE_CONFIG", config.toString());
    assertThat(other.run("status", "--cluster", "nosuch", "--timeout", "1")).isEqualTo(1);
    assertThat(other.err())
        .contains("no cluster \"nosuch\" was found on this machine, through the folder " + folder);
  }

  @Test
  void whatIsWrongInAFileIsWrongUsageWithItsLine() throws IOException {
    Path config = Files.writeString(folder.resolveSibling("wrong.properties"), "\nmemory = 5\n");
    for (String name : new String[] {"node", "status"}) {
      CommandRun command = new CommandRun();
      assertThat(command.run(name, "--config", config.toString())).isEqualTo(2);
      assertThat(command.err())
          .startsWith("headrace " + name + ": ")
          .contains(config + ", line 2: memory is no setting; perhaps");
    }
    CommandRun variable = new CommandRun().with("HEADRACE_MIN_OWNERS", "3");
    assertThat(variable.run("node")).isEqualTo(2);
    assertThat(variable.err()).contains("HEADRACE_MIN_OWNERS: minOwners must be between 1 and");
  }

  @Test
  void aWrongValueNamesItsVariable() {
    CommandRun status = inCluster().with("HEADRACE_TIMEOUT", "soon");
    assertThat(status.run("status")).isEqualTo(2);
    assertThat(status.err()).contains("soon", "HEADRACE_TIMEOUT");
  }
}
