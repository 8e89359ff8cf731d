package dev.headrace.spring.boot3;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.spring.NodeHealth;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/**
 * How the node of an application is: up when it should get work, out of service while it should not
 * yet or for the moment, down after it was closed. Thread-safe.
 */
final class Boot3HealthIndicator implements HealthIndicator {
  private final NodeHealth node;

  Boot3HealthIndicator(NodeHealth node) {
    this.node = node;
  }

  @Override
  public Health health() {
    try {
      String because = node.unreadyBecause();
      Health.Builder health =
          because == null ? Health.up() : Health.outOfService().withDetail("because", because);
      return health.withDetails(node.details()).build();
    } catch (NodeClosedException e) {
      return Health.down(e).build();
    }
  }
}
