package dev.headrace.spring.boot3;

import dev.headrace.spring.NodeHealth;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.actuate.availability.ReadinessStateHealthIndicator;
import org.springframework.boot.availability.ApplicationAvailability;

/**
 * Puts {@link Boot3ReadinessIndicator} in the place of Boot's own indicator wherever Boot 3 has
 * one, which it decides by more than properties: on Kubernetes it does without being told to.
 * Leaves one of the application alone. Used by the threads that make beans.
 */
final class ReadinessReplacement implements BeanPostProcessor {
  private final ObjectProvider<ApplicationAvailability> availability;
  private final ObjectProvider<NodeHealth> node;

  ReadinessReplacement(
      ObjectProvider<ApplicationAvailability> availability, ObjectProvider<NodeHealth> node) {
    this.availability = availability;
    this.node = node;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    return bean.getClass() == ReadinessStateHealthIndicator.class
        ? new Boot3ReadinessIndicator(availability.getObject(), node.getObject())
        : bean;
  }
}
