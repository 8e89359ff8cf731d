package dev.headrace.spring.boot3;

import dev.headrace.api.Headrace;
import dev.headrace.cluster.node.ReadyState;
import dev.headrace.spring.HeadraceAutoConfiguration;
import dev.headrace.spring.NodeHealth;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.context.annotation.Bean;

/**
 * The node in the health and the readiness of an application with Boot 3, as {@link
 * dev.headrace.spring.HeadraceHealthAutoConfiguration} says. Whether there is readiness at all,
 * Boot decides.
 */
@AutoConfiguration(after = HeadraceAutoConfiguration.class)
@ConditionalOnClass({ConditionalOnEnabledHealthIndicator.class, HealthIndicator.class})
@ConditionalOnBean(Headrace.class)
public final class HeadraceBoot3HealthAutoConfiguration {

  /** Whether the node should get work. */
  @Bean
  @ConditionalOnMissingBean
  ReadyState headraceReadyState(Headrace node) {
    return ReadyState.of(node);
  }

  /** What both indicators tell. */
  @Bean
  NodeHealth headraceNodeHealth(Headrace node, ReadyState ready) {
    return new NodeHealth(node, ready);
  }

  /** The node's health. */
  @Bean
  @ConditionalOnEnabledHealthIndicator("headrace")
  @ConditionalOnMissingBean(name = "headraceHealthIndicator")
  HealthIndicator headraceHealthIndicator(NodeHealth node) {
    return new Boot3HealthIndicator(node);
  }

  /** The application's readiness, with that of the node. */
  @Bean
  static ReadinessReplacement headraceReadinessReplacement(
      ObjectProvider<ApplicationAvailability> availability, ObjectProvider<NodeHealth> node) {
    return new ReadinessReplacement(availability, node);
  }
}
