package dev.headrace.http.status;

import dev.headrace.http.exchange.HttpReply;
import dev.headrace.http.exchange.Route;
import dev.headrace.http.exchange.Verb;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The files of the page that shows the cluster, and the description of all routes. */
public final class ConsolePages {
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  /** Each path with its file and media type; nothing else is ever read. */
  private static final Map<String, List<String>> FILES =
      Map.of(
          "/", List.of("console.html", "text/html; charset=utf-8"),
          "/console.css", List.of("console.css", "text/css; charset=utf-8"),
          "/console.js", List.of("console.js", "text/javascript; charset=utf-8"),
          "/map.js", List.of("map.js", "text/javascript; charset=utf-8"),
          "/panels.js", List.of("panels.js", "text/javascript; charset=utf-8"),
          "/browser.js", List.of("browser.js", "text/javascript; charset=utf-8"),
          "/parts.js", List.of("parts.js", "text/javascript; charset=utf-8"),
          "/icon.svg", List.of("icon.svg", "image/svg+xml"),
          "/openapi.json", List.of("openapi.json", "application/json"));

  private ConsolePages() {}

  /** The routes. */
  public static List<Route> routes() {
    List<Route> routes = new ArrayList<>();
    FILES.forEach(
        (path, file) -> {
          byte[] content = read(file.get(0));
          routes.add(
              Route.open(
                  Verb.GET,
                  path,
                  call -> CompletableFuture.completedFuture(reply(file.get(1), content))));
        });
    return routes;
  }

  /** The reply for one of the paths; null if there is no such file. */
  static @Nullable HttpReply reply(String path) {
    List<String> file = FILES.get(path);
    return file == null ? null : reply(file.get(1), read(file.get(0)));
  }

  private static HttpReply reply(String mediaType, byte[] content) {
    return HttpReply.of(200, mediaType, content)
        .with("cache-control", "no-cache")
        .with("content-security-policy", POLICY)
        .with("referrer-policy", "no-referrer")
        .with("cross-origin-opener-policy", "same-origin")
        .with("cross-origin-resource-policy", "same-origin");
  }

  private static byte[] read(String name) {
    try (InputStream in = ConsolePages.class.getResourceAsStream("/dev/headrace/http/" + name)) {
      if (in == null) {
        throw new IllegalStateException("The file " + name + " is missing in headrace-http");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
