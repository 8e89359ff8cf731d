package dev.headrace.spring;

import dev.headrace.api.Headrace;
import dev.headrace.micrometer.HeadraceObservations;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The streams of the node and their batches as observations in the application's {@link
 * ObservationRegistry}, if it has one. Boot's properties switch them off: {@code
 * management.observations.enable.headrace=false} all of them, after which nobody observes the node,
 * and {@code management.observations.enable.headrace.stream.batch=false} those of the batches.
 */
@AutoConfiguration(
    after = HeadraceAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
      // Boot 3
      "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration"
    })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({Headrace.class, ObservationRegistry.class})
@ConditionalOnBooleanProperty(
    name = "management.observations.enable.headrace",
    matchIfMissing = true)
public final class HeadraceObservationsAutoConfiguration {

  /** The observations; closed before the node. */
  @Bean
  @ConditionalOnMissingBean
  HeadraceObservations headraceObservations(Headrace node, ObservationRegistry registry) {
    return new HeadraceObservations(node, registry);
  }
}
