package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.cluster.membership.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
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
  void commandsListenOnPortsOfTheirOwn() throws IOException {
    try (ServerSocket ofNode = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String taken = Integer.toString(ofNode.getLocalPort());
      CommandRun status =
          inCluster().with("HEADRACE_MEMBERSHIP_PORT", taken).with("HEADRACE_DATA_PORT", taken);
      assertThat(status.run("status")).as(status.err()).isZero();
    }
  }

  @Test
  void besideANodeThatHasThePortOfAllACommandTakesAnother() throws IOException {
    int port = FreePorts.one();
    String cluster = "pods-" + nodes.cluster();
    try (Headrace node =
        Headrace.start(
            NodeSettings.builder()
                .clusterName(cluster)
                .nodeName("pod")
                .discovery(new Discovery.Dns("localhost", port))
                .build())) {
      CommandRun status =
          new CommandRun()
              .with("HEADRACE_CLUSTER_NAME", cluster)
              .with("HEADRACE_MEMBERSHIP_PORT", Integer.toString(port))
              .with("HEADRACE_DISCOVERY", "dns")
              .with("HEADRACE_DISCOVERY_QUERY", "localhost")
              .with("HEADRACE_DISCOVERY_PORT", Integer.toString(port));
      assertThat(status.run("status")).as(status.err()).isZero();
      assertThat(status.out()).contains(node.settings().nodeName());
    }
  }

  @Test
  void aFolderThatIsGivenCountsMoreThanHostsOfTheEnvironment() {
    CommandRun status = new CommandRun().with("HEADRACE_JOIN", "127.0.0.1:1");
    assertThat(status.run(nodes.inCluster("status"))).as(status.err()).isZero();
    CommandRun both = new CommandRun();
    assertThat(both.run(nodes.inCluster("status", "--join", "127.0.0.1:1"))).isEqualTo(2);
    assertThat(both.err()).contains("--join and --folder are two ways to find the cluster");
  }

  @Test
  void aSecretInTheEnvironmentLeavesTheCertificatesOfAFile() throws IOException {
    Path config =
        Files.writeString(
            folder.resolveSibling("tls.properties"),
            "security = tls%ntlsCert = /absent.pem%ntlsKey = /k%ntlsTrust = /t%n".formatted());
    CommandRun status = inCluster().with("HEADRACE_SECRET", "0123456789abcdef");
    assertThat(status.run("status", "--config", config.toString())).isEqualTo(1);
    assertThat(status.err()).contains("/absent.pem");
  }

  @Test
  void theEnvironmentChoosesAndTheFileHasTheSecret() throws IOException {
    Path config =
        Files.writeString(folder.resolveSibling("s.properties"), "secretFile = /absent\n");
    CommandRun status = inCluster().with("HEADRACE_SECURITY", "secret");
    assertThat(status.run("status", "--config", config.toString())).isEqualTo(2);
    assertThat(status.err()).contains("s.properties, line 1: the secret's file /absent");
  }

  @Test
  void securityThatIsGivenCountsMoreThanTheFile() throws IOException {
    Path config =
        Files.writeString(
            folder.resolveSibling("required.properties"),
            "security = required%nsecretFile = /absent%nrequireSecurity = true%n".formatted());
    CommandRun status = inCluster();
    assertThat(status.run("status", "--config", config.toString(), "--security", "none"))
        .as(status.err())
        .isZero();
    CommandRun other = inCluster().with("HEADRACE_SECRET", "0123456789abcdef");
    assertThat(other.run("status", "--config", config.toString(), "--secret-file", "/other"))
        .isEqualTo(2);
    assertThat(other.err()).contains("--secret-file: the secret's file /other cannot be read");
  }

  @Test
  void theCacheOfTheEnvironmentIsNotTheOnlyOneToRepair() {
    CommandRun repair = inCluster().with("HEADRACE_CACHE", "nosuch");
    assertThat(repair.run("repair")).as(repair.err()).isZero();
  }

  @Test
  void aWrongValueNamesItsVariable() {
    CommandRun status = inCluster().with("HEADRACE_TIMEOUT", "soon");
    assertThat(status.run("status")).isEqualTo(2);
    assertThat(status.err()).contains("soon", "HEADRACE_TIMEOUT");
  }
}
