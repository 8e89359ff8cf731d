package dev.headrace.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.Security;
import dev.headrace.spring.shop.ShopApplication.Table;
import dev.headrace.spring.test.HeadraceTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.TestPropertySource;

/** The properties of an application in production do not lead its tests to production. */
final class OwnClusterTest {

  /** Names none of them. */
  @Nested
  @HeadraceTest
  @ActiveProfiles("production")
  @Import(Table.class)
  final class WithoutProperties {
    @Autowired private Headrace node;
    @Autowired private CacheManager caches;

    @Test
    void theNodeIsAloneAndServes() {
      NodeSettings settings = node.settings();
      NodeSettings defaults = NodeSettings.defaults();
      assertThat(settings.clusterName()).startsWith("test-");
      assertThat(settings.discovery()).isEqualTo(defaults.discovery());
      assertThat(settings.security()).isEqualTo(defaults.security());
      assertThat(settings.requireSecurity()).isFalse();
      assertThat(settings.capacity()).isEqualTo(1);
      assertThat(settings.minOwners()).isEqualTo(1);
      assertThat(settings.zone()).isEqualTo(defaults.zone());
      assertThat(node.status().members()).hasSize(1);
    }

    @Test
    void itHasTheOtherPropertiesOfTheApplication() {
      assertThat(node.settings().segments()).isEqualTo(64);
      caches.getCache("labels").put(1, "one");
      assertThat(caches.getCache("labels").get(1, String.class)).isEqualTo("one");
    }
  }

  /** Names some of them, in places where a test may. */
  @Nested
  @HeadraceTest(
      properties = {
        "headrace.discovery.folder=${java.io.tmpdir}/headrace-own-cluster-test",
        "headrace.security.secret=known-to-this-test-only",
        "headrace.minOwners=2",
        "headrace.zone=north"
      })
  @TestPropertySource(properties = "headrace.capacity=0.5")
  @ActiveProfiles("production")
  @Import(Table.class)
  final class WithProperties {
    @Autowired private Headrace node;

    @Test
    void theNodeHasTheseAndNoOthers() {
      NodeSettings settings = node.settings();
      assertThat(settings.discovery()).isInstanceOf(Discovery.Local.class);
      assertThat(settings.discovery().toString()).contains("headrace-own-cluster-test");
      assertThat(settings.security()).isInstanceOf(Security.Secret.class);
      assertThat(settings.zone()).isEqualTo("north");
      assertThat(settings.minOwners()).isEqualTo(2);
      assertThat(settings.capacity()).isEqualTo(0.5);
      assertThat(settings.requireSecurity()).isFalse();
    }
  }
}
