package dev.headrace.spring.boot3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.error.NodeClosedException;
import dev.headrace.spring.boot3.LibraryApplication.Book;
import dev.headrace.spring.boot3.LibraryApplication.Shelves;
import io.netty.util.Version;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cache.CacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.SpringVersion;

/** Two instances of an application with Boot 3.5, through what they serve by HTTP. */
@Timeout(120)
final class Boot3ApplicationTest {
  private final HttpClient http = HttpClient.newHttpClient();
  private final Shelves shelves = new Shelves();
  private final String cluster = "library-" + UUID.randomUUID();

  @TempDir private Path folder;
  private ConfigurableApplicationContext one;
  private ConfigurableApplicationContext other;

  private ConfigurableApplicationContext application() {
    return new SpringApplicationBuilder(LibraryApplication.class)
        .initializers(context -> context.getBeanFactory().registerSingleton("shelves", shelves))
        .properties(
            Map.of(
                "headrace.cluster-name", cluster,
                "headrace.discovery.folder", folder.toString(),
                "headrace.operation-timeout", "1m",
                "headrace.caches.books.key-type", "int",
                "headrace.caches.books.value-type", Book.class.getName(),
                "management.endpoint.health.probes.enabled", "true",
                "management.endpoint.health.show-details", "always",
                "management.endpoints.web.exposure.include", "health,metrics",
                "server.address", "127.0.0.1",
                "server.port", "0"))
        .properties("spring.main.banner-mode=off", "logging.level.root=warn")
        .run();
  }

  @BeforeEach
  void start() throws Exception {
    one = application();
    other = application();
    awaitReady(one);
    awaitReady(other);
  }

  @AfterEach
  void stop() {
    one.close();
    other.close();
  }

  private static HttpRequest request(ConfigurableApplicationContext application, String path) {
    String port = application.getEnvironment().getProperty("local.server.port");
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
  }

  private HttpResponse<String> get(ConfigurableApplicationContext application, String path)
      throws IOException, InterruptedException {
    return http.send(request(application, path), BodyHandlers.ofString());
  }

  private void awaitReady(ConfigurableApplicationContext application) throws Exception {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (get(application, "/actuator/health/readiness").statusCode() != 200) {
      assertThat(System.nanoTime() - deadlineNanos).as("not ready yet").isNegative();
      Thread.onSpinWait();
    }
  }

  @Test
  void instancesShareACacheSayHowTheyAreAndCloseInOrder() throws Exception {
    assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
    assertThat(SpringVersion.getVersion()).startsWith("6.2.");
    assertThat(Version.identify().get("netty-common").artifactVersion()).startsWith("4.1.");

    assertThat(get(one, "/books/7").body()).isEqualTo("title-7");
    assertThat(get(other, "/books/7").body()).isEqualTo("title-7");
    assertThat(shelves.reads()).isEqualTo(1);

    assertThat(get(one, "/actuator/health").body())
        .contains("\"headrace\":{\"status\":\"UP\"", "\"cluster\":\"" + cluster, "\"members\":2");
    assertThat(get(one, "/actuator/health/liveness").body()).contains("UP");
    assertThat(get(one, "/actuator/metrics/headrace.cluster.members").body())
        .contains("\"value\":2");
    streamsAreObserved();

    aRequestIsServedWhileItsInstanceCloses();
    assertThat(get(other, "/books/7").body()).isEqualTo("title-7");
    assertThat(get(other, "/books/8").body()).isEqualTo("title-8");
    assertThat(shelves.reads()).as("reads of two books").isEqualTo(2);
    assertThat(get(other, "/actuator/health").body()).contains("\"members\":1");
    aClosedNodeIsNotReady();
  }

  private void streamsAreObserved() throws Exception {
    Cache<?, ?> books =
        (Cache<?, ?>) one.getBean(CacheManager.class).getCache("books").getNativeCache();
    assertThat(books.stream().keys().toFlowable().count().blockingGet()).isEqualTo(1);
    assertThat(get(one, "/actuator/metrics/headrace.stream?tag=outcome:complete").body())
        .contains("\"statistic\":\"COUNT\",\"value\":1.0");
    assertThat(get(one, "/actuator/metrics/headrace.stream.batch?tag=cache:books").body())
        .contains("\"statistic\":\"COUNT\"");
    assertThat(get(other, "/actuator/metrics/headrace.stream").statusCode()).isEqualTo(404);
  }

  private void aRequestIsServedWhileItsInstanceCloses() throws Exception {
    Headrace node = one.getBean(Headrace.class);
    CompletableFuture<HttpResponse<String>> late =
        http.sendAsync(request(one, "/late/8"), BodyHandlers.ofString());
    one.getBean(Desk.class).awaitReader();
    one.close();
    assertThat(late.get(60, TimeUnit.SECONDS).body()).isEqualTo("title-8");
    assertThatThrownBy(node::status).isInstanceOf(NodeClosedException.class);
  }

  private void aClosedNodeIsNotReady() throws Exception {
    other.getBean(Headrace.class).close();
    assertThat(get(other, "/actuator/health").body()).contains("\"headrace\":{\"status\":\"DOWN\"");
    assertThat(get(other, "/actuator/health/readiness").statusCode()).isEqualTo(503);
    assertThat(get(other, "/actuator/health/liveness").statusCode()).isEqualTo(200);
  }
}
