package dev.headrace.spring;

import dev.headrace.api.error.NodeClosedException;
import dev.headrace.cluster.node.ReadyState;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.AvailabilityState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.application.ReadinessStateHealthIndicator;

/**
 * The readiness of an application, which refuses traffic while its node should not get work, too.
 * It stands for Boot's own under the same name, so probes ask it without being told to.
 * Thread-safe.
 */
final class NodeReadinessIndicator extends ReadinessStateHealthIndicator {
  private final ReadyState ready;

  NodeReadinessIndicator(ApplicationAvailability availability, ReadyState ready) {
    super(availability);
    this.ready = ready;
  }

  @Override
  protected AvailabilityState getState(ApplicationAvailability availability) {
    return isNodeReady() ? super.getState(availability) : ReadinessState.REFUSING_TRAFFIC;
  }

  private boolean isNodeReady() {
    try {
      return ready.unreadyBecause() == null;
    } catch (NodeClosedException e) {
      return false;
    }
  }
}
