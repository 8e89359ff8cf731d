package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of the key-value course, on a cluster in which every node has everything. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EntityContract {
  private static final long PATIENCE_NANOS = 90_000_000_000L;

  private final int nodes;
  private HttpCluster cluster;

  /**
   * The contract on a cluster.
   *
   * @param nodes how many it has, each with a replica of every entity; at least two
   */
  EntityContract(int nodes) {
    this.nodes = nodes;
  }

  @BeforeAll
  void start() {
    cluster = HttpCluster.of(nodes, settings -> settings.owners(nodes));
    long beganNanos = System.nanoTime();
    while (cluster.node(0).status().missingReplicas() > 0
        || cluster.node(0).status().effectiveOwners() < nodes) {
      assertThat(System.nanoTime() - beganNanos).as("all have all").isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private static String entity(String id) {
    return "/v0/entity?id=" + id;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v0/entity", "/v0/entity?id=", "/v0/entity?ID=x"})
  void anIdThatIsMissingOrEmptyIsABadRequest(String path) throws IOException {
    assertThat(cluster.get(0, path).statusCode()).isEqualTo(400);
    assertThat(cluster.put(0, path, bytes("x")).statusCode()).isEqualTo(400);
    assertThat(cluster.delete(0, path).statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v0/", "/v0/entity/", "/v0/abracadabra", "/v0/entities/x"})
  void anotherPathIsABadRequest(String path) throws IOException {
    assertThat(cluster.get(0, path).statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PATCH", "OPTIONS", "TRACE"})
  void anotherMethodIsNotAllowed(String method) throws IOException {
    HttpResponse<byte[]> response =
        cluster.send(
            cluster.to(0, entity("x")).method(method, HttpRequest.BodyPublishers.ofString("x")));
    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(response.headers().firstValue("allow")).hasValue("DELETE, GET, HEAD, PUT");
  }

  @Test
  void anAbsentEntityIsNotFound() throws IOException {
    assertThat(cluster.get(0, entity("absent")).statusCode()).isEqualTo(404);
  }

  @Test
  void whatIsPutOnOneNodeIsGotFromTheOther() throws IOException {
    byte[] value = new byte[1024];
    new Random(1).nextBytes(value);
    assertThat(cluster.put(0, entity("there"), value).statusCode()).isEqualTo(201);
    HttpResponse<byte[]> got = cluster.get(1, entity("there"));
    assertThat(got.statusCode()).isEqualTo(200);
    assertThat(got.body()).isEqualTo(value);
  }

  @Test
  void anEmptyValueIsAValue() throws IOException {
    assertThat(cluster.put(0, entity("empty"), new byte[0]).statusCode()).isEqualTo(201);
    HttpResponse<byte[]> got = cluster.get(1, entity("empty"));
    assertThat(got.statusCode()).isEqualTo(200);
    assertThat(got.body()).isEmpty();
  }

  @Test
  void aPutReplacesAndADeleteRemoves() throws IOException {
    String path = entity("changing");
    assertThat(cluster.put(0, path, bytes("one")).statusCode()).isEqualTo(201);
    assertThat(cluster.put(1, path, bytes("two")).statusCode()).isEqualTo(201);
    assertThat(cluster.get(0, path).body()).asString().isEqualTo("two");
    assertThat(cluster.delete(1, path).statusCode()).isEqualTo(202);
    assertThat(cluster.get(0, path).statusCode()).isEqualTo(404);
    assertThat(cluster.delete(0, path).statusCode()).as("absent").isEqualTo(202);
  }

  @Test
  void anIdMayHaveAnyCharacters() throws IOException {
    String path = entity("%D0%BA%D0%BB%D1%8E%D1%87%20%26%3D%2F%25+%F0%9F%98%80");
    assertThat(cluster.put(0, path, bytes("x")).statusCode()).isEqualTo(201);
    assertThat(cluster.get(1, path).statusCode()).isEqualTo(200);
    assertThat(
            cluster
                .node(0)
                .cache("entities", String.class, byte[].class)
                .get("ключ &=/% \uD83D\uDE00"))
        .isEqualTo(bytes("x"));
  }

  @ParameterizedTest
  @CsvSource({"0, 2", "-1, 2", "3, 2", "1, 0", "x, 2", "1, x", "99999999999, 2"})
  void replicasThatCannotBeAreABadRequest(String ack, String from) throws IOException {
    String path = entity("k") + "&ack=" + ack + "&from=" + from;
    assertThat(cluster.get(0, path).statusCode()).isEqualTo(400);
    assertThat(cluster.put(0, path, bytes("x")).statusCode()).isEqualTo(400);
    assertThat(cluster.delete(0, path).statusCode()).isEqualTo(400);
  }

  @Test
  void asManyReplicasAsThereAreAreEnough() throws IOException {
    List<String> asked = new ArrayList<>(List.of("", "&from=1", "&ack=1", "&ack=" + nodes));
    for (int ack = 1; ack <= nodes; ack++) {
      for (int from = ack; from <= nodes + 1; from++) {
        asked.add("&ack=" + ack + "&from=" + from);
      }
    }
    for (String replicas : asked) {
      String path = entity("replicated") + replicas;
      assertThat(cluster.put(0, path, bytes(path)).statusCode()).as(path).isEqualTo(201);
      for (int node = 0; node < nodes; node++) {
        assertThat(cluster.get(node, path).body()).as("%d: %s", node, path).isEqualTo(bytes(path));
      }
      assertThat(cluster.delete(0, path).statusCode()).as(path).isEqualTo(202);
      assertThat(cluster.get(nodes - 1, path).statusCode()).as("removed: %s", path).isEqualTo(404);
    }
  }

  @Test
  void moreReplicasThanThereAreAreNotEnough() throws IOException {
    String path = entity("many") + "&ack=%1$d&from=%1$d".formatted(nodes + 1);
    for (HttpResponse<byte[]> response :
        List.of(cluster.get(0, path), cluster.put(0, path, bytes("x")), cluster.delete(0, path))) {
      assertThat(response.statusCode()).isEqualTo(504);
    }
    try (RawClient client = new RawClient(cluster.port(0))) {
      RawClient.Response response =
          client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").response();
      assertThat(response.reason()).isEqualTo("Not Enough Replicas");
    }
  }

  @Test
  void aCacheOfOtherFormatsHasNoEntities() throws IOException {
    try (HttpCluster other = HttpCluster.of(1)) {
      String path = "/v1/caches/entities/entries/k";
      HttpRequest.Builder text =
          other
              .to(0, path)
              .header("content-type", "text/plain")
              .PUT(HttpRequest.BodyPublishers.ofString("text"));
      assertThat(other.send(text).statusCode()).isEqualTo(204);
      for (HttpResponse<byte[]> response :
          List.of(
              other.put(0, entity("k"), new byte[] {-1}),
              other.get(0, entity("k")),
              other.delete(0, entity("k")),
              other.get(0, "/v0/entities?start=a"))) {
        assertThat(response.statusCode()).isEqualTo(409);
        assertThat(response.body()).asString().contains("strings and bytes");
      }
      assertThat(other.get(0, path).body()).asString().isEqualTo("text");
    }
  }

  // ---- Ranges

  @ParameterizedTest
  @ValueSource(strings = {"/v0/entities", "/v0/entities?start=", "/v0/entities?end=x"})
  void aRangeNeedsAStart(String path) throws IOException {
    assertThat(cluster.get(0, path).statusCode()).isEqualTo(400);
  }

  @Test
  void anEmptyRangeIsAnEmptyBody() throws IOException {
    HttpResponse<byte[]> response = cluster.get(0, "/v0/entities?start=zzz&end=zzzz");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEmpty();
  }

  @Test
  void aRangeIsSortedWithItsStartAndWithoutItsEnd() throws IOException {
    TreeMap<String, String> expected = new TreeMap<>();
    for (int i = 0; i < 100; i++) {
      String key = "range%03d".formatted(i);
      String value = "value " + i;
      cluster.put(i % 2, entity(key), bytes(value));
      expected.put(key, value);
    }
    assertThat(range("range010", "range090"))
        .isEqualTo(lines(expected.subMap("range010", "range090")));
    assertThat(range("range095", null))
        .startsWith(lines(expected.tailMap("range095")).toArray(new String[0]));
    assertThat(range("range005", "range005")).isEmpty();
    assertThat(range("range005", "range004")).isEmpty();
  }

  @Test
  void aRangeLargerThanAPassIsWholeAndSorted() throws IOException {
    int count = 600;
    byte[] value = new byte[10_000];
    Arrays.fill(value, (byte) 'v');
    var cache = cluster.node(0).cache("entities", String.class, byte[].class);
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String key = "large%05d".formatted(i);
      keys.add(key);
      cache.put(key, value);
    }
    List<String> found = new ArrayList<>();
    try (RawClient client = new RawClient(cluster.port(1))) {
      client.send("GET /v0/entities?start=large&end=largf HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
      assertThat(client.headers()).containsEntry("transfer-encoding", "chunked");
      for (byte[] chunk = client.chunk(); chunk != null; chunk = client.chunk()) {
        String text = new String(chunk, StandardCharsets.UTF_8);
        int end = text.indexOf('\n');
        found.add(text.substring(0, end));
        assertThat(text.length() - end - 1).as("value of a chunk").isEqualTo(value.length);
      }
    }
    assertThat(found).isEqualTo(keys);
  }

  private static List<String> lines(java.util.Map<String, String> entries) {
    List<String> chunks = new ArrayList<>();
    entries.forEach((key, value) -> chunks.add(key + "\n" + value));
    return chunks;
  }

  private List<String> range(String start, String end) throws IOException {
    List<String> chunks = new ArrayList<>();
    try (RawClient client = new RawClient(cluster.port(1))) {
      String path = "/v0/entities?start=" + start + (end == null ? "" : "&end=" + end);
      client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
      client.headers();
      for (byte[] chunk = client.chunk(); chunk != null; chunk = client.chunk()) {
        chunks.add(new String(chunk, StandardCharsets.UTF_8));
      }
    }
    return chunks;
  }
}
