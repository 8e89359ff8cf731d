package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Conditions, projections and sums as parameters of requests. */
final class OperatorParametersTest {
  private static final int ENTRIES = 1_000;
  private static final String ENTRIES_PATH = "/v1/caches/orders/entries";
  private static final String SUMS_PATH = "/v1/caches/orders/aggregate";
  private static HttpCluster cluster;

  /** Where a customer lives. */
  public enum Country {
    NO,
    SE
  }

  /** Who orders. */
  public record Customer(String name, Country country) {}

  /** A record whose components have the types that conditions know. */
  public record Order(double price, int lots, @Nullable Integer rest, Customer customer) {}

  @BeforeAll
  static void start() throws IOException {
    cluster = HttpCluster.of(2);
    Cache<String, Order> orders = cluster.node(0).cache("orders", String.class, Order.class);
    Map<String, Order> all = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      Country country = i % 2 == 0 ? Country.NO : Country.SE;
      all.put(
          "order-" + i,
          new Order(i + 0.5, i, i % 10 == 0 ? null : i, new Customer("c" + i % 3, country)));
    }
    orders.putAll(all);
    cluster.awaitCache("orders");
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static String get(int status, String path, String... parameters) throws IOException {
    StringBuilder target = new StringBuilder(path);
    for (int i = 0; i < parameters.length; i += 2) {
      target.append(i == 0 ? '?' : '&').append(parameters[i]).append('=');
      target.append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
    }
    HttpResponse<byte[]> response = cluster.get(1, target.toString());
    String text = new String(response.body(), StandardCharsets.UTF_8);
    assertThat(response.statusCode()).as(text).isEqualTo(status);
    return text;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "lots >= 990|10",
        "price < 10|10",
        "rest isNull|100",
        "rest isNotNull and lots < 10|9",
        "customer.country = 'NO' and lots < 100|50",
        "customer.name in ('c0', 'c1') and lots < 30|20",
        "key startsWith 'order-99'|11",
        "not (lots between 10 and 999)|10",
        "lifespan isNull and lots = 7|1",
        "key.lengthBytes = 7|10",
        "lots = 1 or lots = 2 or key eq 'order-3'|3",
        "lots > 5000|0",
      })
  void aFilterChoosesEntriesOfExportsAndSums(String filter, int count) throws IOException {
    assertThat(get(200, ENTRIES_PATH, "filter", filter).lines()).hasSize(count);
    assertThat(get(200, SUMS_PATH, "filter", filter)).isEqualTo("{\"entries\":" + count + "}");
  }

  @Test
  void aSelectionSendsPartsOfEntries() throws IOException {
    assertThat(
            get(
                200,
                ENTRIES_PATH,
                "select",
                "key,rest,customer,customer.country",
                "filter",
                "lots in (10, 11)"))
        .contains(
            "{\"key\":\"order-10\",\"rest\":null,\"customer\":{\"name\":\"c1\",\"country\":\"NO\"},"
                + "\"customer.country\":\"NO\"}\n",
            "{\"key\":\"order-11\",\"rest\":11,\"customer\":{\"name\":\"c2\",\"country\":\"SE\"},"
                + "\"customer.country\":\"SE\"}\n");
    assertThat(
            get(200, ENTRIES_PATH, "select", "key,price", "format", "csv", "filter", "lots = 12"))
        .isEqualTo("key,price\r\norder-12,12.5\r\n");
    assertThat(get(200, ENTRIES_PATH, "select", "lots", "format", "json", "prefix", "order-77"))
        .startsWith("[{\"lots\":")
        .endsWith("}\n]\n");
  }

  @Test
  void aFilteredExportGoesOnBehindItsToken() throws IOException {
    String token = null;
    int pages = 0;
    int lines = 0;
    do {
      pages++;
      StringBuilder path = new StringBuilder(ENTRIES_PATH + "?limit=100&filter=");
      path.append(URLEncoder.encode("customer.country = 'NO'", StandardCharsets.UTF_8));
      try (RawClient client = new RawClient(cluster.port(0))) {
        // Tokens may be longer than a request line, so they go into a header, too.
        String header = token == null ? "" : "Headrace-Resume: " + token + "\r\n";
        client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n");
        RawClient.Response response = client.response();
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        lines += (int) response.text().lines().count();
        token = response.headers().get("headrace-resume");
      }
    } while (token != null && pages < 100);
    assertThat(lines).isEqualTo(ENTRIES / 2);
    assertThat(pages).isGreaterThan(2);
  }

  @Test
  void aTokenIsSentOnceOnly() throws IOException {
    HttpResponse<byte[]> response =
        cluster.send(cluster.to(0, ENTRIES_PATH + "?resume=x").header("headrace-resume", "y"));
    assertThat(response.statusCode()).isEqualTo(400);
  }

  @Test
  void sumsAreThoseOfJava() throws IOException {
    assertThat(get(200, SUMS_PATH)).isEqualTo("{\"entries\":1000}");
    assertThat(get(200, SUMS_PATH, "field", "lots"))
        .isEqualTo(
            "{\"entries\":1000,\"numbers\":1000,\"sum\":499500,\"min\":0,\"max\":999,\"avg\":499.5}");
    assertThat(get(200, SUMS_PATH, "field", "rest")).contains("\"numbers\":900");
    assertThat(get(200, SUMS_PATH, "field", "price", "filter", "lots < 0"))
        .contains("\"entries\":0", "\"min\":null,\"max\":null,\"avg\":null");
    assertThat(get(200, SUMS_PATH, "groupBy", "customer.country"))
        .contains("{\"group\":\"NO\",\"entries\":500}", "{\"group\":\"SE\",\"entries\":500}");
    assertThat(
            get(200, SUMS_PATH, "groupBy", "customer.name", "field", "lots", "segments", "0-255"))
        .contains("{\"group\":\"c0\",\"entries\":334,\"numbers\":334,\"sum\":166833,");
    assertThat(get(200, SUMS_PATH, "groupBy", "rest", "maxGroups", "10000"))
        .contains("{\"group\":null,\"entries\":100}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "filter|price >|\"position\":7",
        "filter|cost > 4|\"position\":0",
        "filter|version = 'x'|\"position\":10",
        "field|customer|\"parameter\":\"field\"",
        "field|customer.name|no number",
        "field|nothing|\"position\":0",
        "field|key,lots|one part",
        "groupBy|version|\"parameter\":\"groupBy\"",
        "groupBy|key.lengthBytes|\"parameter\":\"groupBy\"",
        "maxGroups|0|from 1 to 10000",
        "segments|0-9999|no segment",
        "nonsense|1|no parameter",
      })
  void whatDoesNotFitIsRefused(String parameter, String value, String told) throws IOException {
    assertThat(get(400, SUMS_PATH, parameter, value)).contains(told);
  }

  @Test
  void tooManyGroupsAreRefused() throws IOException {
    assertThat(get(400, SUMS_PATH, "groupBy", "key", "maxGroups", "999")).contains("999 groups");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {"price,price|6|", "price,|6|", "cost|0|", "version|-1|", "price|-1|binary"})
  void aSelectionThatDoesNotFitIsRefused(String select, int position, @Nullable String format)
      throws IOException {
    String problem =
        format == null
            ? get(400, ENTRIES_PATH, "select", select)
            : get(400, ENTRIES_PATH, "select", select, "format", format);
    if (position >= 0) {
      assertThat(problem).contains("\"position\":" + position);
    }
  }
}
