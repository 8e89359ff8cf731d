package dev.headrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CacheSettingsTest {
  private final CacheSettings<String, Long> settings =
      CacheSettings.of("counts", String.class, Long.class);

  @Test
  void entriesStayUnlessALifespanIsSet() {
    assertThat(settings.lifespan()).isEqualTo(Cache.FOREVER);
    CacheSettings<String, Long> limited = settings.withLifespan(Duration.ofMinutes(5));
    assertThat(limited.lifespan()).isEqualTo(Duration.ofMinutes(5));
    assertThat(limited).isNotEqualTo(settings);
    assertThat(limited.withLifespan(Cache.FOREVER)).isEqualTo(settings).hasSameHashCodeAs(settings);
    assertThat(limited)
        .hasToString("CacheSettings[name=counts, keys=string, values=long, lifespan=PT5M]");
    assertThat(settings.toString()).endsWith("lifespan=forever]");
  }

  @Test
  void aLifespanIsPositive() {
    assertThatThrownBy(() -> settings.withLifespan(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cache.FOREVER");
    assertThatThrownBy(() -> settings.withLifespan(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
