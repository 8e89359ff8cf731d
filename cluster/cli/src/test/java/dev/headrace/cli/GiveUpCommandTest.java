package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.Discovery;
import dev.headrace.api.NodeSettings;
import dev.headrace.cluster.node.NodeCluster;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class GiveUpCommandTest {
  @Test
  void whatWaitsForACrashedNodeIsShownAndBeginsAnewWhenItIsGivenUp() {
    try (NodeCluster cluster = new NodeCluster()) {
      for (int i = 0; i < 3; i++) {
        cluster.start(settings -> settings.owners(1).segments(16));
      }
      Cache<String, String> cache = cluster.node(0).cache("c", String.class, String.class);
      cache.put("k", "v");
      cluster.node(2).kill();
      while (cluster.node(0).status().absent().isEmpty()) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
      NodeSettings settings = cluster.settings().build();
      String[] options = {
        "--cluster",
        settings.clusterName(),
        "--folder",
        ((Discovery.Local) settings.discovery()).folder()
      };

      assertThat(run("status", options).out())
          .contains("of 16 segments WAIT for nodes")
          .contains("node-2 (127.0.0.1:");
      int waiting = cluster.node(0).status().lostSegments().size();
      assertThat(run("give-up --all", options).out())
          .isEqualTo(waiting + " segments begin anew and empty\n");
      assertThat(run("give-up --all", options).out())
          .isEqualTo("0 segments begin anew and empty\n");
      for (int i = 0; i < 100; i++) {
        cache.put("key-" + i, "v");
      }
      CommandRun wrong = new CommandRun();
      assertThat(wrong.run(arguments("give-up 3", options))).isEqualTo(1);
      assertThat(wrong.err()).contains("not given up").contains("[3]");
    }
  }

  private static CommandRun run(String command, String[] options) {
    CommandRun run = new CommandRun();
    assertThat(run.run(arguments(command, options))).as(run.err()).isZero();
    return run;
  }

  private static String[] arguments(String command, String[] options) {
    return (command + " " + String.join(" ", options)).split(" ");
  }
}
