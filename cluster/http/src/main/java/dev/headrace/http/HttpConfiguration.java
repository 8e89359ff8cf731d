package dev.headrace.http;

import dev.headrace.api.ConfigurationKey;
import dev.headrace.api.ConfigurationSection;
import dev.headrace.api.error.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a node's HTTP port from the file and the environment that its other settings come
 * from, see {@link dev.headrace.api.NodeConfiguration}: all that {@link HttpSettings.Builder} can
 * set except the registry. Stateless.
 */
public final class HttpConfiguration {
  private static final String SECTION = "http";
  private static final String COUNT = "a whole number";

  private HttpConfiguration() {}

  private static ConfigurationSection section(HttpSettings.Builder to) {
    return new ConfigurationSection(SECTION)
        .number("port", "a port, or 0 for a free one", to::port)
        .text("bindAddress", "a host name or an address", to::bindAddress)
        .text("tokenFile", "a file with the token that callers send", path -> token(path, to))
        .list(
            "allowedOrigins",
            "a list https://example.org,https://example.com",
            origins -> to.allowedOrigins(Set.copyOf(origins)))
        .list("allowedHosts", "a list of names", names -> to.allowedHosts(Set.copyOf(names)))
        .number("maxConnections", COUNT, to::maxConnections)
        .number("maxStreams", COUNT, to::maxStreams)
        .time("stallTimeout", to::stallTimeout)
        .time("heartbeat", to::heartbeat)
        .time("requestTimeout", to::requestTimeout)
        .time("idleTimeout", to::idleTimeout);
  }

  private static void token(String path, HttpSettings.Builder to) {
    String token;
    try {
      token = Files.readString(Path.of(path)).strip();
    } catch (IOException | InvalidPathException e) {
      throw new IllegalArgumentException("tokenFile " + path + " cannot be read: " + e, e);
    }
    to.token(token);
  }

  /** All keys, in the order of the guide. */
  public static List<ConfigurationKey> keys() {
    return section(HttpSettings.builder()).keys();
  }

  /**
   * Settings from a file, and from the environment of this process.
   *
   * @return a builder that starts from them
   * @throws ConfigurationException if the file has a setting of HTTP that does not exist, or if a
   *     value is wrong
   * @throws dev.headrace.api.error.HeadraceException if the file cannot be read
   */
  public static HttpSettings.Builder read(Path file) {
    return of(HttpSettings.builder(), file, System::getenv);
  }

  /**
   * Settings from a file and an environment.
   *
   * @param builder has what neither of them sets, and gets what they set
   * @param file null for none
   * @param environment finds the value of an environment variable, null if it is not set
   * @return the builder
   * @throws ConfigurationException as above
   */
  public static HttpSettings.Builder of(
      HttpSettings.Builder builder,
      @Nullable Path file,
      Function<String, @Nullable String> environment) {
    section(builder).read(file, environment);
    return builder;
  }

  /**
   * Whether a file or an environment sets the port, so that there is to be one.
   *
   * @param file null for none
   * @param environment finds the value of an environment variable, null if it is not set
   * @throws ConfigurationException if the file has a setting of HTTP that does not exist
   */
  public static boolean setsPort(
      @Nullable Path file, Function<String, @Nullable String> environment) {
    return section(HttpSettings.builder()).has("port", file, environment);
  }
}
