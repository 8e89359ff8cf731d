package dev.headrace.cli.cluster;

import dev.headrace.api.Headrace;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.http.HttpConfiguration;
import dev.headrace.http.HttpServer;
import dev.headrace.http.HttpSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * How a node is reached over HTTP. The file of settings and the environment can say the same, and
 * set the time limits.
 */
public final class HttpOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--http",
      paramLabel = "PORT",
      description =
          "Answer HTTP on this port, with a page that shows the cluster at /; 0 for a free one "
              + "(no HTTP).")
  private @Nullable Integer port;

  @Option(
      names = "--http-bind",
      paramLabel = "HOST",
      defaultValue = "127.0.0.1",
      description = "The address to answer HTTP on (${DEFAULT-VALUE}).")
  private String bind = "";

  @Option(
      names = "--http-token-file",
      paramLabel = "FILE",
      description =
          "A file with the token that callers send as Authorization: Bearer (with a shared "
              + "secret, one that is derived from it; else none).")
  private String tokenFile = "";

  @Option(
      names = "--http-origin",
      paramLabel = "ORIGIN",
      split = ",",
      description =
          "Web pages that may use the node from a browser, such as https://example.org (none).")
  private List<String> origins = List.of();

  @Option(
      names = "--http-host",
      paramLabel = "NAME",
      split = ",",
      description =
          "Further names by which callers reach a node on a loopback address, such as that of a "
              + "proxy (none).")
  private List<String> hosts = List.of();

  @Option(
      names = "--http-max-connections",
      paramLabel = "N",
      defaultValue = "1024",
      description = "The most connections at a time (${DEFAULT-VALUE}).")
  private int maxConnections;

  @Option(
      names = "--http-max-streams",
      paramLabel = "N",
      defaultValue = "64",
      description = "The most exports, sums and streams of changes at a time (${DEFAULT-VALUE}).")
  private int maxStreams;

  /**
   * Opens the port, if there is to be one.
   *
   * @param cluster has the file of settings and the environment
   * @return null if there is to be none
   * @throws ParameterException if an option or a setting has a wrong value
   * @throws CommandFailure if the port cannot be opened
   */
  public @Nullable HttpServer start(Headrace node, ClusterOptions cluster) throws CommandFailure {
    HttpSettings settings = settings(cluster);
    if (settings == null) {
      return null;
    }
    try {
      return HttpServer.start(node, settings);
    } catch (HeadraceException e) {
      throw new CommandFailure(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * The settings of the file, then those of the environment, then those of the options.
   *
   * @param cluster has the file of settings and the environment
   * @return null if there is to be no port
   * @throws ParameterException if one has a wrong value
   */
  public @Nullable HttpSettings settings(ClusterOptions cluster) {
    return settings(cluster.config(), cluster::variable);
  }

  /** See above. */
  @Nullable HttpSettings settings(
      @Nullable Path file, Function<String, @Nullable String> environment) {
    HttpSettings.Builder settings = HttpSettings.builder();
    try {
      if (port == null && !HttpConfiguration.setsPort(file, environment)) {
        return null;
      }
      HttpConfiguration.of(settings, file, environment);
    } catch (HeadraceException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    try {
      if (port != null) {
        settings.port(port);
      }
      given("--http-bind", () -> settings.bindAddress(bind));
      given("--http-origin", () -> settings.allowedOrigins(Set.copyOf(origins)));
      given("--http-host", () -> settings.allowedHosts(Set.copyOf(hosts)));
      given("--http-max-connections", () -> settings.maxConnections(maxConnections));
      given("--http-max-streams", () -> settings.maxStreams(maxStreams));
      if (!tokenFile.isBlank()) {
        settings.token(Files.readString(Path.of(tokenFile)).strip());
      }
      return settings.build();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--http: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), "--http-token-file " + tokenFile + " cannot be read: " + e, e);
    }
  }

  /** Sets what an option says. Without it, the file, the environment or the default counts. */
  private void given(String option, Runnable set) {
    if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
      set.run();
    }
  }
}
