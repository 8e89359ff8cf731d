package dev.headrace.spring;

import dev.headrace.api.ClusterStatus;
import dev.headrace.api.Headrace;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.node.ReadyState;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * How the node of an application is: up when it should get work, out of service while it should not
 * yet or for the moment, down after it was closed. Sends no message. Thread-safe.
 */
final class NodeHealthIndicator implements HealthIndicator {
  private final Headrace node;
  private final ReadyState ready;

  NodeHealthIndicator(Headrace node, ReadyState ready) {
    this.node = node;
    this.ready = ready;
  }

  @Override
  public Health health() {
    try {
      String because = ready.unreadyBecause();
      Health.Builder health =
          because == null ? Health.up() : Health.outOfService().withDetail("because", because);
      ClusterStatus status = node.status();
      return health
          .withDetail("cluster", status.clusterName())
          .withDetail("node", node.settings().nodeName())
          .withDetail("members", status.members().size())
          .withDetail("epoch", status.epoch())
          .withDetail("lostSegments", status.lostSegments().size())
          .build();
    } catch (NodeClosedException e) {
      return Health.down(e).build();
    }
  }
}
