package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Single entries over HTTP, and what Java sees of them. */
final class EntryRoutesTest {
  private static HttpCluster cluster;

  public record Trade(
      String symbol, double price, int lots, @Nullable Integer rest, boolean buy, Instant at) {}

  @BeforeAll
  static void start() {
    cluster = HttpCluster.of(2);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static String entry(String cache, String key) {
    return "/v1/caches/" + cache + "/entries/" + key;
  }

  private static HttpResponse<byte[]> put(String path, String type, String body, String... headers)
      throws IOException {
    HttpRequest.Builder request =
        cluster
            .to(0, path)
            .header("content-type", type)
            .PUT(HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return cluster.send(request);
  }

  private static HttpResponse<byte[]> get(String path, String... headers) throws IOException {
    HttpRequest.Builder request = cluster.to(1, path);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return cluster.send(request);
  }

  private static String text(HttpResponse<byte[]> response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  private static String tag(HttpResponse<byte[]> response) {
    return response.headers().firstValue("etag").orElseThrow();
  }

  @Test
  void textThatIsPutIsAStringForJava() throws IOException {
    assertThat(put(entry("texts", "a%2Fb"), "text/plain", "grün").statusCode()).isEqualTo(204);
    assertThat(cluster.node(1).cache("texts", String.class, String.class).get("a/b"))
        .isEqualTo("grün");
    HttpResponse<byte[]> got = get(entry("texts", "a%2Fb"));
    assertThat(text(got)).isEqualTo("grün");
    assertThat(got.headers().firstValue("content-type")).hasValue("text/plain; charset=utf-8");
  }

  @Test
  void bytesThatArePutMakeACacheOfBytes() throws IOException {
    put(entry("blobs", "k"), "application/octet-stream", "\u0001\u0002");
    assertThat(cluster.node(1).cache("blobs", String.class, byte[].class).get("k"))
        .containsExactly(1, 2);
  }

  @Test
  void aPutThatIsRefusedMakesNoCache() throws IOException {
    String path = entry("refused", "k");
    assertThat(put(path, "text/plain", "x", "if-match", "*").statusCode()).isEqualTo(412);
    assertThat(put(path, "application/json", "{").statusCode()).isEqualTo(400);
    assertThat(text(get("/v1/caches"))).doesNotContain("\"refused\"");
    assertThat(put(path, "application/octet-stream", "\u0001").statusCode()).isEqualTo(204);
    assertThat(cluster.node(1).cache("refused", String.class, byte[].class).get("k"))
        .as("its formats were not decided before")
        .containsExactly(1);
  }

  @Test
  void recordsOfJavaAreJsonByTheirFields() throws IOException {
    Cache<String, Trade> trades = cluster.node(0).cache("trades", String.class, Trade.class);
    trades.put("t1", new Trade("ACME", 1.5, 3, null, true, Instant.parse("2026-01-31T23:59:59Z")));
    cluster.awaitCache("trades");
    HttpResponse<byte[]> got = get(entry("trades", "t1"));
    assertThat(got.headers().firstValue("content-type")).hasValue("application/json");
    assertThat(text(got))
        .isEqualTo(
            "{\"symbol\":\"ACME\",\"price\":1.5,\"lots\":3,\"rest\":null,\"buy\":true,\"at\":\"2026-01-31T23:59:59Z\"}");

    assertThat(
            put(
                    entry("trades", "t2"),
                    "application/json",
                    "{\"at\":\"2026-01-31T23:59:58Z\",\"buy\":false,\"rest\":7,\"lots\":4,\"price\":2,\"symbol\":\"ÖL\"}")
                .statusCode())
        .isEqualTo(204);
    assertThat(trades.get("t2"))
        .isEqualTo(new Trade("ÖL", 2, 4, 7, false, Instant.parse("2026-01-31T23:59:58Z")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|missing",
        "[]|JSON object",
        "{\"symbol\":1}|string in JSON",
        "{\"price\":\"x\"}|x",
        "{\"lots\":1.5}|1.5",
        "{\"lots\":9999999999}|9999999999",
        "{\"buy\":1}|boolean is true or false",
        "{\"what\":1}|no field",
        "{\"lots\":1,\"lots\":2}|twice",
        "{|not JSON",
        "{}x|missing",
        "'' |no JSON",
        "{} {}|missing",
        "{\"symbol\":{\"a\":[1]}}|no object"
      })
  void jsonThatIsNoneOfTheRecordIsABadRequest(String json, String why) throws IOException {
    Cache<String, Trade> trades = cluster.node(0).cache("trades", String.class, Trade.class);
    trades.put("t0", new Trade("ACME", 1.5, 3, null, true, Instant.EPOCH));
    cluster.awaitCache("trades");
    HttpResponse<byte[]> response =
        put(entry("trades", "bad"), "application/json", json == null ? "" : json.strip());
    assertThat(response.statusCode()).as(text(response)).isEqualTo(400);
    assertThat(text(response)).contains(why);
    assertThat(response.headers().firstValue("content-type")).hasValue("application/problem+json");
  }

  @Test
  void keysOfAnyBuiltInTypeAreTextInTheUrl() throws IOException {
    UUID id = UUID.randomUUID();
    cluster.node(0).cache("by-uuid", UUID.class, Integer.class).put(id, 42);
    cluster.awaitCache("by-uuid");
    assertThat(text(get(entry("by-uuid", id.toString())))).isEqualTo("42");
    assertThat(get(entry("by-uuid", "x")).statusCode()).isEqualTo(400);
    assertThat(put(entry("by-uuid", id.toString()), "text/plain", "43").statusCode())
        .isEqualTo(204);
    assertThat(cluster.node(1).cache("by-uuid", UUID.class, Integer.class).get(id)).isEqualTo(43);
    assertThat(put(entry("by-uuid", id.toString()), "text/plain", "43x").statusCode())
        .isEqualTo(400);
    assertThat(put(entry("by-uuid", id.toString()), "application/octet-stream", "abc").statusCode())
        .as("three bytes are no int")
        .isEqualTo(400);
  }

  @Test
  void acceptChoosesTheForm() throws IOException {
    put(entry("forms", "k"), "text/plain", "a\"b");
    assertThat(text(get(entry("forms", "k"), "accept", "application/json")))
        .isEqualTo("\"a\\\"b\"");
    assertThat(text(get(entry("forms", "k"), "accept", "text/plain;q=0.1, application/json")))
        .isEqualTo("\"a\\\"b\"");
    assertThat(get(entry("forms", "k"), "accept", "image/png").statusCode()).isEqualTo(406);
    assertThat(put(entry("forms", "k"), "image/png", "x").statusCode()).isEqualTo(415);
  }

  @Test
  void theEncodedBytesComeIfTheyAreWanted() throws IOException {
    Cache<String, Integer> numbers = cluster.node(0).cache("encoded", String.class, Integer.class);
    numbers.put("k", 42);
    cluster.awaitCache("encoded");
    String path = entry("encoded", "k");
    for (String accept :
        new String[] {
          "application/octet-stream",
          "text/plain;q=0.5, application/octet-stream;q=0.6",
          "text/*;q=0, application/json;q=0, */*"
        }) {
      HttpResponse<byte[]> got = get(path, "accept", accept);
      assertThat(got.statusCode()).as(accept).isEqualTo(200);
      assertThat(got.headers().firstValue("content-type")).hasValue("application/octet-stream");
      assertThat(got.body()).as(accept).containsExactly(0, 0, 0, 42);
    }
    assertThat(text(get(path, "accept", "application/octet-stream;q=0, */*"))).isEqualTo("42");
    assertThat(put(path, "application/octet-stream", "\0\0\0\7").statusCode()).isEqualTo(204);
    assertThat(numbers.get("k")).isEqualTo(7);
  }

  @Test
  void conditionsGoByTheVersion() throws IOException {
    String path = entry("versions", "k");
    assertThat(put(path, "text/plain", "1", "if-none-match", "*").statusCode()).isEqualTo(201);
    assertThat(put(path, "text/plain", "2", "if-none-match", "*").statusCode()).isEqualTo(412);
    String first = tag(get(path));
    assertThat(get(path, "if-none-match", first).statusCode()).isEqualTo(304);
    assertThat(get(path, "if-none-match", "W/" + first).statusCode()).isEqualTo(304);
    assertThat(put(path, "text/plain", "3", "if-match", first).statusCode()).isEqualTo(204);
    assertThat(put(path, "text/plain", "4", "if-match", first).statusCode()).isEqualTo(412);
    assertThat(get(path, "if-match", first).statusCode()).isEqualTo(412);
    assertThat(get(path, "if-none-match", first).statusCode()).isEqualTo(200);
    String second = tag(get(path));
    assertThat(put(path, "text/plain", "5", "if-match", first + ", " + second).statusCode())
        .isEqualTo(204);
    assertThat(put(path, "text/plain", "6", "if-match", "*").statusCode()).isEqualTo(204);
    assertThat(text(get(path))).isEqualTo("6");

    assertThat(cluster.send(cluster.to(0, path).header("if-match", first).DELETE()).statusCode())
        .isEqualTo(412);
    String last = tag(get(path));
    assertThat(cluster.send(cluster.to(0, path).header("if-match", last).DELETE()).statusCode())
        .isEqualTo(204);
    assertThat(get(path).statusCode()).isEqualTo(404);
    assertThat(cluster.delete(0, path).statusCode()).isEqualTo(404);
    assertThat(put(path, "text/plain", "7", "if-match", "*").statusCode()).isEqualTo(412);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"x", "\"x", "\"1-2\", y", "\"1-2\" \"1-3\"", "w/\"1-2\"", "*, \"1-2\"", ","})
  void aDamagedEntityTagIsABadRequest(String tag) throws IOException {
    assertThat(get(entry("versions", "k"), "if-match", tag).statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"nonsense\"", "\"a, b\"", "\"\"", "W/\"x\"", "\"+1-2\", \"y\""})
  void noEntryHasATagOfSomebodyElse(String foreign) throws IOException {
    String path = entry("versions", "foreign");
    assertThat(put(path, "text/plain", "1").statusCode()).isEqualTo(204);
    String own = tag(get(path));
    assertThat(get(path, "if-none-match", foreign).statusCode()).isEqualTo(200);
    assertThat(get(path, "if-match", foreign).statusCode()).isEqualTo(412);
    assertThat(put(path, "text/plain", "2", "if-match", foreign).statusCode()).isEqualTo(412);
    assertThat(get(path, "if-none-match", foreign + "," + own).statusCode()).isEqualTo(304);
    assertThat(get(path, "if-match", foreign + " , " + own).statusCode()).isEqualTo(200);
  }

  @Test
  void weakTagsCountOnlyWhereTagsAreComparedWeakly() throws IOException {
    String path = entry("versions", "weak");
    assertThat(put(path, "text/plain", "1").statusCode()).isEqualTo(204);
    String weak = "W/" + tag(get(path));
    assertThat(get(path, "if-none-match", weak).statusCode()).isEqualTo(304);
    assertThat(get(path, "if-match", weak).statusCode()).isEqualTo(412);
    assertThat(put(path, "text/plain", "2", "if-match", weak).statusCode()).isEqualTo(412);
    assertThat(cluster.send(cluster.to(0, path).header("if-match", weak).DELETE()).statusCode())
        .isEqualTo(412);
  }

  @Test
  void aLifespanEnds() throws IOException {
    String path = entry("short", "k");
    assertThat(put(path + "?lifespan=PT1H", "text/plain", "x").statusCode()).isEqualTo(204);
    assertThat(get(path).headers().firstValue("headrace-expires")).isPresent();
    assertThat(put(path + "?lifespan=PT0.001S", "text/plain", "x").statusCode()).isEqualTo(204);
    long deadlineNanos = System.nanoTime() + 30_000_000_000L;
    int status = get(path).statusCode();
    while (status == 200 && System.nanoTime() - deadlineNanos < 0) {
      status = get(path).statusCode();
    }
    assertThat(status).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "x", "PT0S", "P", "99999999999999999999"})
  void aLifespanThatIsNoneIsABadRequest(String lifespan) throws IOException {
    assertThat(put(entry("short", "k") + "?lifespan=" + lifespan, "text/plain", "x").statusCode())
        .isEqualTo(400);
  }

  @Test
  void whatThereIsNotIsNotFound() throws IOException {
    assertThat(get(entry("nowhere", "k")).statusCode()).isEqualTo(404);
    assertThat(get("/v1/nothing").statusCode()).isEqualTo(404);
    assertThat(cluster.delete(0, entry("nowhere", "k")).statusCode()).isEqualTo(404);
  }

  @Test
  void headraceOwnNotesAreOnlyRead() throws IOException {
    put(entry("texts", "x"), "text/plain", "x");
    assertThat(text(get(entry("headrace.caches", "texts")))).isEqualTo("string\nstring");
    assertThat(put(entry("headrace.caches", "texts"), "text/plain", "x").statusCode())
        .isEqualTo(403);
    assertThat(cluster.delete(0, entry("headrace.caches", "texts")).statusCode()).isEqualTo(403);
  }

  @Test
  void cachesAreListedWithTheirSizes() throws IOException {
    put(entry("listed", "k"), "text/plain", "x");
    String list = text(get("/v1/caches"));
    assertThat(list)
        .contains("\"name\":\"listed\",\"entries\":1,")
        .contains("\"keyFormat\":\"string\"")
        .endsWith("\"complete\":true}");
  }

  @Test
  void aHeadHasTheHeadersOnly() throws IOException {
    put(entry("texts", "head"), "text/plain", "four");
    HttpResponse<byte[]> head =
        cluster.send(
            cluster
                .to(0, entry("texts", "head"))
                .method("HEAD", HttpRequest.BodyPublishers.noBody()));
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
    assertThat(head.headers().firstValue("content-length")).hasValue("4");
  }
}
