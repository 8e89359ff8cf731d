package dev.headrace.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.headrace.api.ConfigurationKey;
import dev.headrace.api.Discovery;
import dev.headrace.api.LostSegments;
import dev.headrace.api.NodeConfiguration;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.RetainedChanges;
import dev.headrace.api.Security;
import dev.headrace.api.SplitPolicy;
import dev.headrace.api.placement.SegmentPlacement;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.Caching;
import javax.cache.configuration.MutableConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a URI and properties say, and what is refused. */
@Timeout(120)
final class ProviderTest {

  private static NodeParameters parameters(String uri, String... properties) {
    Properties given = new Properties();
    for (int i = 0; i < properties.length; i += 2) {
      given.setProperty(properties[i], properties[i + 1]);
    }
    return NodeParameters.of(URI.create(uri), given);
  }

  @Test
  void aUriNamesTheClusterAndTheSettingsOfTheNode() {
    NodeSettings settings =
        parameters(
                "headrace:my%20quotes?hosts=10.0.0.7:7800,10.0.0.8:7800&bindAddress=10.0.0.9"
                    + "&segments=512&owners=3&capacity=0&operationTimeout=3s",
                "headrace.segments", "128", "other.segments", "7")
            .settings();

    assertThat(settings.clusterName()).isEqualTo("my quotes");
    assertThat(settings.discovery())
        .isEqualTo(new Discovery.Hosts(List.of("10.0.0.7:7800", "10.0.0.8:7800")));
    assertThat(settings.bindAddress()).isEqualTo("10.0.0.9");
    assertThat(settings.segments()).as("the property counts more").isEqualTo(128);
    assertThat(settings.owners()).isEqualTo(3);
    assertThat(settings.capacity()).isZero();
    assertThat(settings.operationTimeout()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void nodesOfTheDefaultUriMeetNobody() {
    assertThat(parameters("headrace:alone").settings().clusterName())
        .isNotEqualTo(parameters("headrace:alone").settings().clusterName());
    assertThat(parameters("headrace:alone?folder=/x").settings().discovery())
        .isEqualTo(new Discovery.Local("/x"));
  }

  @Test
  void aPropertyDoesNotSilentlyChangeTheWayInWhichNodesAreFound() {
    NodeParameters both = parameters("headrace:x?hosts=a:7800", "headrace.folder", "/x");

    assertThatThrownBy(both::settings)
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("discovery.folder is not for discovery = hosts");
  }

  @Test
  void allThatAFileMaySetTheUriAndThePropertiesMay() {
    NodeSettings settings =
        parameters(
                "headrace:x?discovery=dns&discovery.query=nodes.shop&discovery.port=7800"
                    + "&splitPolicy=allow&lostSegments=ended,60s&placement=maglev:1.25"
                    + "&maxEntryBytes=1MiB&busyPoll=50us",
                "headrace.retainedChanges",
                "2MiB",
                "headrace.previousValues",
                "true")
            .settings();

    assertThat(settings.discovery()).isEqualTo(new Discovery.Dns("nodes.shop", 7800));
    assertThat(settings.splitPolicy()).isEqualTo(SplitPolicy.ALLOW);
    assertThat(settings.lostSegments())
        .isEqualTo(LostSegments.recreateAfter(Duration.ofMinutes(1)).orWhenEnded());
    assertThat(settings.placement()).isEqualTo(SegmentPlacement.named("maglev:1.25"));
    assertThat(settings.maxEntryBytes()).isEqualTo(1 << 20);
    assertThat(settings.busyPoll()).isEqualTo(Duration.ofNanos(50_000));
    assertThat(settings.retainedChanges()).isEqualTo(new RetainedChanges(2 << 20, true));
  }

  @Test
  void everyKeyOfAFileIsAParameterButTheClustersName() {
    List<String> keys =
        NodeConfiguration.keys().stream()
            .map(ConfigurationKey::name)
            .filter(name -> !name.equals("clusterName"))
            .toList();
    assertThat(keys).hasSizeGreaterThan(30);

    Throwable refused = catchThrowable(() -> parameters("headrace:x?clusterName=y"));

    String message = String.valueOf(refused.getMessage());
    List<String> listed =
        List.of(message.substring(message.indexOf("there are ") + 10).split(", "));
    assertThat(listed)
        .isSorted()
        .containsAll(keys)
        .contains("folder", "hosts", "previousValues", "serialFilter")
        .hasSize(keys.size() + 4);
  }

  @Test
  void nodesAuthenticateEachOtherAsUriAndPropertiesSay() {
    assertThat(
            parameters("headrace:x?security=tls&tlsCert=/c&tlsKey=/k&tlsTrust=/t")
                .settings()
                .security())
        .isEqualTo(Security.tls(Path.of("/c"), Path.of("/k"), Path.of("/t")));
    NodeParameters secret = parameters("headrace:x", "headrace.secret", "0123456789abcdef");
    assertThat(secret.settings().security()).isEqualTo(Security.secret("0123456789abcdef"));
    assertThat(secret).asString().contains("secret").doesNotContain("0123456789abcdef");
  }

  @Test
  void whatIsSetForANodeThatMeetsNobodyStaysUnlessAParameterChangesIt() {
    RetainedChanges retained =
        parameters("headrace:alone?retainedChanges=2MiB").settings().retainedChanges();

    assertThat(retained).isEqualTo(new RetainedChanges(2 << 20, true));
  }

  @ParameterizedTest
  @CsvSource({
    "ehcache:x, is not the URI of a Headrace cluster",
    "headrace://x/y, is not the URI of a Headrace cluster",
    "headrace:x?segment=3, There is no parameter segment",
    "headrace:x?segments, a parameter without a value",
    "headrace:x?segments=many, segments must be a whole number",
    "headrace:x?segments=0, segments must be between 1 and 1048576",
    "headrace:x?hosts=, hosts",
    "headrace:x?hosts=a:7800&folder=/x, discovery.folder is not for discovery = hosts",
    "headrace:x?hosts=a:7800&discovery.hosts=b:7800, The parameter discovery.hosts is there twice",
    "headrace:x?previousValues=yes, previousValues must be true or false",
    "headrace:x?security=tls, tlsCert is missing",
    "headrace:x?security=secret, security = secret needs secretFile or secret",
    "headrace:x?secretFile=/nosuch/file, file /nosuch/file cannot be read",
    "headrace:x?secret=0123456789abcdef, give it as the property headrace.secret",
  })
  void aWrongUriIsRefusedWithTheReason(String uri, String reason) {
    assertThatThrownBy(() -> new HeadraceCachingProvider().getCacheManager(URI.create(uri), null))
        .isInstanceOf(CacheException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void theProviderIsFoundAndItsManagerStartsANodeWhenACacheIsCreated() {
    CacheManager manager = Caching.getCachingProvider().getCacheManager();
    try {
      assertThat(manager).isSameAs(Caching.getCachingProvider().getCacheManager());
      Cache<String, String> cache =
          manager.createCache(
              "names",
              new MutableConfiguration<String, String>().setTypes(String.class, String.class));
      cache.put("a", "b");

      assertThat(cache.get("a")).isEqualTo("b");
      assertThatThrownBy(() -> manager.createCache("names", new MutableConfiguration<>()))
          .isInstanceOf(CacheException.class)
          .hasMessageContaining("already");
      assertThatThrownBy(
              () ->
                  manager.createCache(
                      "references", new MutableConfiguration<>().setStoreByValue(false)))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(() -> manager.createCache("", new MutableConfiguration<>()))
          .isInstanceOf(CacheException.class)
          .hasMessageContaining("1 to 255 bytes");
    } finally {
      manager.close();
    }
    assertThat(manager.isClosed()).isTrue();
    assertThat(Caching.getCachingProvider().getCacheManager()).isNotSameAs(manager);
    Caching.getCachingProvider().close();
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"}) // It is what programs without types do.
  void keysAndValuesOfOtherTypesAndWhatIsNotSerializableAreRefused() {
    CacheManager manager = new HeadraceCachingProvider().getCacheManager();
    try {
      Cache cache =
          manager.createCache(
              "names",
              new MutableConfiguration<String, Number>().setTypes(String.class, Number.class));

      assertThatThrownBy(() -> cache.put("a", "b"))
          .isInstanceOf(ClassCastException.class)
          .hasMessageContaining("values of type java.lang.Number");
      assertThatThrownBy(() -> cache.get(7)).isInstanceOf(ClassCastException.class);
      assertThatThrownBy(() -> cache.put("a", null)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> cache.getAll(null)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> cache.invoke("a", null)).isInstanceOf(NullPointerException.class);
      Cache<Object, Object> anything =
          manager.createCache("anything", new MutableConfiguration<>());
      assertThatThrownBy(() -> anything.put("a", new Object()))
          .isInstanceOf(CacheException.class)
          .hasStackTraceContaining("does not implement java.io.Serializable");
      anything.put("list", List.of(1, 2));
      assertThat(anything.get("list")).isEqualTo(List.of(1, 2));
      assertThat(anything.getAll(Set.of("list", "none"))).hasSize(1);
    } finally {
      manager.close();
    }
  }
}
