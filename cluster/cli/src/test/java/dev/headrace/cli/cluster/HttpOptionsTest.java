package dev.headrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.http.HttpSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class HttpOptionsTest {

  @Command
  private static final class Opening {
    @Mixin private final HttpOptions http = new HttpOptions();
  }

  private static HttpSettings settings(String... arguments) {
    return settings(null, Map.of(), arguments);
  }

  private static HttpSettings settings(
      Path file, Map<String, String> environment, String... arguments) {
    Opening opening = new Opening();
    new CommandLine(opening).parseArgs(arguments);
    return opening.http.settings(file, environment::get);
  }

  @Test
  void withoutAPortThereIsNone() {
    assertThat(settings("--http-max-streams", "3")).isNull();
  }

  @Test
  void whatIsNotSaidIsAsForPrograms() {
    assertThat(settings("--http", "0")).hasToString(HttpSettings.builder().build().toString());
  }

  @Test
  void namesAndLimitsAreTaken() {
    HttpSettings settings =
        settings(
            "--http=0",
            "--http-host=proxy,other",
            "--http-origin=https://example.org",
            "--http-max-connections=9",
            "--http-max-streams=3");
    assertThat(settings.allowedHosts()).containsExactlyInAnyOrder("proxy", "other");
    assertThat(settings.allowedOrigins()).containsExactly("https://example.org");
    assertThat(settings.maxConnections()).isEqualTo(9);
    assertThat(settings.maxStreams()).isEqualTo(3);
  }

  @Test
  void theFileAndTheEnvironmentSetWhatNoOptionDoes(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("node.properties"),
            "clusterName = orders\nhttp.port = 1\nhttp.heartbeat = 3s\nhttp.maxStreams = 5\n");

    HttpSettings settings =
        settings(file, Map.of("HEADRACE_HTTP_IDLE_TIMEOUT", "2min"), "--http-max-streams=6");

    assertThat(settings.port()).isEqualTo(1);
    assertThat(settings.heartbeat()).isEqualTo(Duration.ofSeconds(3));
    assertThat(settings.idleTimeout()).isEqualTo(Duration.ofMinutes(2));
    assertThat(settings.maxStreams()).isEqualTo(6);
    assertThat(settings(file, Map.of("HEADRACE_HTTP_PORT", "2"), "--http=3").port()).isEqualTo(3);
    assertThat(settings(null, Map.of("HEADRACE_HTTP_MAX_STREAMS", "2"))).isNull();
  }

  @Test
  void aWrongSettingIsExplained() {
    assertThatThrownBy(() -> settings(null, Map.of("HEADRACE_HTTP_HEARTBEAT", "0"), "--http=0"))
        .isInstanceOf(CommandLine.ParameterException.class)
        .hasMessageStartingWith(
            "Environment variable HEADRACE_HTTP_HEARTBEAT: http.heartbeat must be positive");
  }

  @Test
  void aLimitOfNothingIsExplained() {
    assertThatThrownBy(() -> settings("--http", "0", "--http-max-streams", "0"))
        .isInstanceOf(CommandLine.ParameterException.class)
        .hasMessageStartingWith("--http: ");
  }
}
