package dev.headrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Headrace;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What an application tells of its node. */
final class HealthAndMetricsTest {

  private static ApplicationContextRunner application() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                HeadraceAutoConfiguration.class,
                HeadraceHealthAutoConfiguration.class,
                HeadraceMetricsAutoConfiguration.class,
                ApplicationAvailabilityAutoConfiguration.class,
                AvailabilityProbesAutoConfiguration.class,
                HealthContributorAutoConfiguration.class,
                HealthContributorRegistryAutoConfiguration.class,
                HealthEndpointAutoConfiguration.class,
                MetricsAutoConfiguration.class,
                CompositeMeterRegistryAutoConfiguration.class))
        .withPropertyValues("headrace.cluster-name=test-" + UUID.randomUUID());
  }

  private static Status status(ApplicationContext context, String group) {
    return context.getBean(HealthEndpoint.class).healthForPath(group).getStatus();
  }

  private static void awaitUp(ApplicationContext context) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!status(context, "headrace").equals(Status.UP)) {
      assertThat(status(context, "headrace")).isEqualTo(Status.OUT_OF_SERVICE);
      assertThat(System.nanoTime() - deadlineNanos).as("not ready yet").isNegative();
      Thread.onSpinWait();
    }
  }

  @Test
  void healthAndReadinessAreThoseOfTheNode() {
    application()
        .run(
            context -> {
              awaitUp(context);
              AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
              AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
              assertThat(status(context, "readiness")).isEqualTo(Status.UP);
              Health health =
                  context.getBean("headraceHealthIndicator", HealthIndicator.class).health();
              assertThat(health.getDetails()).containsEntry("members", 1).containsKey("cluster");

              context.getBean(Headrace.class).close();
              assertThat(status(context, "headrace")).isEqualTo(Status.DOWN);
              assertThat(status(context, "readiness")).isEqualTo(Status.OUT_OF_SERVICE);
              assertThat(status(context, "liveness")).isEqualTo(Status.UP);
            });
  }

  @Test
  void anApplicationThatRefusesTrafficIsNotReady() {
    application()
        .run(
            context -> {
              awaitUp(context);
              AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
              assertThat(status(context, "readiness")).isEqualTo(Status.OUT_OF_SERVICE);
            });
  }

  @Test
  void healthMayBeSwitchedOff() {
    application()
        .withPropertyValues(
            "management.health.headrace.enabled=false",
            "management.endpoint.health.probes.enabled=false")
        .run(
            context ->
                assertThat(context)
                    .doesNotHaveBean("headraceHealthIndicator")
                    .doesNotHaveBean("readinessStateHealthIndicator"));
  }

  @Test
  void figuresAreBoundToTheRegistryOfTheApplication() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    application()
        .withBean(MeterRegistry.class, () -> registry)
        .run(
            context -> {
              assertThat(registry.get("headrace.cluster.members").gauge().value()).isEqualTo(1);
              assertThat(registry.get("headrace.node.ready").gauge().value()).isBetween(0.0, 1.0);
            });
    assertThat(registry.getMeters())
        .extracting(meter -> meter.getId().getName())
        .noneMatch(name -> name.startsWith("headrace."));
  }

  @Test
  void withoutARegistryThereAreNoFigures() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                HeadraceAutoConfiguration.class, HeadraceMetricsAutoConfiguration.class))
        .withPropertyValues("headrace.cluster-name=test-" + UUID.randomUUID())
        .run(context -> assertThat(context).doesNotHaveBean("headraceMetrics"));
  }
}
