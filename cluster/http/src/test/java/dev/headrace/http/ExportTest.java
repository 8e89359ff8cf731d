package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdInputStream;
import dev.headrace.api.Cache;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A cache's content as one response. */
final class ExportTest {
  private static final int ENTRIES = 5_000;
  private static final String PATH = "/v1/caches/numbers/entries";
  private static final Pattern LINE = Pattern.compile("\\{\"key\":\"(.*)\",\"value\":(\\d+)}");
  private static final Pattern TOKEN = Pattern.compile("\\{\"resume\":\"(.*)\"}");
  private static HttpCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster = HttpCluster.of(2);
    Cache<String, Integer> numbers = cluster.node(0).cache("numbers", String.class, Integer.class);
    Map<String, Integer> all = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      all.put("number-" + i, i);
    }
    numbers.putAll(all);
    cluster.awaitCache("numbers");
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static String text(HttpResponse<byte[]> response) {
    assertThat(response.statusCode())
        .as(new String(response.body(), StandardCharsets.UTF_8))
        .isEqualTo(200);
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  private static Map<String, Integer> entries(String lines) {
    Map<String, Integer> found = new HashMap<>();
    lines
        .lines()
        .forEach(
            line -> {
              Matcher entry = LINE.matcher(line);
              assertThat(entry.matches()).as(line).isTrue();
              Integer before = found.put(entry.group(1), Integer.valueOf(entry.group(2)));
              assertThat(before).as("once: %s", line).isNull();
            });
    return found;
  }

  private static void assertWhole(Map<String, Integer> found) {
    assertThat(found).hasSize(ENTRIES);
    found.forEach((key, value) -> assertThat(key).isEqualTo("number-" + value));
  }

  @Test
  void linesOfJsonHaveEveryEntryOnce() throws IOException {
    HttpResponse<byte[]> response = cluster.get(1, PATH);
    assertThat(response.headers().firstValue("content-type")).hasValue("application/x-ndjson");
    assertWhole(entries(text(response)));
  }

  @Test
  void anArrayOfJsonIsTheSameInBrackets() throws IOException {
    String json = text(cluster.send(cluster.to(0, PATH).header("accept", "application/json")));
    assertThat(json).startsWith("[{").endsWith("}\n]\n");
    assertWhole(entries(json.substring(1, json.length() - 3).replace("\n,", "\n")));
  }

  @Test
  void csvHasALineForNamesAndOneForEachEntry() throws IOException {
    String csv = text(cluster.get(0, PATH + "?format=csv"));
    assertThat(csv).startsWith("key,value\r\n");
    assertThat(csv.lines().skip(1)).hasSize(ENTRIES).contains("number-17,17");
  }

  @Test
  void framesHaveLengths() throws IOException {
    ByteBuffer frames = ByteBuffer.wrap(cluster.get(0, PATH + "?format=binary").body());
    Map<String, Integer> found = new HashMap<>();
    int kind = 0;
    while (frames.hasRemaining()) {
      int length = frames.getInt();
      int end = frames.position() + length;
      kind = frames.get();
      if (kind == 0) {
        byte[] key = new byte[frames.getInt()];
        frames.get(key);
        found.put(new String(key, StandardCharsets.UTF_8), frames.getInt());
      }
      assertThat(frames.position()).isEqualTo(end);
    }
    assertThat(kind).as("the last frame says that it is the end").isEqualTo(3);
    assertWhole(found);
  }

  @Test
  void aBodyComesCompressed() throws IOException {
    byte[] gzip = cluster.send(cluster.to(0, PATH).header("accept-encoding", "gzip")).body();
    assertWhole(entries(string(new GZIPInputStream(new ByteArrayInputStream(gzip)))));
    HttpResponse<byte[]> response =
        cluster.send(cluster.to(0, PATH).header("accept-encoding", "gzip, zstd"));
    assertThat(response.headers().firstValue("content-encoding")).hasValue("zstd");
    assertWhole(entries(string(new ZstdInputStream(new ByteArrayInputStream(response.body())))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "zstd, gzip|zstd",
        "gzip, zstd|zstd",
        "gzip;q=0.8, zstd;q=0.5|gzip",
        "zstd ; q=0.5 , gzip ; q=0.8|gzip",
        "zstd;q=0, gzip|gzip",
        "zstd;q=0.000|none",
        "gzip;q=0.5, identity|none",
        "identity;q=0.5, gzip|gzip",
        "br, deflate|none"
      })
  void aBodyIsPackedAsTheReaderLikesItBest(String accepted, String coding) throws IOException {
    HttpResponse<byte[]> response =
        cluster.send(cluster.to(0, PATH + "?limit=1").header("accept-encoding", accepted));
    assertThat(response.headers().firstValue("content-encoding").orElse("none")).isEqualTo(coding);
  }

  @Test
  void aPreferenceThatIsNoNumberIsABadRequest() throws IOException {
    assertThat(
            cluster.send(cluster.to(0, PATH).header("accept-encoding", "gzip;q=much")).statusCode())
        .isEqualTo(400);
  }

  private static String string(java.io.InputStream in) throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void aPrefixAndSegmentsLeaveOthersOut() throws IOException {
    assertThat(entries(text(cluster.get(0, PATH + "?prefix=number-12")))).hasSize(111);
    Map<String, Integer> some = entries(text(cluster.get(0, PATH + "?segments=0-99,200")));
    Map<String, Integer> others = entries(text(cluster.get(0, PATH + "?segments=100-199,201-255")));
    assertThat(some.keySet()).doesNotContainAnyElementsOf(others.keySet());
    some.putAll(others);
    assertWhole(some);
  }

  private static RawClient.Response page(int node, String query) throws IOException {
    try (RawClient client = new RawClient(cluster.port(node))) {
      RawClient.Response response =
          client.send("GET " + PATH + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n").response();
      assertThat(response.status()).as(response.text()).isEqualTo(200);
      return response;
    }
  }

  private static void addOnce(Map<String, Integer> more, Map<String, Integer> found) {
    more.forEach((key, number) -> assertThat(found.put(key, number)).as("once: %s", key).isNull());
  }

  @Test
  void aTokenOfOneNodeGoesOnAtAnother() throws IOException {
    RawClient.Response first = page(0, "?limit=700");
    assertThat(first.headers()).containsKey("headrace-resume");
    Map<String, Integer> found = entries(first.text());
    assertThat(found).as("a part").hasSizeBetween(700, ENTRIES - 1);
    RawClient.Response rest = page(1, "?resume=" + first.headers().get("headrace-resume"));
    assertThat(rest.headers()).containsEntry("headrace-complete", "true");
    addOnce(entries(rest.text()), found);
    assertWhole(found);
  }

  @Test
  void pagesOfAlternatingNodesHaveEveryEntryOnce() throws IOException {
    Map<String, Integer> found = new HashMap<>();
    String resume = "";
    for (int pages = 0; resume != null; pages++) {
      assertThat(pages).as("pages of 700").isLessThan(ENTRIES / 700 + 2);
      String query = "?limit=700" + (resume.isEmpty() ? "" : "&resume=" + resume);
      RawClient.Response page = page(pages % 2, query);
      addOnce(entries(page.text()), found);
      resume = page.headers().get("headrace-resume");
    }
    assertWhole(found);
  }

  @Test
  void aTokenAmongLinesOfCsvGoesOnAtAnotherNodeInAnotherForm() throws IOException {
    Map<String, Integer> found = new HashMap<>();
    String token = "";
    for (String line : page(0, "?format=csv&limit=700&tokens=true").text().lines().toList()) {
      String[] columns = line.split(",", -1);
      assertThat(columns).as(line).hasSize(2);
      if (columns[0].equals("#resume")) {
        token = columns[1];
      } else if (!line.equals("key,value")) {
        assertThat(found.put(columns[0], Integer.valueOf(columns[1]))).as(line).isNull();
      }
    }
    assertThat(found).as("a part").hasSizeBetween(700, ENTRIES - 1);
    assertThat(token).isNotEmpty();
    addOnce(entries(page(1, "?resume=" + token).text()), found);
    assertWhole(found);
  }

  @Test
  void pagesHaveEveryEntryOnce() throws IOException {
    Map<String, Integer> found = new HashMap<>();
    String resume = "";
    int pages = 0;
    while (resume != null) {
      try (RawClient client = new RawClient(cluster.port(0))) {
        String path = PATH + "?limit=700" + (resume.isEmpty() ? "" : "&resume=" + resume);
        RawClient.Response response =
            client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").response();
        Map<String, Integer> page = entries(response.text());
        assertThat(page.size()).isLessThanOrEqualTo(1_400);
        page.forEach((key, number) -> assertThat(found.put(key, number)).as(key).isNull());
        resume = response.headers().get("headrace-resume");
        assertThat(resume == null)
            .isEqualTo("true".equals(response.headers().get("headrace-complete")));
        pages++;
      }
    }
    assertWhole(found);
    assertThat(pages).isGreaterThanOrEqualTo(4);
  }

  @Test
  void aPageThatAskedForTokensEndsWithOne() throws IOException {
    List<String> lines = text(cluster.get(0, PATH + "?limit=50&tokens=true")).lines().toList();
    Matcher token = TOKEN.matcher(lines.get(lines.size() - 1));
    assertThat(token.matches()).as(lines.toString()).isTrue();
    Map<String, Integer> page = entries(String.join("\n", lines.subList(0, lines.size() - 1)));
    assertThat(page.size()).isBetween(50, 100);
    String next = text(cluster.get(0, PATH + "?limit=50&resume=" + token.group(1)));
    assertThat(entries(next))
        .hasSizeGreaterThanOrEqualTo(50)
        .doesNotContainKeys(page.keySet().toArray(new String[0]));
    assertThat(text(cluster.get(0, PATH + "?tokens=true&segments=7")).lines())
        .noneMatch(line -> TOKEN.matcher(line).matches());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit=0",
        "limit=x",
        "limit=-1",
        "seconds=0",
        "seconds=x",
        "seconds=86401",
        "segments=256",
        "segments=3-1",
        "segments=",
        "segments=x",
        "format=xml",
        "resume=nonsense",
        "tokens=perhaps",
        "what=1",
        "limit=1&limit=2",
        "prefix=%zz"
      })
  void aDamagedParameterIsABadRequest(String query) throws IOException {
    HttpResponse<byte[]> response = cluster.get(0, PATH + "?" + query.replace("%zz", "%ff"));
    assertThat(response.statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        PATH,
        "/v1/caches/numbers/changes",
        "/v1/cluster/events",
        "/v0/entities?start=a",
        "/v1/caches/numbers/aggregate"
      })
  void aHeadHasTheHeadersOfAGet(String path) throws IOException {
    String host = " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    Map<String, String> got;
    try (RawClient client = new RawClient(cluster.port(0))) {
      assertThat(client.send("GET " + path + host).line()).isEqualTo("HTTP/1.1 200 OK");
      got = client.headers();
    }
    try (RawClient client = new RawClient(cluster.port(0))) {
      assertThat(client.send("HEAD " + path + host).line()).isEqualTo("HTTP/1.1 200 OK");
      assertThat(client.headers()).isEqualTo(got);
      assertThat(client.send("GET /health/live" + host).response().status())
          .as("no body follows")
          .isEqualTo(200);
    }
  }

  @Test
  void aFormThatThereIsNotIsNotAcceptable() throws IOException {
    for (String accept : List.of("image/png", "text/csv;q=0")) {
      assertThat(cluster.send(cluster.to(0, PATH).header("accept", accept)).statusCode())
          .as(accept)
          .isEqualTo(406);
    }
    assertThat(cluster.get(0, "/v1/caches/nowhere/entries").statusCode()).isEqualTo(404);
  }
}
