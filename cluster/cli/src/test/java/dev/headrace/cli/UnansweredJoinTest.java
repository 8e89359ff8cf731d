package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Discovery;
import dev.headrace.api.NodeSettings;
import dev.headrace.testkit.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(120)
final class UnansweredJoinTest {
  @RegisterExtension final TestCluster cluster = TestCluster.of(1);

  @Test
  void whoFindsANodeThatDoesNotAnswerIsToldThatAndCanWaitLonger() {
    NodeSettings settings = cluster.settings().build();
    String folder = ((Discovery.Local) settings.discovery()).folder();
    cluster.pause(cluster.node(0));
    CommandRun status = new CommandRun();
    int code =
        status.run(
            "status", "--cluster", settings.clusterName(), "--folder", folder, "--timeout", "2");
    assertThat(code).isEqualTo(1);
    assertThat(status.err())
        .contains("within the --timeout of 2 s: the coordinator at 127.0.0.1:")
        .endsWith(" is in the folder and did not answer; or wait longer, with --timeout SECONDS\n");
  }
}
