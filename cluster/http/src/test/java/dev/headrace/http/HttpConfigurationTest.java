package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.NodeConfiguration;
import dev.headrace.api.NodeSettings;
import dev.headrace.api.error.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings of the HTTP port in the file and the environment of a node. */
final class HttpConfigurationTest {
  @TempDir private Path folder;

  private HttpSettings read(Map<String, String> environment, String... lines) throws IOException {
    Path file = Files.write(folder.resolve("node.properties"), List.of(lines));
    return HttpConfiguration.of(HttpSettings.builder(), file, environment::get).build();
  }

  @Test
  void aFileSetsWhatABuilderSets() throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "0123456789abcdef\n");
    HttpSettings settings =
        read(
            Map.of(),
            "clusterName = orders",
            "http.port = 8080",
            "http.bindAddress = 10.0.0.7",
            "http.tokenFile = " + token,
            "http.allowedOrigins = https://example.org, https://example.com",
            "http.allowedHosts = proxy",
            "http.maxConnections = 9",
            "http.maxStreams = 3",
            "http.stallTimeout = 1min",
            "http.heartbeat = 2s",
            "http.requestTimeout = 3s",
            "http.idleTimeout = 4s");
    HttpSettings.Builder same =
        HttpSettings.builder()
            .port(8080)
            .bindAddress("10.0.0.7")
            .token("0123456789abcdef")
            .allowedOrigins(settings.allowedOrigins())
            .allowedHosts(Set.of("proxy"))
            .maxConnections(9)
            .maxStreams(3)
            .stallTimeout(Duration.ofMinutes(1))
            .heartbeat(Duration.ofSeconds(2))
            .requestTimeout(Duration.ofSeconds(3))
            .idleTimeout(Duration.ofSeconds(4));
    assertThat(settings).hasToString(same.build().toString());
    assertThat(settings.token()).isEqualTo("0123456789abcdef");
    assertThat(settings.allowedOrigins())
        .containsExactlyInAnyOrder("https://example.org", "https://example.com");
  }

  @Test
  void theEnvironmentCountsMoreThanTheFile() throws IOException {
    Map<String, String> environment = Map.of("HEADRACE_HTTP_MAX_STREAMS", "7");
    HttpSettings settings = read(environment, "http.maxStreams = 3", "http.port = 1");
    assertThat(settings.maxStreams()).isEqualTo(7);
    assertThat(settings.port()).isEqualTo(1);
  }

  @Test
  void theNodeLeavesTheseSettingsAlone() throws IOException {
    Path file =
        Files.write(folder.resolve("both.properties"), List.of("zone = a", "http.port = 1"));
    NodeSettings node =
        NodeConfiguration.of(NodeSettings.builder(), file, variable -> null).build();
    assertThat(node.zone()).isEqualTo("a");
    assertThat(HttpConfiguration.setsPort(file, variable -> null)).isTrue();
    assertThat(HttpConfiguration.setsPort(null, variable -> null)).isFalse();
  }

  @Test
  void whatIsWrongIsSaidWithItsPlace() {
    assertThatThrownBy(() -> read(Map.of(), "zone = a", "http.maxStream = 3"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("line 2: http.maxStream is no setting")
        .hasMessageContaining("perhaps http.maxStreams is meant");
    assertThatThrownBy(() -> read(Map.of(), "http.maxStreams = some"))
        .hasMessageContaining("line 1: http.maxStreams must be a whole number, but is \"some\"");
    assertThatThrownBy(() -> read(Map.of(), "http.maxStreams = 0"))
        .hasMessageContaining("line 1: http.maxStreams must be at least 1, but is 0");
    assertThatThrownBy(() -> read(Map.of("HEADRACE_HTTP_HEARTBEAT", "2 days"), "zone = a"))
        .hasMessageStartingWith("Environment variable HEADRACE_HTTP_HEARTBEAT: http.heartbeat");
    assertThatThrownBy(() -> read(Map.of(), "http.tokenFile = " + folder.resolve("none")))
        .hasMessageContaining("line 1: http.tokenFile ")
        .hasMessageContaining("cannot be read");
  }

  @Test
  void theGuideListsEveryKey() throws IOException {
    Path here = Path.of("").toAbsolutePath();
    Path root = Files.exists(here.resolve("site")) ? here : here.resolve("../..").normalize();
    String page = Files.readString(root.resolve("site/src/guide/http.md"));
    String rows =
        HttpConfiguration.keys().stream()
            .map(key -> "| `%s` | `%s` | %s |".formatted(key.name(), key.variable(), key.allowed()))
            .collect(Collectors.joining("\n"));
    assertThat(page).contains(rows);
    assertThat(Stream.of(page.split("\n")).filter(line -> line.startsWith("| `http.")))
        .hasSize(HttpConfiguration.keys().size());
  }
}
