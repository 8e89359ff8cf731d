package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Security;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients do wrong, by accident or on purpose; the port goes on in any case. */
final class BadInputTest {
  private static final String HOST = " HTTP/1.1\r\nHost: localhost\r\n";
  private static HttpCluster cluster;

  /** A node that allows little. */
  private static HttpCluster strict;

  @BeforeAll
  static void start() {
    cluster = HttpCluster.of(1, settings -> settings.maxEntryBytes(100_000));
    strict = new HttpCluster();
    strict.start(
        settings -> settings,
        HttpSettings.builder()
            .maxConnections(3)
            .maxStreams(1)
            .requestTimeout(Duration.ofMillis(300))
            .idleTimeout(Duration.ofMillis(300)));
  }

  @AfterAll
  static void stop() {
    cluster.close();
    strict.close();
  }

  @AfterEach
  void thePortGoesOn() throws IOException {
    try (RawClient client = new RawClient(cluster.port(0))) {
      assertThat(client.send("GET /health/live" + HOST + "\r\n").response().status())
          .isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"changes?ids=all", "aggregate?maxGroups=x"})
  void aParameterThatIsWrongIsRefusedAndTheConnectionGoesOn(String path) throws IOException {
    try (RawClient client = new RawClient(cluster.port(0))) {
      String request = "GET /v1/caches/x/" + path + HOST + "\r\n";
      assertThat(client.send(request).response().status()).isEqualTo(400);
      assertThat(client.send(request).response().status()).isEqualTo(400);
    }
  }

  private static RawClient.Response answer(String request) throws IOException {
    try (RawClient client = new RawClient(cluster.port(0))) {
      RawClient.Response response = client.send(request).response();
      assertThat(client.isEnded()).as("the connection is not used again").isTrue();
      return response;
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nonsense\\r\\n\\r\\n|400",
        "GET / HTTP/1.1\\r\\n\\r\\n|400",
        "GET / HTTP/1.1\\r\\nHost: a\\r\\nHost: b\\r\\n\\r\\n|400",
        "GET / HTTP/2.0\\r\\nHost: localhost\\r\\n\\r\\n|505",
        "GET http://localhost/ HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n|400",
        "GET /health/live HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: x\\r\\n\\r\\n|400",
        "GET /health/live HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: -1\\r\\n\\r\\n|400",
        "PUT /v0/entity?id=x HTTP/1.1\\r"
            + "\\n"
            + "Host: localhost\\r"
            + "\\n"
            + "Content-Length: 99999999\\r"
            + "\\n"
            + "\\r"
            + "\\n"
            + "|413",
        "PUT /v0/entity?id=x HTTP/1.1\\r"
            + "\\n"
            + "Host: localhost\\r"
            + "\\n"
            + "Expect: wonders\\r"
            + "\\n"
            + "Content-Length: 1\\r"
            + "\\n"
            + "\\r"
            + "\\n"
            + "|417",
        "PUT /v0/entity?id=x HTTP/1.1\\r"
            + "\\n"
            + "Host: localhost\\r"
            + "\\n"
            + "Transfer-Encoding: chunked\\r"
            + "\\n"
            + "\\r"
            + "\\n"
            + "zz\\r"
            + "\\n"
            + "|400",
        "GET /v0/entity?id=%zz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n|400",
        "GET /v1/caches/%ff/entries/x HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n|400",
        "POST /v1/caches/x/entries HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n|415",
        "POST /v1/caches/x/entries?format=no HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n|400",
        "POST /v1/caches/x/entries?format=csv HTTP/1.1\\r"
            + "\\n"
            + "Host: localhost\\r"
            + "\\n"
            + "Transfer-Encoding: chunked\\r"
            + "\\n"
            + "\\r"
            + "\\n"
            + "zz\\r"
            + "\\n"
            + "|400",
        "GET /health/live HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n|421",
        "GET /health/live HTTP/1.1\\r"
            + "\\n"
            + "Host: localhost\\r"
            + "\\n"
            + "Origin: http://evil.example\\r"
            + "\\n"
            + "\\r"
            + "\\n"
            + "|403",
        "GET /health/live HTTP/1.1\\r\\nHost: localhost\\r\\nOrigin: null\\r\\n\\r\\n|403",
        "OPTIONS /v1/cluster HTTP/1.1\\r"
            + "\\n"
            + "Host: localhost\\r"
            + "\\n"
            + "Origin: http://evil.example\\r"
            + "\\n"
            + "Access-Control-Request-Method: PUT\\r"
            + "\\n"
            + "\\r"
            + "\\n"
            + "|403",
        "BREW /health/live HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n|405",
      })
  void aRequestThatIsWrongIsRefused(String request, int status) throws IOException {
    RawClient.Response response = answer(request.replace("\\r", "\r").replace("\\n", "\n"));
    assertThat(response.status()).as(response.text()).isEqualTo(status);
    assertThat(response.headers()).containsEntry("content-type", "application/problem+json");
  }

