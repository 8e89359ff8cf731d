package dev.headrace.spring.boot3;

import dev.headrace.spring.NodeHealth;
import org.springframework.boot.actuate.availability.ReadinessStateHealthIndicator;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.AvailabilityState;
import org.springframework.boot.availability.ReadinessState;

/**
 * The readiness of an application, which refuses traffic while its node should not get work, too.
 * It stands for Boot's own under the same name, so probes ask it without being told to.
 * Thread-safe.
 */
final class Boot3ReadinessIndicator extends ReadinessStateHealthIndicator {
  private final NodeHealth node;

  Boot3ReadinessIndicator(ApplicationAvailability availability, NodeHealth node) {
    super(availability);
    this.node = node;
  }

  @Override
  protected AvailabilityState getState(ApplicationAvailability availability) {
    return node.isReady() ? super.getState(availability) : ReadinessState.REFUSING_TRAFFIC;
  }
}
