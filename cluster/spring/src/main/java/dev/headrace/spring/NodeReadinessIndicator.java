package dev.headrace.spring;

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
  private final NodeHealth node;

  NodeReadinessIndicator(ApplicationAvailability availability, NodeHealth node) {
    super(availability);
    this.node = node;
  }

  @Override
  protected AvailabilityState getState(ApplicationAvailability availability) {
    return node.isReady() ? super.getState(availability) : ReadinessState.REFUSING_TRAFFIC;
  }
}
