package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Exports that end after a time, while another node does not answer. */
final class TimedPageTest {
  private static final int ENTRIES = 2_000;
  private static final String PATH = "/v1/caches/numbers/entries?format=csv";

  private static RawClient.Response get(HttpCluster cluster, String query) throws IOException {
    try (RawClient client = new RawClient(cluster.port(0))) {
      return client.send("GET " + PATH + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n").response();
    }
  }

  /** Adds the entries of a page, none of which was there before. */
  private static void add(RawClient.Response page, Set<String> found) {
    List<String> lines = page.text().lines().toList();
    assertThat(lines.get(0)).isEqualTo("key,value");
    lines.stream().skip(1).forEach(line -> assertThat(found.add(line)).as(line).isTrue());
  }

  @Test
  void aTokenStandsForExactlyWhatRemains() throws IOException {
    HeldReads reads = new HeldReads();
    try (HttpCluster cluster = new HttpCluster(reads.tuning())) {
      for (int node = 0; node < 3; node++) {
        cluster.start(settings -> settings.owners(1), HttpSettings.builder());
      }
      Map<String, String> all = new TreeMap<>();
      for (int i = 0; i < ENTRIES; i++) {
        all.put("key-" + i, "value");
      }
      cluster.node(0).cache("numbers", String.class, String.class).putAll(all);
      cluster.awaitCache("numbers");
      Set<String> found = new HashSet<>();
      reads.hold();
      RawClient.Response part = get(cluster, "&seconds=1");
      assertThat(part.status()).isEqualTo(200);
      assertThat(part.headers()).doesNotContainKey("headrace-complete");
      add(part, found);
      assertThat(found).as("of one node of three").hasSizeLessThan(ENTRIES);

      reads.release();
      RawClient.Response rest =
          get(cluster, "&seconds=60&resume=" + part.headers().get("headrace-resume"));
      assertThat(rest.headers()).containsEntry("headrace-complete", "true");
      add(rest, found);
      assertThat(found).hasSize(ENTRIES);
    }
  }
}
