package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.error.CodecException;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.http.cache.OpenCaches;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Caches that are removed in Java, or by the command line, while ports have them open. */
final class RemovedCacheTest {
  private static HttpCluster cluster;

  @BeforeAll
  static void start() {
    cluster = HttpCluster.of(2);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static String cache(String name) {
    return "/v1/caches/" + name;
  }

  private static int put(int node, String name, String type, String value) throws IOException {
    HttpRequest.Builder request =
        cluster
            .to(node, cache(name) + "/entries/k")
            .header("content-type", type)
            .PUT(HttpRequest.BodyPublishers.ofString(value));
    return cluster.send(request).statusCode();
  }

  /** A cache of strings that both ports have open, and that is gone then. */
  private static void makeAndRemove(String name) throws IOException {
    assertThat(put(0, name, "text/plain", "text")).isEqualTo(204);
    assertThat(cluster.get(1, cache(name) + "/entries/k").statusCode()).isEqualTo(200);
    cluster.node(1).destroy(name).join();
  }

  private static String text(HttpResponse<byte[]> response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  @Test
  void aCacheThatWasRemovedIsNotFoundOnAnyPort() throws IOException {
    makeAndRemove("gone");
    for (int node = 0; node < 2; node++) {
      for (String path : new String[] {"/entries/k", "/entries", "/aggregate"}) {
        HttpResponse<byte[]> response = cluster.get(node, cache("gone") + path);
        assertThat(response.statusCode()).as(path).isEqualTo(404);
        assertThat(text(response)).as(path).contains("There is no cache");
      }
      HttpRequest.Builder changes =
          cluster
              .to(node, cache("gone") + "/changes")
              .method("HEAD", HttpRequest.BodyPublishers.noBody()); // whose GET would have no end
      assertThat(cluster.send(changes).statusCode()).isEqualTo(404);
    }
  }

  @Test
  void aCacheThatIsMadeAnewIsNotedAndMayHaveOtherFormats() throws IOException {
    makeAndRemove("anew");
    assertThat(put(0, "anew", "application/octet-stream", "\u0001")).isEqualTo(204);
    assertThat(text(cluster.get(0, "/v1/caches")))
        .contains("\"name\":\"anew\",\"entries\":1,", "\"valueFormat\":\"bytes\"");
    assertThat(cluster.get(1, cache("anew") + "/entries/k").body()).containsExactly(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/entries?format=csv", "/aggregate?groupBy=value"})
  void streamsReadACacheInItsNewFormats(String path) throws IOException {
    makeAndRemove("numbers");
    cluster.node(0).cache("numbers", String.class, Integer.class).put("k", 7);
    long deadlineNanos = System.nanoTime() + 60_000_000_000L;
    HttpResponse<byte[]> response = cluster.get(1, cache("numbers") + path);
    while (response.statusCode() == 404 && System.nanoTime() - deadlineNanos < 0) {
      response = cluster.get(1, cache("numbers") + path); // until it is noted
    }
    assertThat(text(response)).contains("7");
    cluster.node(0).destroy("numbers").join();
  }

  @Test
  void aCacheWhoseFormatsWereWrongIsOpenedAnew() {
    OpenCaches caches = new OpenCaches(cluster.node(0));
    var opened = caches.open("wrong", "string", "bytes");
    caches.failed("wrong", null);
    caches.failed("wrong", new NodeClosedException("for the test"));
    assertThat(caches.kept("wrong")).isSameAs(opened);
    caches.failed("wrong", new CompletionException(new CodecException("for the test")));
    assertThat(caches.kept("wrong")).isNull();
  }
}
