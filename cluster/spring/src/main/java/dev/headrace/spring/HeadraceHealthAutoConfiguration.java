package dev.headrace.spring;

import dev.headrace.api.Headrace;
import dev.headrace.cluster.node.ReadyState;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.health.application.ReadinessStateHealthIndicator;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * The node in the health of the application, as {@code headrace}, and in its readiness: both know
 * what {@code /health/ready} over HTTP does, that the node is admitted, has its lease, and that its
 * first copies are complete. Boot 3 has other classes for health, and {@link
 * dev.headrace.spring.boot3} what they need.
 */
@AutoConfiguration(
    after = {HeadraceAutoConfiguration.class, ApplicationAvailabilityAutoConfiguration.class},
    beforeName = {
      "org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration",
      "org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration"
    })
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(Headrace.class)
public final class HeadraceHealthAutoConfiguration {

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
    return new NodeHealthIndicator(node);
  }

  /** The application's readiness, with that of the node. */
  @Bean
  @ConditionalOnBean(ApplicationAvailability.class)
  @ConditionalOnBooleanProperty(
      name = "management.endpoint.health.probes.enabled",
      matchIfMissing = true)
  @ConditionalOnMissingBean(name = "readinessStateHealthIndicator")
  ReadinessStateHealthIndicator readinessStateHealthIndicator(
      ApplicationAvailability availability, NodeHealth node) {
    return new NodeReadinessIndicator(availability, node);
  }
}
