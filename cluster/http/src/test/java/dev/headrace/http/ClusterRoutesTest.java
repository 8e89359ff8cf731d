package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.guide.GuideSnippets;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivex.rxjava3.core.Flowable;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cluster's state, figures, health, and the page that shows them. */
final class ClusterRoutesTest {
  private static final SimpleMeterRegistry REGISTRY = new SimpleMeterRegistry();
  private static HttpCluster cluster;

  @BeforeAll
  static void start() {
    cluster = HttpCluster.of(1);
    cluster.start(settings -> settings, HttpSettings.builder().registry(REGISTRY));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static String text(String path) throws IOException {
    HttpResponse<byte[]> response = cluster.get(1, path);
    assertThat(response.statusCode()).as(path).isEqualTo(200);
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  @Test
  void theClusterIsToldWithItsMembers() throws IOException {
    assertThat(text("/v1/cluster"))
        .contains("\"segments\":256")
        .contains("\"name\":\"node-0\"")
        .contains("\"name\":\"node-1\"")
        .contains("\"suspendedBecause\":null");
  }

  @Test
  void theTableHasEverySegment() throws IOException {
    String table = text("/v1/cluster/table");
    assertThat(table).contains("\"names\":[\"node-0\",\"node-1\"]");
    String owners = table.substring(table.indexOf("\"owners\":") + 10);
    assertThat(owners.chars().filter(each -> each == '[').count()).isEqualTo(256);
  }

  @Test
  void aNodeIsLiveAndBecomesReady() throws IOException {
    assertThat(text("/health/live")).isEqualTo("{\"live\":true}");
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    int status = cluster.get(1, "/health/ready").statusCode();
    while (status != 200 && System.nanoTime() - deadlineNanos < 0) {
      assertThat(status).isEqualTo(503);
      status = cluster.get(1, "/health/ready").statusCode();
    }
    assertThat(text("/health/ready")).isEqualTo("{\"ready\":true}");
  }

  @Test
  void figuresComeInTheFormOfPrometheus() throws IOException {
    cluster.put(1, "/v0/entity?id=metered", new byte[] {1});
    assertThat(text("/metrics"))
        .contains("headrace_cluster_members 2.0")
        .contains("headrace_node_segments_primary ")
        .contains("headrace_cache_entries{cache=\"entities\"}")
        .containsPattern("headrace_http_requests_seconds_count\\{.*route=\"/v0/entity\".*} 1");
  }

  @Test
  void whatSinksHaveSentIsCountedByNode() throws Exception {
    Cache<String, String> cache = cluster.node(1).cache("loaded", String.class, String.class);
    cache
        .load(Flowable.range(0, 1_000).map(i -> Map.entry("key-" + i, "value")))
        .get(60, TimeUnit.SECONDS);
    String metrics = text("/metrics");
    double entries = 0;
    for (String node : List.of("node-0", "node-1")) {
      String tag = "{to=\"" + node + "\"}";
      entries += figure(metrics, "headrace_ingest_entries_total" + tag);
      double batches = figure(metrics, "headrace_ingest_batches_total" + tag);
      assertThat(batches).isPositive();
      assertThat(figure(metrics, "headrace_ingest_linger_seconds_count" + tag)).isEqualTo(batches);
      assertThat(figure(metrics, "headrace_ingest_answer_seconds_sum" + tag)).isPositive();
      assertThat(figure(metrics, "headrace_ingest_fill_total" + tag)).isBetween(0.0, batches);
      assertThat(figure(metrics, "headrace_ingest_retries_total" + tag)).isNotNegative();
      assertThat(figure(metrics, "headrace_ingest_in_flight_bytes" + tag)).isZero();
    }
    assertThat(entries).isEqualTo(1_000);
    assertThat(figure(metrics, "headrace_ingest_sinks")).isZero();
  }

  @Test
  void thePageOfMetricsListsWhatThePortCounts() throws IOException {
    text("/metrics");
    Set<String> present = new TreeSet<>();
    REGISTRY.getMeters().forEach(meter -> present.add(meter.getId().getName()));
    present.removeIf(name -> !name.startsWith("headrace.http.") || name.endsWith(".percentile"));
    Set<String> listed = new TreeSet<>();
    Pattern.compile("(?m)^\\| `(headrace\\.http\\.[a-z.]+)` \\|")
        .matcher(Files.readString(GuideSnippets.root().resolve("site/src/guide/metrics.md")))
        .results()
        .forEach(row -> listed.add(row.group(1)));
    assertThat(listed).isEqualTo(present);
  }

  private static double figure(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is not in\n" + metrics));
  }

  @Test
  void anApplicationsRegistryHasTheFiguresUntilThePortIsClosed() {
    SimpleMeterRegistry own = new SimpleMeterRegistry();
    try (HttpServer server =
        HttpServer.start(cluster.node(0), HttpSettings.builder().registry(own).build())) {
      assertThat(server.port()).isPositive();
      assertThat(own.get("headrace.cluster.members").gauge().value()).isEqualTo(2);
    }
    assertThat(own.getMeters()).isEmpty();
    assertThat(own.isClosed()).isFalse();
  }

  @Test
  void aPageIsFedWithTheTableTheMembersAndTheStatus() throws IOException {
    try (RawClient client = new RawClient(cluster.port(1))) {
      client.send("GET /v1/cluster/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
      assertThat(client.headers()).containsEntry("content-type", "text/event-stream");
      StringBuilder events = new StringBuilder();
      while (events.indexOf("event: status") < 0 || !events.toString().endsWith("\n\n")) {
        events.append(new String(client.chunk(), StandardCharsets.UTF_8));
      }
      assertThat(events.toString())
          .contains("event: table\ndata: {\"epoch\":")
          .contains("event: members\ndata: {\"members\":[{\"name\":\"node-0\"")
          .contains("\"copying\":{}")
          .contains("\"streams\":[]");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/console.js",
        "/console.css",
        "/map.js",
        "/panels.js",
        "/browser.js",
        "/parts.js",
        "/icon.svg",
        "/openapi.json"
      })
  void thePageIsSmallAndStrict(String path) throws IOException {
    HttpResponse<byte[]> response = cluster.get(1, path);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body().length).isLessThan(40_000);
    assertThat(response.headers().firstValue("content-security-policy").orElseThrow())
        .startsWith("default-src 'none'; script-src 'self'");
    assertThat(response.headers().firstValue("x-content-type-options")).hasValue("nosniff");
    String text = new String(response.body(), StandardCharsets.UTF_8);
    assertThat(text)
        .doesNotContain("style=\"")
        .doesNotContain("onclick=\"")
        .doesNotContain("eval(");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/console.html", "/../pom.xml", "/%2e%2e/pom.xml", "/dev/headrace", "//"})
  void noOtherFileIsServed(String path) throws IOException {
    try (RawClient client = new RawClient(cluster.port(1))) {
      RawClient.Response response =
          client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").response();
      assertThat(response.status()).isEqualTo(404);
    }
  }
}