  @Test
  void aLineThatIsTooLongAndHeadersThatAreTooLargeAreRefused() throws IOException {
    assertThat(answer("GET /" + "x".repeat(9_000) + HOST + "\r\n").status()).isEqualTo(414);
    assertThat(answer("GET /" + HOST + "X: " + "x".repeat(66_000) + "\r\n\r\n").status())
        .isEqualTo(431);
    assertThat(answer("GET /" + HOST + "X: y\r\n".repeat(20_000) + "\r\n").status()).isEqualTo(431);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/caches/long/entries/", "/v0/entity?id="})
  void aKeyThatIsTooLongForALineIsRefusedWithWhatToDo(String path) throws IOException {
    String target = path + "k".repeat(9_000) + HOST;
    for (String request :
        List.of(
            "GET " + target + "\r\n",
            "DELETE " + target + "\r\n",
            "PUT " + target + "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nvalue")) {
      RawClient.Response response = answer(request);
      assertThat(response.status()).as(response.text()).isEqualTo(414);
      assertThat(response.headers())
          .containsEntry("content-type", "application/problem+json")
          .containsEntry("connection", "close");
      assertThat(response.text())
          .contains("\"status\":414", "A request line may have 8192 bytes; use a shorter URL");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/caches/long/entries/", "/v0/entity?id="})
  void aKeyThatJustFitsIntoALineIsAKey(String path) throws IOException {
    String target = path + "k".repeat(8_000) + HOST;
    try (RawClient client = new RawClient(cluster.port(0))) {
      client.send("PUT " + target + "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nvalue");
      assertThat(client.response().status()).isBetween(200, 204);
      RawClient.Response response = client.send("GET " + target + "\r\n").response();
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.text()).isEqualTo("value");
    }
  }

  @Test
  void aTokenThatIsTooLongForALineFitsIntoAHeader() throws IOException {
    String token = "x".repeat(40_000);
    for (String header : new String[] {"Headrace-Resume", "Last-Event-ID"}) {
      String path = header.startsWith("L") ? "changes" : "entries";
      try (RawClient client = new RawClient(cluster.port(0))) {
        client.send(
            "GET /v1/caches/headrace.caches/" + path + HOST + header + ": " + token + "\r\n\r\n");
        RawClient.Response response = client.response();
        assertThat(response.status()).as(response.text()).isEqualTo(400);
        assertThat(response.text()).as("the token itself is refused").contains("oken");
      }
    }
    assertThat(answer("GET /v1/caches/x/entries?resume=" + token + HOST + "\r\n").text())
        .contains("\"status\":414", "Headrace-Resume");
  }

  @Test
  void aChunkedBodyThatIsTooLongIsRefused() throws IOException {
    String chunk = "4000\r\n" + "x".repeat(0x4000) + "\r\n";
    try (RawClient client = new RawClient(cluster.port(0))) {
      client.send("PUT /v0/entity?id=x" + HOST + "Transfer-Encoding: chunked\r\n\r\n");
      for (int i = 0; i < 14; i++) {
        client.send(chunk);
      }
      assertThat(client.response().status()).isEqualTo(413);
    }
  }

  @Test
  void anEntryThatIsTooLargeIsRefused() throws IOException {
    HttpResponse<byte[]> response = cluster.put(0, "/v0/entity?id=x", new byte[150_000]);
    assertThat(response.statusCode()).isEqualTo(413);
  }

  @Test
  void anEntryThatIsTooLargeMakesNoCache() throws IOException {
    String path = "/v1/caches/too-large/entries/x";
    assertThat(cluster.put(0, path, new byte[150_000]).statusCode()).isEqualTo(413);
    assertThat(cluster.get(0, "/v1/caches").statusCode()).isEqualTo(200);
    assertThat(new String(cluster.get(0, "/v1/caches").body(), StandardCharsets.UTF_8))
        .doesNotContain("too-large");
  }

  @ParameterizedTest
  @CsvSource({
    "PUT,/v0/entity?id=packed",
    "PUT,/v1/caches/packed/entries/x",
    "POST,/v1/caches/packed/entries?format=csv"
  })
  void aBodyThatIsPackedOrAPartIsRefused(String method, String path) throws IOException {
    String request = method + " " + path + HOST + "Content-Length: 1\r\n";
    RawClient.Response packed = answer(request + "Content-Encoding: gzip\r\n\r\nx");
    assertThat(packed.status()).isEqualTo(415);
    assertThat(packed.headers()).containsEntry("accept-encoding", "identity");
    assertThat(answer(request + "Content-Range: bytes 0-0/2\r\n\r\nx").status()).isEqualTo(400);
    assertThat(cluster.get(0, "/v0/entity?id=packed").statusCode()).isEqualTo(404);
    assertThat(cluster.get(0, "/v1/caches/packed/entries/x").statusCode()).isEqualTo(404);
  }

  @Test
  void aBodyThatIsNotPackedMaySaySo() throws IOException {
    String plain = "Content-Encoding: identity\r\nContent-Length: 1\r\n\r\nx";
    try (RawClient client = new RawClient(cluster.port(0))) {
      client.send("PUT /v0/entity?id=plain" + HOST + plain);
      assertThat(client.response().status()).isEqualTo(201);
    }
  }

  @Test
  void textThatIsNotEscapedIsTheSameAsEscaped() throws IOException {
    String path = "/v1/caches/st%C3%A4dte/entries/Z%C3%BCrich";
    var put =
        cluster
            .to(0, path)
            .header("content-type", "text/plain")
            .PUT(HttpRequest.BodyPublishers.ofString("here"));
    assertThat(cluster.send(put).statusCode()).isEqualTo(204);
    assertThat(cluster.put(0, "/v0/entity?id=Z%C3%BCrich", new byte[] {'e'}).statusCode())
        .isEqualTo(201);
    String all = "/v1/caches/städte/entries?format=csv";
    assertThat(raw("/v1/caches/städte/entries/Zürich").text()).isEqualTo("here");
    assertThat(raw(all + "&prefix=Zü").text()).contains("Zürich,here");
    assertThat(raw(all + "&filter=key='Zürich'").text()).contains("Zürich,here");
    assertThat(raw("/v0/entity?id=Zürich").text()).isEqualTo("e");
  }

  private static RawClient.Response raw(String path) throws IOException {
    try (RawClient client = new RawClient(cluster.port(0))) {
      return client.send("GET " + path + HOST + "\r\n").response();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/caches/x/entries/Zürich", "/v0/entity?id=Zürich"})
  void textThatIsNotUtf8IsRefused(String path) throws IOException {
    try (RawClient client = new RawClient(cluster.port(0))) {
      client.send(("GET " + path + HOST + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      RawClient.Response response = client.response();
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.text()).contains("not UTF-8");
    }
  }

  @Test
  void requestsInOneWriteAreAnsweredInTheirOrder() throws IOException {
    int pairs = 150; // 300 requests
    StringBuilder requests = new StringBuilder();
    for (int i = 0; i < pairs; i++) {
      requests
          .append("PUT /v1/caches/pipelined/entries/k" + HOST)
          .append("Content-Type: text/plain\r\nContent-Length: 3\r\n\r\n")
          .append(100 + i)
          .append("GET /v1/caches/pipelined/entries/k" + HOST + "\r\n");
    }
    try (RawClient client = new RawClient(cluster.port(0))) {
      client.send(requests.toString());
      for (int i = 0; i < pairs; i++) {
        assertThat(client.response().status()).isEqualTo(204);
        assertThat(client.response().text()).isEqualTo(String.valueOf(100 + i));
      }
    }
  }

  @Test
  void aRequestInManyWritesIsOneRequest() throws IOException {
    String request = "PUT /v0/entity?id=slow" + HOST + "Content-Length: 5\r\n\r\nvalue";
    try (RawClient client = new RawClient(cluster.port(0))) {
      for (byte each : request.getBytes(StandardCharsets.US_ASCII)) {
        client.send(new byte[] {each});
      }
      assertThat(client.response().status()).isEqualTo(201);
    }
  }

  @Test
  void aClientThatHasEndedItsHalfGetsItsReply() throws IOException {
    try (RawClient client = new RawClient(cluster.port(0))) {
      client.send("GET /v1/cluster" + HOST + "\r\n").endOutput();
      assertThat(client.response().status()).isEqualTo(200);
      assertThat(client.isEnded()).isTrue();
    }
  }

  @Test
  void aBodyIsAwaitedOnlyIfItIsWanted() throws IOException {
    try (RawClient client = new RawClient(cluster.port(0))) {
      client.send(
          "PUT /v0/entity?id=x" + HOST + "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n");
      assertThat(client.response().status()).isEqualTo(100);
      assertThat(client.send("x").response().status()).isEqualTo(201);
    }
  }

  @Test
  void anOldClientGetsABodyThatTheEndOfTheConnectionEnds() throws IOException {
    try (RawClient client = new RawClient(cluster.port(0))) {
      client.send("GET /v1/caches/headrace.caches/entries HTTP/1.0\r\n\r\n");
      assertThat(client.line()).startsWith("HTTP/1.1 200");
      assertThat(client.headers()).doesNotContainKey("transfer-encoding");
      byte[] buffer = new byte[4096];
      int last = client.read(buffer);
      while (last >= 0) {
        last = client.read(buffer);
      }
    }
  }

  @Test
  void headersThatComeDropByDropHaveAnEnd() throws IOException {
    try (RawClient client = new RawClient(strict.port(0))) {
      client.send("GET /health/live HTTP/1.1\r\nHost: ");
      assertThat(client.isEnded()).isTrue();
    }
    try (RawClient client = new RawClient(strict.port(0))) {
      assertThat(client.send("GET /health/live" + HOST + "\r\n").response().status())
          .isEqualTo(200);
      assertThat(client.isEnded()).as("idle").isTrue();
    }
  }

  @Test
  void connectionsAndStreamsAreLimited() throws IOException {
    String events = "GET /v1/cluster/events" + HOST + "\r\n";
    try (RawClient first = new RawClient(strict.port(0));
        RawClient second = new RawClient(strict.port(0));
        RawClient third = new RawClient(strict.port(0))) {
      assertThat(first.send(events).line()).isEqualTo("HTTP/1.1 200 OK");
      assertThat(second.send(events).line()).isEqualTo("HTTP/1.1 503 Service Unavailable");
      assertThat(third.send("GET /health/live" + HOST + "\r\n").line())
          .isEqualTo("HTTP/1.1 200 OK");
      try (RawClient fourth = new RawClient(strict.port(0))) {
        assertThat(fourth.response().status()).isEqualTo(503);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNodeWithASecretWantsItsToken(boolean ownToken) throws IOException {
    Security secret = Security.secret("a secret of more than 16 bytes");
    String token = ownToken ? "a token of one's own" : HttpServer.tokenOf((Security.Secret) secret);
    HttpSettings.Builder http = HttpSettings.builder();
    if (ownToken) {
      http.token(token);
    }
    try (HttpCluster secured = new HttpCluster()) {
      secured.start(settings -> settings.security(secret), http);
      HttpResponse<byte[]> refused = secured.get(0, "/v1/cluster");
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("www-authenticate")).isPresent();
      for (String wrong : new String[] {"Bearer x", "Bearer", "Basic " + token, token}) {
        assertThat(
                secured
                    .send(secured.to(0, "/v1/cluster").header("authorization", wrong))
                    .statusCode())
            .isEqualTo(401);
      }
      assertThat(
              secured
                  .send(secured.to(0, "/v1/cluster").header("authorization", "Bearer " + token))
                  .statusCode())
          .isEqualTo(200);
      assertThat(secured.get(0, "/").statusCode()).as("shows nothing").isEqualTo(200);
      assertThat(secured.get(0, "/health/live").statusCode()).isEqualTo(200);
      assertThat(token).doesNotContain("secret of more");
    }
  }

  @Test
  void aPageOfAnAllowedOriginMayAsk() throws IOException {
    try (HttpCluster open = new HttpCluster()) {
      open.start(
          settings -> settings,
          HttpSettings.builder().allowedOrigins(Set.of("https://good.example")));
      try (RawClient client = new RawClient(open.port(0))) {
        String origin = "Origin: https://good.example\r\n";
        RawClient.Response preflight =
            client
                .send(
                    "OPTIONS /v1/cluster"
                        + HOST
                        + origin
                        + "Access-Control-Request-Method: PUT\r\n\r\n")
                .response();
        assertThat(preflight.status()).isEqualTo(204);
        assertThat(preflight.headers())
            .containsEntry("access-control-allow-origin", "https://good.example");
        assertThat(client.send("GET /v1/cluster" + HOST + origin + "\r\n").response().headers())
            .containsEntry("access-control-allow-origin", "https://good.example");
      }
    }
  }

  @Test
  void aPageOfAnotherOriginIsToldThatItMayNotAsk() throws IOException {
    try (HttpCluster open = new HttpCluster()) {
      open.start(
          settings -> settings,
          HttpSettings.builder().allowedOrigins(Set.of("https://good.example")));
      for (String origin :
          List.of(
              "https://evil.example",
              "https://good.example.evil.example",
              "http://good.example",
              "https://good.example:8443",
              "null")) {
        String headers = HOST + "Origin: " + origin + "\r\n";
        String asks = headers + "Access-Control-Request-Method: PUT\r\n\r\n";
        assertForeign(open, "OPTIONS /v1/cluster" + asks);
        assertForeign(open, "OPTIONS /v0/entity?id=x" + asks);
        assertForeign(open, "GET /v1/cluster" + headers + "\r\n");
      }
    }
  }

  private static void assertForeign(HttpCluster open, String request) throws IOException {
    try (RawClient client = new RawClient(open.port(0))) {
      RawClient.Response refused = client.send(request).response();
      assertThat(refused.status()).as(request).isEqualTo(403);
      assertThat(refused.text()).as(request).contains("allowedOrigins");
      assertThat(refused.headers())
          .as(request)
          .containsEntry("content-type", "application/problem+json")
          .doesNotContainKeys(
              "access-control-allow-origin",
              "access-control-allow-methods",
              "access-control-allow-headers");
    }
  }
}
