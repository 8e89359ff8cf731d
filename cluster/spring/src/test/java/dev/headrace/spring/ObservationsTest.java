package dev.headrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.micrometer.HeadraceObservations;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the application's registry of observations hears of its node. */
@Timeout(120)
final class ObservationsTest {
  private final Names observed = new Names();

  /** The names of observations that have ended. */
  private static final class Names implements ObservationHandler<Observation.Context> {
    private final List<String> names = new CopyOnWriteArrayList<>();

    @Override
    public void onStop(Observation.Context context) {
      names.add(String.valueOf(context.getName()));
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }
  }

  /** Has the node observed by nobody. */
  @Configuration(proxyBeanMethods = false)
  static class OwnObservations {
    @Bean
    HeadraceObservations own(Headrace node) {
      return new HeadraceObservations(node, ObservationRegistry.NOOP);
    }
  }

  private static ApplicationContextRunner node() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                HeadraceAutoConfiguration.class, HeadraceObservationsAutoConfiguration.class))
        .withPropertyValues("headrace.cluster-name=test-" + UUID.randomUUID());
  }

  private ApplicationContextRunner application() {
    return node()
        .withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class))
        .withBean(ObservationHandler.class, () -> observed);
  }

  private static void stream(Headrace node) {
    Cache<String, String> cache = node.cache("observed", String.class, String.class);
    cache.put("key", "value");
    assertThat(cache.stream().entries().toFlowable().count().blockingGet()).isEqualTo(1);
  }

  @Test
  void streamsAndTheirBatchesAreObserved() {
    application().run(context -> stream(context.getBean(Headrace.class)));
    assertThat(observed.names)
        .containsOnlyOnce("headrace.stream")
        .contains("headrace.stream.batch");
  }

  @Test
  void batchesMayBeSwitchedOff() {
    application()
        .withPropertyValues("management.observations.enable.headrace.stream.batch=false")
        .run(context -> stream(context.getBean(Headrace.class)));
    assertThat(observed.names).containsExactly("headrace.stream");
  }

  @Test
  void allOfThemMayBeSwitchedOff() {
    application()
        .withPropertyValues("management.observations.enable.headrace=false")
        .run(
            context -> {
              assertThat(context).hasSingleBean(ObservationRegistry.class);
              assertThat(context).doesNotHaveBean(HeadraceObservations.class);
              stream(context.getBean(Headrace.class));
            });
    assertThat(observed.names).isEmpty();
  }

  @Test
  void theApplicationMayMakeThemItself() {
    application()
        .withUserConfiguration(OwnObservations.class)
        .run(
            context -> {
              assertThat(context).hasSingleBean(HeadraceObservations.class);
              stream(context.getBean(Headrace.class));
            });
    assertThat(observed.names).isEmpty();
  }

  @Test
  void withoutARegistryThereAreNone() {
    node()
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(Headrace.class)
                    .doesNotHaveBean(HeadraceObservations.class));
  }
}
