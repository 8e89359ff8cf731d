package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import io.netty.util.Version;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes and HTTP do with Netty 4.1, too: the build runs this with either. */
@Tag("netty")
@Timeout(120)
final class NettyVersionTest {
  private static final int ENTRIES = 2_000;

  @Test
  void theClassPathHasTheNettyThatIsMeant() {
    assertThat(Version.identify().get("netty-common").artifactVersion())
        .startsWith(System.getProperty("headrace.netty", "4.2") + ".");
  }

  @Test
  void nodesWriteReadStreamAndServe() throws Exception {
    try (HttpCluster cluster = HttpCluster.of(2)) {
      Cache<String, String> cache = cluster.node(0).cache("netty", String.class, String.class);
      Map<String, String> all = new HashMap<>();
      for (int i = 0; i < ENTRIES; i++) {
        all.put("key-" + i, "value".repeat(i % 100));
      }
      cache.putAll(all);
      cache.put("large", "x".repeat(500_000));
      assertThat(cache.compute("key-1", (key, value) -> value + "!")).isEqualTo("value!");

      Cache<String, String> there = cluster.node(1).cache("netty", String.class, String.class);
      assertThat(there.get("large")).hasSize(500_000);
      assertThat(there.stream().batchSize(64).entries().toFlowable().count().blockingGet())
          .isEqualTo(ENTRIES + 1L);

      String body = new String(cluster.get(1, "/v1/caches").body(), StandardCharsets.UTF_8);
      assertThat(body).contains("\"netty\"");
      HttpRequest.Builder put =
          cluster
              .to(1, "/v1/caches/other/entries/key")
              .header("content-type", "text/plain")
              .PUT(HttpRequest.BodyPublishers.ofString("by HTTP"));
      assertThat(cluster.send(put).statusCode()).isEqualTo(204);
      assertThat(cluster.node(0).cache("other", String.class, String.class).get("key"))
          .isEqualTo("by HTTP");
    }
  }

  @Test
  void manyRequestsAtOnceAreAnsweredInTheirOrderWithBodiesButForHead() throws Exception {
    int pairs = 150;
    String host = " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    try (HttpCluster cluster = HttpCluster.of(1);
        RawClient client = new RawClient(cluster.port(0))) {
      client.send(("HEAD /v1/cluster" + host + "GET /health/live" + host).repeat(pairs));
      for (int i = 0; i < pairs; i++) {
        assertThat(client.line()).as("%d", i).isEqualTo("HTTP/1.1 200 OK");
        assertThat(Integer.parseInt(client.headers().get("content-length"))).isGreaterThan(100);
        assertThat(client.response().text()).as("%d", i).isEqualTo("{\"live\":true}");
      }
    }
  }
}
