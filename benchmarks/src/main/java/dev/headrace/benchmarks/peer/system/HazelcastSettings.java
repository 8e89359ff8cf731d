package dev.headrace.benchmarks.peer.system;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.NetworkConfig;
import dev.headrace.benchmarks.peer.ModuleOpener;
import java.util.List;

/**
 * How Hazelcast's members are set up in every benchmark: they find only each other over loopback,
 * and their statistics, metrics, shutdown hooks and their call home are off.
 */
public final class HazelcastSettings {

  /** What Hazelcast's manual asks for on JDK 9 and later, so that it reaches its full speed. */
  private static final List<String> OPENED =
      List.of(
          "java.base/jdk.internal.ref",
          "java.base/java.lang",
          "java.base/sun.nio.ch",
          "java.management/sun.management",
          "jdk.management/com.sun.management.internal");

  private HazelcastSettings() {}

  /** Opens the packages of the JDK that Hazelcast reaches into; before the first member starts. */
  public static void openPackages() {
    ModuleOpener.open(OPENED);
  }

  /**
   * A data member's configuration.
   *
   * @param ports the ports of all members
   * @param node the member's index among them
   */
  public static Config loopback(int[] ports, int node) {
    Config config = new Config();
    config.setClusterName("hazelcast-" + ports[0]);
    config.setInstanceName("node-" + ports[node]);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.logging.type", "jdk");
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.getMetricsConfig().setEnabled(false);
    config.getJetConfig().setEnabled(false);
    join(config.getNetworkConfig(), ports, node);
    return config;
  }

  /** Sets a map up with so many synchronous backups. */
  public static void map(Config config, String name, int backups) {
    config
        .getMapConfig(name)
        .setBackupCount(backups)
        .setAsyncBackupCount(0)
        .setStatisticsEnabled(false)
        .setPerEntryStatsEnabled(false);
  }

  private static void join(NetworkConfig network, int[] ports, int node) {
    network.setPort(ports[node]).setPortAutoIncrement(false);
    network.getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = network.getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true);
    for (int port : ports) {
      join.getTcpIpConfig().addMember("127.0.0.1:" + port);
    }
  }
}
