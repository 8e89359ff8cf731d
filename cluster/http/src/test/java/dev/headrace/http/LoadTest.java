package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that are loaded into caches. */
final class LoadTest {
  private static final String JSON = "application/x-ndjson";
  private static HttpCluster cluster;

  /** A value that is no string. */
  public record Quote(String symbol, double price) {}

  @BeforeAll
  static void start() throws IOException {
    cluster = HttpCluster.of(2, settings -> settings.maxEntryBytes(100_000));
    cluster.node(0).cache("quotes", String.class, Quote.class).put("x", new Quote("x", 1));
    cluster.awaitCache("quotes");
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static String path(String cache, String query) {
    return "/v1/caches/" + cache + "/entries" + query;
  }

  private static HttpResponse<byte[]> post(String path, String type, String body)
      throws IOException {
    return cluster.send(
        cluster
            .to(0, path)
            .header("content-type", type)
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private static String text(int status, HttpResponse<byte[]> response) {
    String text = new String(response.body(), StandardCharsets.UTF_8);
    assertThat(response.statusCode()).as(text).isEqualTo(status);
    return text;
  }

  private static String line(String key, String value) {
    return "{\"key\":\"" + key + "\",\"value\":\"" + value + "\"}\n";
  }

  @Test
  void linesOfJsonBecomeEntries() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      lines.append(line("key-" + i, "value-" + i));
    }
    String report = text(200, post(path("lines", ""), JSON, lines.toString()));
    assertThat(report)
        .contains("\"complete\":true,\"records\":20000,\"written\":20000", "\"failures\":[]");
    Cache<String, String> cache = cluster.node(1).cache("lines", String.class, String.class);
    assertThat(cache.size()).isEqualTo(20_000);
    assertThat(cache.get("key-7")).isEqualTo("value-7");
  }

  @Test
  void largeRecordsMayFollowManySmallOnes() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 2_000; i++) {
      lines.append(line("small-" + i, "v"));
    }
    for (int i = 0; i < 200; i++) {
      lines.append(line("large-" + i, "x".repeat(90_000)));
    }
    assertThat(text(200, post(path("mixed", ""), JSON, lines.toString())))
        .contains("\"complete\":true,\"records\":2200,\"written\":2200");
  }

  @Test
  void anExportCanBeLoadedAgain() throws IOException {
    assertThat(text(200, post(path("first", ""), JSON, line("a", "1") + line("b", "ø,\\\"\\n"))))
        .contains("\"written\":2");
    for (String[] form : new String[][] {{"ndjson", JSON}, {"csv", "text/csv"}}) {
      String exported = text(200, cluster.get(0, path("first", "?tokens=true&format=" + form[0])));
      assertThat(text(200, post(path("again-" + form[0], ""), form[1], exported)))
          .contains("\"written\":2,\"present\":0,\"failed\":0");
      Map<String, String> again = new HashMap<>();
      cluster
          .node(0)
          .cache("again-" + form[0], String.class, String.class)
          .forEach(entry -> again.put(entry.getKey(), entry.getValue()));
      assertThat(again).isEqualTo(Map.of("a", "1", "b", "ø,\"\n"));
    }
  }

  @Test
  void recordsHaveTheFormatOfTheCache() throws IOException {
    String body =
        "key,value\r\nACME,\"{\"\"symbol\"\":\"\"ACME\"\",\"\"price\"\":42.5}\"\r\nbad,1\r\n";
    String report = text(200, post(path("quotes", ""), "text/csv; charset=utf-8", body));
    assertThat(report).contains("\"written\":1", "\"failed\":1", "{\"line\":3,\"error\":");
    assertThat(cluster.node(1).cache("quotes", String.class, Quote.class).get("ACME"))
        .isEqualTo(new Quote("ACME", 42.5));
  }

  @Test
  void damagedLinesAreReportedAndTheOthersGoOn() throws IOException {
    String body = line("a", "1") + "nonsense\n\n" + line("b", "2") + "{\"key\":\"c\"}\n";
    String report = text(200, post(path("damaged", ""), JSON, body));
    assertThat(report)
        .contains("\"records\":4,\"written\":2", "{\"line\":2,", "{\"line\":5,", "no value");
    String stopped = text(400, post(path("stopped", "?stopAtFirstFailure=true"), JSON, body));
    assertThat(stopped).contains("\"line\":2", "\"report\":{", "\"written\":1");
  }

  @Test
  void anEntryThatIsTooLargeIsReportedWithItsKey() throws IOException {
    String body = line("large", "x".repeat(150_000)) + line("small", "x");
    assertThat(text(200, post(path("large", ""), JSON, body)))
        .contains("\"written\":1", "\"failed\":1", "{\"key\":\"large\",\"error\":");
    assertThat(text(200, post(path("large", ""), JSON, line("huge", "x".repeat(300_000)))))
        .contains("{\"line\":1,\"error\":\"The record has more than 201024 bytes\"}");
    assertThat(text(413, post(path("large", "?stopAtFirstFailure=true"), JSON, body)))
        .contains("\"report\":{");
  }

  @Test
  void aKeyThatIsTooLargeIsReportedAndTheOthersAreLoaded() throws IOException {
    String large = line("k".repeat(150_000), "x");
    String report =
        text(200, post(path("large-keys", ""), JSON, line("a", "1") + large + line("b", "2")));
    assertThat(report)
        .hasSizeLessThan(4_000)
        .contains("\"records\":3,\"written\":2,\"present\":0,\"failed\":1")
        .contains("\"failures\":[{\"key\":\"kkk", "kkk…\",\"keyBytes\":150000,\"error\":");
    String larger = line("k".repeat(300_000), "x");
    assertThat(text(200, post(path("large-keys", ""), JSON, larger + line("c", "3"))))
        .contains("\"records\":2,\"written\":1", "\"failed\":1")
        .contains("{\"line\":1,\"error\":\"The record has more than 201024 bytes\"}");
    String csv = "key,value\r\nd,4\r\n" + "k".repeat(150_000) + ",x\r\ne,5\r\n";
    assertThat(text(200, post(path("large-keys", ""), "text/csv", csv)))
        .contains("\"records\":3,\"written\":2", "\"keyBytes\":150000");
    Map<String, String> found = new HashMap<>();
    cluster
        .node(1)
        .cache("large-keys", String.class, String.class)
        .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
    assertThat(found).isEqualTo(Map.of("a", "1", "b", "2", "c", "3", "d", "4", "e", "5"));
  }

  @Test
  void onlyAbsentKeysAreWrittenIfThatIsWanted() throws IOException {
    assertThat(text(200, post(path("absent", ""), JSON, line("a", "1")))).contains("\"written\":1");
    assertThat(
            text(
                200,
                post(
                    path("absent", "?ifAbsent=true&lifespan=PT1H"),
                    JSON,
                    line("a", "2") + line("b", "2"))))
        .contains("\"written\":1,\"present\":1");
    assertThat(cluster.get(1, path("absent", "/a")).headers().firstValue("headrace-expires"))
        .isEmpty();
    assertThat(cluster.get(1, path("absent", "/b")).headers().firstValue("headrace-expires"))
        .isPresent();
  }

  @Test
  void anEmptyBodyIsAnEmptyLoad() throws IOException {
    assertThat(text(200, post(path("empty", ""), JSON, ""))).contains("\"records\":0");
    assertThat(text(200, post(path("empty", ""), "text/csv", "key,value")))
        .contains("\"records\":0");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBodyMayComeInChunksAndAfterAWord(boolean expect) throws IOException {
    try (RawClient client = new RawClient(cluster.port(0))) {
      client.send(
          "POST "
              + path("chunks", "?format=ndjson")
              + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
              + (expect ? "Expect: 100-continue\r\n\r\n" : "\r\n"));
      if (expect) {
        assertThat(client.response().status()).isEqualTo(100);
      }
      String line = line("a", "1");
      for (int i = 0; i < line.length(); i++) {
        client.send("1\r\n" + line.charAt(i) + "\r\n");
      }
      client.send("0\r\n\r\nGET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(client.response().text()).contains("\"written\":1");
      assertThat(client.response().status()).as("the connection goes on").isEqualTo(200);
    }
  }

  @Test
  void whatAClientThatGoesHalfWayHasSentIsWritten() throws IOException {
    try (RawClient client = new RawClient(cluster.port(0))) {
      client.send(
          "POST "
              + path("half", "?format=ndjson")
              + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
              + line("a", "1")
              + "{\"key\":\"b\"");
    }
    Cache<String, String> cache = cluster.node(1).cache("half", String.class, String.class);
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (cache.get("a") == null && System.nanoTime() - deadlineNanos < 0) {
      Thread.onSpinWait();
    }
    assertThat(cache.get("a")).isEqualTo("1");
    assertThat(cache.size()).isEqualTo(1);
    // The place of that load is free again: there are 16.
    for (int i = 0; i < 20; i++) {
      text(200, post(path("half", ""), JSON, line("c", "1")));
    }
  }

  @Test
  void allThatAClientHasSentBeforeItGoesIsWrittenHoweverMuch() throws IOException {
    int count = 30_000;
    String value = "x".repeat(300);
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < count; i++) {
      lines.append(line("key-" + i, value));
    }
    try (RawClient client = new RawClient(cluster.port(0))) {
      client.send(
          "POST "
              + path("much", "?format=ndjson")
              + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n"
              + lines);
    }
    Cache<String, String> cache = cluster.node(1).cache("much", String.class, String.class);
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (cache.size() < count && System.nanoTime() - deadlineNanos < 0) {
      Thread.onSpinWait();
    }
    assertThat(cache.size()).isEqualTo(count);
  }

  @ParameterizedTest
  @CsvSource({
    "text/plain,,415",
    "application/json,,415",
    "application/x-ndjson,?format=xml,400",
    "application/x-ndjson,?lifespan=0,400",
    "application/x-ndjson,?stopAtFirstFailure=perhaps,400",
    "application/x-ndjson,?what=1,400"
  })
  void whatCannotBeLoadedIsRefused(String type, String query, int status) throws IOException {
    HttpResponse<byte[]> response =
        post(path("refused", query == null ? "" : query), type, line("a", "1"));
    assertThat(text(status, response)).contains("\"detail\":");
    assertThat(cluster.get(0, path("refused", "")).statusCode())
        .as("nothing was made")
        .isEqualTo(404);
  }

  @Test
  void aCacheOfHeadraceIsNotLoaded() throws IOException {
    text(403, post(path("headrace.caches", ""), JSON, line("a", "1")));
    HttpResponse<byte[]> packed =
        cluster.send(
            cluster
                .to(0, path("refused", "?format=csv"))
                .header("content-encoding", "gzip")
                .POST(HttpRequest.BodyPublishers.ofString("x")));
    text(415, packed);
    assertThat(text(400, post(path("names", ""), "text/csv", "a,b\n"))).contains("\"line\":1");
  }
}
