package dev.headrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headrace.api.error.ConfigurationException;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.api.placement.SegmentPlacement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NodeConfigurationTest {
  @TempDir private Path folder;

  private NodeSettings read(Map<String, String> environment, String... lines) throws IOException {
    Path file = Files.write(folder.resolve("node.properties"), List.of(lines));
    return NodeConfiguration.of(NodeSettings.builder(), file, environment::get).build();
  }

  private NodeSettings read(String... lines) throws IOException {
    return read(Map.of(), lines);
  }

  private ConfigurationException refused(String... lines) {
    return catchThrowableOfType(ConfigurationException.class, () -> read(lines));
  }

  // checkstyle: off MethodLength because it is one list
  @Test
  void aFileSetsWhatABuilderSets() throws IOException {
    NodeSettings settings =
        read(
            "# a node",
            "",
            "clusterName = orders",
            "nodeName=one",
            "bindAddress = 10.0.0.7",
            "membershipPort = 7800",
            "dataPort = 7801",
            "capacity = 1.5",
            "zone = cellar",
            "segments = 512",
            "owners = 3",
            "placement = maglev:1.25",
            "minOwners = 2",
            "splitPolicy = allow",
            "lostSegments = ended,60s",
            "hashSeed = -7",
            "operationTimeout = 5s",
            "joinTimeout = PT2M",
            "maxEntryBytes = 1MiB",
            "busyPoll = 50us",
            "operationLoops = 3",
            "bulkLoops = 2",
            "repairInterval = 0",
            "repairBytesPerSecond = 10MB",
            "retainedChanges = 1.5GiB",
            "retainedChanges.previousValues = true",
            "streamMemoryBytes = 64MiB",
            "memoryBytes = 4GiB",
            "shutdownHook = false",
            "shutdownTimeout = 1.5min",
            "requireSecurity = true",
            "discovery.hosts = a:1, b:2");
    assertThat(settings)
        .isEqualTo(
            NodeSettings.builder()
                .clusterName("orders")
                .nodeName("one")
                .bindAddress("10.0.0.7")
                .membershipPort(7800)
                .dataPort(7801)
                .capacity(1.5)
                .zone("cellar")
                .segments(512)
                .owners(3)
                .placement(SegmentPlacement.named("maglev:1.25"))
                .minOwners(2)
                .splitPolicy(SplitPolicy.ALLOW)
                .lostSegments(LostSegments.recreateAfter(Duration.ofMinutes(1)).orWhenEnded())
                .hashSeed(-7)
                .operationTimeout(Duration.ofSeconds(5))
                .joinTimeout(Duration.ofMinutes(2))
                .maxEntryBytes(1 << 20)
                .busyPoll(Duration.ofNanos(50_000))
                .operationLoops(3)
                .bulkLoops(2)
                .repairInterval(Duration.ZERO)
                .repairBytesPerSecond(10_000_000)
                .retainedChanges(new RetainedChanges(3L << 29, true))
                .streamMemoryBytes(64 << 20)
                .memoryBytes(4L << 30)
                .shutdownHook(false)
                .shutdownTimeout(Duration.ofSeconds(90))
                .requireSecurity(true)
                .discovery(Discovery.hosts("a:1", "b:2"))
                .build());
  }

  @Test
  void aProgramMayHaveTextsFromElsewhere() {
    NodeSettings.Builder own = NodeSettings.builder().zone("attic").capacity(2);
    Map<String, String> texts = Map.of("capacity", " 0.5 ", "discovery.hosts", "a:1");
    NodeSettings settings = NodeConfiguration.of(own, texts, "The URI").build();
    assertThat(settings.zone()).isEqualTo("attic");
    assertThat(settings.capacity()).isEqualTo(0.5);
    assertThat(settings.discovery()).isEqualTo(Discovery.hosts("a:1"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "segments|0|The URI: segments must be between 1 and 1048576, but is 0",
        "segments|x|The URI: segments must be a whole number, but is \"x\"",
        "segmnets|5|The URI: segmnets is no setting; perhaps segments is meant",
        "security|tls|The URI: tlsCert, tlsKey and tlsTrust belong together, but tlsCert is"
            + " missing",
      })
  void whatIsWrongInSuchTextsIsToldWithTheirSource(String key, String value, String message) {
    NodeSettings.Builder builder = NodeSettings.builder();
    ConfigurationException e =
        catchThrowableOfType(
            ConfigurationException.class,
            () -> NodeConfiguration.of(builder, Map.of(key, value), "The URI"));
    assertThat(e).hasMessage(message);
    assertThat(e.source()).isEqualTo("The URI");
    assertThat(e.line()).isZero();
  }

  @Test
  void eachPartOfWhatIsRetainedLeavesTheOther() {
    RetainedChanges before = new RetainedChanges(1 << 20, true);
    assertThat(retained(before, Map.of("retainedChanges", "2MiB")))
        .isEqualTo(new RetainedChanges(2 << 20, true));
    assertThat(retained(before, Map.of("retainedChanges.previousValues", "false")))
        .isEqualTo(new RetainedChanges(1 << 20, false));
  }

  private static RetainedChanges retained(RetainedChanges before, Map<String, String> texts) {
    NodeSettings.Builder builder = NodeSettings.builder().retainedChanges(before);
    return NodeConfiguration.of(builder, texts, "The URI").build().retainedChanges();
  }

  @Test
  void everySettingOfTheBuilderHasAKey() {
    Set<String> keys =
        NodeConfiguration.keys().stream()
            .map(ConfigurationKey::name)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(Arrays.stream(NodeSettings.Builder.class.getDeclaredFields()))
        .filteredOn(field -> !field.isSynthetic() && !field.getName().equals("functions"))
        .isNotEmpty()
        .allSatisfy(field -> assertThat(keys).contains(field.getName()));
  }

  @Test
  void theEnvironmentCountsMoreThanTheFile() throws IOException {
    NodeSettings settings =
        read(
            Map.of("HEADRACE_MEMORY_BYTES", "2GiB", "HEADRACE_ZONE", " ", "HEADRACE_OTHER", "x"),
            "memoryBytes = 1GiB",
            "zone = cellar");
    assertThat(settings.memoryBytes()).isEqualTo(2L << 30);
    assertThat(settings.zone()).isEqualTo("cellar");
  }

  @Test
  void aChoiceOfTheEnvironmentReplacesTheWholeChoiceOfTheFile() throws IOException {
    NodeSettings local =
        read(Map.of("HEADRACE_DISCOVERY", "local"), "discovery.hosts = 10.0.0.7:7800");
    assertThat(local.discovery()).isInstanceOf(Discovery.Local.class);

    NodeSettings secret = read(Map.of("HEADRACE_SECRET", "a".repeat(32)), "secretFile = /nowhere");
    assertThat(secret.security()).isEqualTo(Security.secret("a".repeat(32)));

    NodeSettings port =
        read(
            Map.of("HEADRACE_DISCOVERY_PORT", "7801"),
            "discovery = dns",
            "discovery.query = nodes.example",
            "discovery.port = 7800");
    assertThat(port.discovery()).isEqualTo(new Discovery.Dns("nodes.example", 7801));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "memoryBytes = much|memoryBytes must be a number of bytes such as 1000, 512MB or 2GiB",
        "maxEntryBytes = 4GiB|maxEntryBytes must be a number of bytes such as",
        "operationTimeout = 5|operationTimeout must be a time such as 100us, 15s, 5min, 2h or"
            + " PT15S",
        "operationTimeout = 2d|operationTimeout must be positive and at most PT24H, but is PT48H",
        "segments = 0|segments must be between 1 and 1048576, but is 0",
        "minOwners = 3|minOwners must be between 1 and owners (2), but is 3",
        "splitPolicy = perhaps|splitPolicy must be deny or allow, but is \"perhaps\"",
        "lostSegments = soon|lostSegments must be wait, ended, a time such as 60s, or both",
        "placement = sideways|placement: ",
        "shutdownHook = yes|shutdownHook must be true or false, but is \"yes\"",
        "segmnets = 5|segmnets is no setting; perhaps segments is meant",
        "colour = red|colour is no setting; there are clusterName, nodeName,",
        "clusterName orders|a line is KEY = VALUE, or begins with #, but is \"clusterName orders\"",
        "discovery = radio|discovery must be local, hosts, multicast, dns or kubernetes, but is",
        "discovery.hosts = a|discovery.hosts must be a list host:port,host:port, but is \"a\"",
        "discovery = dns|discovery = dns needs discovery.",
        "security = tls|tlsCert, tlsKey and tlsTrust belong together, but tlsCert is missing",
        "security = secret|security = secret needs secretFile or secret (best as the environment",
        "secretFile = /nosuch/file|the secret's file /nosuch/file cannot be read",
      })
  void whatIsWrongIsToldWithItsLine(String line, String problem) {
    ConfigurationException e = refused("# first", line);
    assertThat(e)
        .hasMessageStartingWith(folder.resolve("node.properties") + ", line 2: " + problem);
    assertThat(e.line()).isEqualTo(2);
    assertThat(e.source()).endsWith("node.properties");
    assertThat(line).startsWith(e.key());
  }

  @Test
  void aKeyIsThereOnce() {
    assertThat(refused("owners = 2", "zone = a", "owners = 3"))
        .hasMessageEndingWith(", line 3: owners was set in line 1 already: remove one");
  }

  @Test
  void aWrongVariableIsNamed() {
    ConfigurationException e =
        catchThrowableOfType(
            ConfigurationException.class,
            () -> read(Map.of("HEADRACE_DATA_PORT", "x"), "zone = a"));
    assertThat(e)
        .hasMessage(
            "Environment variable HEADRACE_DATA_PORT: dataPort must be a port, or 0 for a free"
                + " one, but is \"x\"");
    assertThat(e.key()).isEqualTo("HEADRACE_DATA_PORT");
    assertThat(e.line()).isZero();
  }

  @Test
  void partsOfAnotherDiscoveryAreRefused() {
    assertThat(refused("discovery = dns", "discovery.query = cache.local", "discovery.port = 7800"))
        .isNull();
    assertThat(refused("discovery.hosts = a:1", "discovery.port = 5"))
        .hasMessageEndingWith(", line 2: discovery.port is not for discovery = hosts");
  }

  @Test
  void kindsOfDiscoveryAreMadeOfTheirParts() throws IOException {
    assertThat(read("discovery.folder = /tmp/meet").discovery())
        .isEqualTo(new Discovery.Local("/tmp/meet"));
    assertThat(read("discovery.address = 239.1.2.3", "discovery.port = 5").discovery())
        .isEqualTo(new Discovery.Multicast("239.1.2.3", 5));
    assertThat(
            read(
                    "discovery.namespace = prod",
                    "discovery.labels = app=cache, tier=data",
                    "discovery.port = 7800")
                .discovery())
        .isEqualTo(new Discovery.Kubernetes("prod", Map.of("app", "cache", "tier", "data"), 7800));
  }

  @Test
  void aSecretComesFromAFileOrTheEnvironmentAndIsNotShown() throws IOException {
    Path secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef\n");
    assertThat(read("secretFile = " + secret).security().mode()).isEqualTo("secret");
    Map<String, String> environment = Map.of("HEADRACE_SECRET", "0123456789abcdef");
    assertThat(read(environment, "security = required").security().mode()).isEqualTo("secret");
    assertThat(read(environment, "security = none").security().mode()).isEqualTo("none");
    assertThatThrownBy(() -> read(Map.of("HEADRACE_SECRET", "too short"), "zone = a"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("HEADRACE_SECRET: secret must have at least 16 bytes")
        .hasMessageNotContaining("too short");
  }

  @Test
  void aFileThatIsNotThereIsSaid() {
    assertThatThrownBy(() -> NodeConfiguration.read(folder.resolve("none")))
        .isInstanceOf(HeadraceException.class)
        .hasMessageContaining("There is no file of settings");
  }

  @Test
  void theGuideListsEveryKey() throws IOException {
    Path here = Path.of("").toAbsolutePath();
    Path root = Files.exists(here.resolve("site")) ? here : here.resolve("..").normalize();
    String page = Files.readString(root.resolve("site/src/guide/configuration.md"));
    String table =
        NodeConfiguration.keys().stream()
            .map(
                key ->
                    "| `%s` | `%s` | %s |%n".formatted(key.name(), key.variable(), key.allowed()))
            .collect(Collectors.joining());
    assertThat(page).contains(table.replace("\r", ""));
    assertThat(Stream.of(page.split("\n")).filter(line -> line.startsWith("| `")))
        .hasSize(NodeConfiguration.keys().size());
  }
}
