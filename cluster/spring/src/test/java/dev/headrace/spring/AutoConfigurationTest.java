package dev.headrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.headrace.api.CacheSettings;
import dev.headrace.api.Discovery;
import dev.headrace.api.Headrace;
import dev.headrace.api.LostSegments;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.RetainedChanges;
import dev.headrace.api.Security;
import dev.headrace.api.SplitPolicy;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.spring.cache.SpringCaches;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Which beans an application gets, made of which properties, and when they go. */
final class AutoConfigurationTest {
  private final ApplicationContextRunner settingsOnly =
      new ApplicationContextRunner().withUserConfiguration(OnlySettings.class);

  private static ApplicationContextRunner application() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                HeadraceAutoConfiguration.class,
                HeadraceCacheAutoConfiguration.class,
                CacheAutoConfiguration.class))
        .withPropertyValues("headrace.cluster-name=test-" + UUID.randomUUID());
  }

  /** Binds properties without starting a node. */
  @Configuration(proxyBeanMethods = false)
  @EnableConfigurationProperties(HeadraceProperties.class)
  static class OnlySettings {
    @Bean
    NodeSettings settings(HeadraceProperties properties) {
      return PropertySettings.of(properties).build();
    }
  }

  /** An application with the cache abstraction. */
  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  static class Caching {}

  @Test
  void anApplicationGetsANodeAndItsCaches() {
    application()
        .withUserConfiguration(Caching.class)
        .run(
            context -> {
              assertThat(context).hasSingleBean(Headrace.class).hasSingleBean(SpringCaches.class);
              assertThat(context).hasSingleBean(CacheManager.class);
              Headrace node = context.getBean(Headrace.class);
              assertThat(node.status().members()).hasSize(1);
              assertThat(node.settings().shutdownHook()).isFalse();
            });
  }

  @Test
  void nothingIsStartedIfItIsNotEnabled() {
    application()
        .withPropertyValues("headrace.enabled=false")
        .withUserConfiguration(Caching.class)
        .run(
            context ->
                assertThat(context)
                    .doesNotHaveBean(Headrace.class)
                    .doesNotHaveBean(SpringCaches.class)
                    .hasSingleBean(CacheManager.class));
  }

  @Test
  void anotherCacheManagerIsLeftAlone() {
    application()
        .withBean(NoOpCacheManager.class)
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(Headrace.class)
                    .hasSingleBean(CacheManager.class)
                    .doesNotHaveBean(SpringCaches.class));
  }

  @ParameterizedTest
  @CsvSource({"none, false", "simple, false", "generic, true"})
  void anotherKindOfCacheIsLeftAlone(String type, boolean ours) {
    application()
        .withUserConfiguration(Caching.class)
        .withPropertyValues("spring.cache.type=" + type)
        .run(
            context ->
                assertThat(context.getBeansOfType(SpringCaches.class)).hasSize(ours ? 1 : 0));
  }

  @Test
  void unsetPropertiesLeaveTheDefaults() {
    NodeSettings defaults = NodeSettings.builder().nodeName("one").shutdownHook(false).build();
    settingsOnly
        .withPropertyValues("headrace.node-name=one")
        .run(context -> assertThat(context.getBean(NodeSettings.class)).isEqualTo(defaults));
  }

  // checkstyle: off MethodLength because it is one list
  @Test
  void everyPropertyOfANodeIsApplied() {
    settingsOnly
        .withPropertyValues(
            "headrace.cluster-name=shop",
            "headrace.node-name=one",
            "headrace.bind-address=127.0.0.2",
            "headrace.membership-port=7801",
            "headrace.data-port=7802",
            "headrace.discovery.hosts=a:7800,b:7800",
            "headrace.security.secret=0123456789abcdef",
            "headrace.security.required=true",
            "headrace.capacity=0.5",
            "headrace.zone=east",
            "headrace.segments=64",
            "headrace.owners=3",
            "headrace.min-owners=2",
            "headrace.placement=ketama-md5",
            "headrace.split-policy=allow",
            "headrace.lost-segments.recreate-after=2m",
            "headrace.lost-segments.recreate-when-ended=true",
            "headrace.hash-seed=-7",
            "headrace.operation-timeout=20s",
            "headrace.join-timeout=30s",
            "headrace.shutdown-timeout=40s",
            "headrace.repair-interval=2h",
            "headrace.repair-bytes-per-second=8MB",
            "headrace.max-entry-size=1MB",
            "headrace.memory=256MB",
            "headrace.stream-memory=32MB",
            "headrace.retained-changes.memory=3MB",
            "headrace.retained-changes.previous-values=true",
            "headrace.busy-poll=50us",
            "headrace.operation-loops=3",
            "headrace.bulk-loops=2")
        .run(
            context ->
                assertThat(context.getBean(NodeSettings.class))
                    .isEqualTo(
                        NodeSettings.builder()
                            .clusterName("shop")
                            .nodeName("one")
                            .bindAddress("127.0.0.2")
                            .membershipPort(7801)
                            .dataPort(7802)
                            .discovery(Discovery.hosts("a:7800", "b:7800"))
                            .security(Security.secret("0123456789abcdef"))
                            .requireSecurity(true)
                            .capacity(0.5)
                            .zone("east")
                            .segments(64)
                            .owners(3)
                            .minOwners(2)
                            .placement("ketama-md5")
                            .splitPolicy(SplitPolicy.ALLOW)
                            .lostSegments(
                                LostSegments.recreateAfter(Duration.ofMinutes(2)).orWhenEnded())
                            .hashSeed(-7)
                            .operationTimeout(Duration.ofSeconds(20))
                            .joinTimeout(Duration.ofSeconds(30))
                            .shutdownTimeout(Duration.ofSeconds(40))
                            .repairInterval(Duration.ofHours(2))
                            .repairBytesPerSecond(8 << 20)
                            .maxEntryBytes(1 << 20)
                            .memoryBytes(256L << 20)
                            .streamMemoryBytes(32L << 20)
                            .retainedChanges(new RetainedChanges(3 << 20, true))
                            .busyPoll(Duration.ofNanos(50_000))
                            .operationLoops(3)
                            .bulkLoops(2)
                            .shutdownHook(false)
                            .build()));
  }

  @Test
  void previousValuesAreRetainedWithinTheDefaultMemory() {
    settingsOnly
        .withPropertyValues("headrace.retained-changes.previous-values=true")
        .run(
            context ->
                assertThat(context.getBean(NodeSettings.class).retainedChanges())
                    .isEqualTo(RetainedChanges.defaults().withPreviousValues()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "folder=/tmp/x                                | Local[folder=/tmp/x]",
        "dns.query=nodes.shop,dns.port=7800           | Dns[query=nodes.shop, port=7800]",
        "multicast.address=239.12.4.7,multicast.port=1| Multicast[address=239.12.4.7, port=1]",
        "kubernetes.namespace=n,kubernetes.labels.app=shop,kubernetes.port=7"
            + " | Kubernetes[namespace=n, labels={app=shop}, port=7]",
      })
  void everyKindOfDiscoveryHasProperties(String values, String expected) {
    String[] properties = values.strip().split(",");
    for (int i = 0; i < properties.length; i++) {
      properties[i] = "headrace.discovery." + properties[i];
    }
    settingsOnly
        .withPropertyValues(properties)
        .run(
            context ->
                assertThat(context.getBean(NodeSettings.class).discovery())
                    .hasToString(expected.strip()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "headrace.discovery.folder=/x,headrace.discovery.hosts=a:1 | several kinds of discovery",
        "headrace.security.certificate=/x                          | all three of certificate",
        "headrace.security.secret=0123456789abcdef,headrace.security.certificate=/x,"
            + "headrace.security.key=/x,headrace.security.anchors=/x | several ways",
        "headrace.max-entry-size=1GB                               | headrace.max-entry-size",
        "headrace.owners=0                                         | owners must be at least 1",
        "headrace.discovery.dns.port=7                             | dns.query must be set",
      })
  void wrongPropertiesAreRefusedWithAdvice(String values, String message) {
    settingsOnly
        .withPropertyValues(values.strip().split(","))
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining(message.strip()));
  }

  @Test
  void beansOfTheApplicationHaveTheLastWord() {
    application()
        .withBean(NodeSettingsCustomizer.class, () -> settings -> settings.segments(32))
        .withBean(CacheSettings.class, () -> CacheSettings.of("typed", String.class, Long.class))
        .run(
            context -> {
              Headrace node = context.getBean(Headrace.class);
              assertThat(node.status().segments()).isEqualTo(32);
              CacheManager caches = context.getBean(CacheManager.class);
              assertThat(caches.getCacheNames()).containsExactly("typed");
              caches.getCache("typed").put("one", 1L);
              assertThat(node.cache("typed", String.class, Long.class).get("one")).isEqualTo(1L);
            });
  }

  @Test
  void aCacheIsNotSetTwice() {
    application()
        .withBean(CacheSettings.class, () -> CacheSettings.of("typed", String.class, Long.class))
        .withPropertyValues("headrace.caches.typed.lifespan=1m")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining("headrace.caches.typed"));
  }

  // ---- The end

  private static final List<String> ENDINGS = new ArrayList<>();

  /** Takes requests until it is stopped, as a web server does. */
  private static final class Server implements SmartLifecycle {
    private final Headrace node;
    private volatile boolean running;

    Server(Headrace node) {
      this.node = node;
    }

    @Override
    public void start() {
      running = true;
      ENDINGS.add("started with " + node.status().members().size());
    }

    @Override
    public void stop() {
      running = false;
      ENDINGS.add("server stopped with " + node.status().members().size());
    }

    @Override
    public boolean isRunning() {
      return running;
    }
  }

  /** Uses the node until its end. */
  private record Worker(Headrace node, CacheManager caches) implements DisposableBean {
    @Override
    public void destroy() {
      caches.getCache("work").put("last", "word");
      ENDINGS.add("worker closed with " + node.status().members().size());
    }
  }

  /** Beans that use the node while the application ends. */
  @Configuration(proxyBeanMethods = false)
  static class Users {
    @Bean
    Server server(Headrace node) {
      return new Server(node);
    }

    @Bean
    Worker worker(Headrace node, CacheManager caches) {
      return new Worker(node, caches);
    }
  }

  @Test
  void theNodeIsClosedAfterEverythingThatUsesIt() {
    ENDINGS.clear();
    List<Headrace> nodes = new ArrayList<>();
    application()
        .withUserConfiguration(Users.class)
        .run(context -> nodes.add(context.getBean(Headrace.class)));
    assertThat(ENDINGS).contains("started with 1", "server stopped with 1", "worker closed with 1");
    assertThat(ENDINGS.get(ENDINGS.size() - 1)).isEqualTo("worker closed with 1");
    assertThat(catchThrowable(() -> nodes.get(0).status())).isInstanceOf(NodeClosedException.class);
  }

  @Test
  void propertiesOfCachesAreBound() {
    settingsOnly
        .withPropertyValues(
            "headrace.default-lifespan=1h",
            "headrace.serialization.packages=com.example,org.example",
            "headrace.caches.quotes.key-type=java.lang.String",
            "headrace.caches.quotes.value-type=long",
            "headrace.caches.quotes.lifespan=10m",
            "headrace.caches.quotes.null-values=false")
        .run(
            context -> {
              HeadraceProperties properties = context.getBean(HeadraceProperties.class);
              assertThat(properties.defaultLifespan()).isEqualTo(Duration.ofHours(1));
              assertThat(properties.serialization().packages())
                  .containsExactly("com.example", "org.example");
              assertThat(properties.caches())
                  .isEqualTo(
                      Map.of(
                          "quotes",
                          new HeadraceProperties.CacheProperties(
                              String.class, long.class, Duration.ofMinutes(10), false)));
            });
  }
}
