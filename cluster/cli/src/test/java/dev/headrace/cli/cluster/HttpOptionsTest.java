package dev.headrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.http.HttpSettings;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class HttpOptionsTest {

  @Command
  private static final class Opening {
    @Mixin private final HttpOptions http = new HttpOptions();
  }

  private static HttpSettings settings(String... arguments) {
    Opening opening = new Opening();
    new CommandLine(opening).parseArgs(arguments);
    return opening.http.settings();
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
  void aLimitOfNothingIsExplained() {
    assertThatThrownBy(() -> settings("--http", "0", "--http-max-streams", "0"))
        .isInstanceOf(CommandLine.ParameterException.class)
        .hasMessageStartingWith("--http: ");
  }
}
