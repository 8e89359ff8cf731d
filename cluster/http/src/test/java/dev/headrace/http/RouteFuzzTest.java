package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Requests to all routes that were damaged at random places. {@code -Dheadrace.fuzz.seconds=N}
 * sends them for that long, {@code -Dheadrace.seed=N} draws the same damage again.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class RouteFuzzTest {
  private static final int SECONDS = Integer.getInteger("headrace.fuzz.seconds", 30);
  private static final Pattern STATUS_5XX = Pattern.compile("HTTP/1\\.1 5\\d\\d [^\\r]*");
  private static final String HEAD = " HTTP/1.1\r\nHost: localhost\r\n";
  private static final String PUT =
      HEAD + "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nvalue";
  private static final String READY = "GET /health/ready";
  private static final List<String> REQUESTS_IN_ORDER =
      List.of(
          "PUT /v0/entity?id=key&ack=1&from=1" + PUT,
          "GET /v0/entity?id=key&ack=1&from=1" + HEAD + "\r\n",
          "GET /v0/entities?start=a&end=z" + HEAD + "\r\n",
          "PUT /v1/caches/fuzz/entries/key?lifespan=PT9S" + PUT,
          "GET /v1/caches/fuzz/entries/key" + HEAD + "If-None-Match: \"1-2\"\r\n\r\n",
          "GET /v1/caches/fuzz/entries?limit=3&seconds=9&segments=0-9&prefix=k" + HEAD + "\r\n",
          "GET /v1/caches/fuzz/entries" + HEAD + "Accept-Encoding: gzip;q=1\r\n\r\n",
          "DELETE /v1/caches/fuzz/entries/key" + HEAD + "If-Match: *\r\n\r\n",
          "GET /v1/caches/fuzz/entries?filter=key%20startsWith%20'k'%20and%20version%3E'1-2'&select=key,value"
              + HEAD
              + "\r\n",
          "GET /v1/caches/fuzz/aggregate?groupBy=key&field=value.lengthBytes&maxGroups=9&filter=key!='x'"
              + HEAD
              + "\r\n",
          "GET /v1/caches/fuzz/changes?resume=x&content=true&ids=each&segments=0-9" + HEAD + "\r\n",
          "GET /v1/caches/fuzz/changes" + HEAD + "Last-Event-ID: 4AAAx\r\n\r\n",
          "GET /v1/caches/fuzz/entries" + HEAD + "Headrace-Resume: 4AAAx\r\n\r\n",
          "POST /v1/caches/fuzz/entries?format=ndjson&ifAbsent=true"
              + HEAD
              + "Content-Length: 50\r\n\r\n"
              + "{\"key\":\"k\",\"value\":\"v\"}\n{\"key\":\"l\",\"value\":\"w\"}",
          "POST /v1/caches/fuzz/entries?lifespan=PT9S"
              + HEAD
              + "Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "12\r\nkey,value\r\na,\"b\"\r\n\r\n0\r\n\r\n",
          "GET /v1/cluster" + HEAD + "\r\n",
          "PUT /v0/entity?id=c" + HEAD + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
          "DELETE /v0/entity?id=key&ack=1&from=1" + HEAD + "\r\n",
          "GET /v1/caches" + HEAD + "\r\n",
          "GET /v1/cluster/table" + HEAD + "\r\n",
          "GET /v1/cluster/events" + HEAD + "\r\n",
          "GET /metrics" + HEAD + "\r\n",
          "GET /health/live" + HEAD + "\r\n",
          READY + HEAD + "\r\n",
          "GET /" + HEAD + "\r\n",
          "GET /openapi.json" + HEAD + "If-None-Match: \"x\"\r\n\r\n",
          "PUT /v1/caches/fuzz/entries/json"
              + HEAD
              + "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n\"v\\u0061l\"",
          "PUT /v1/caches/raw/entries/key"
              + HEAD
              + "Content-Type: application/octet-stream\r\nContent-Length: 4\r\n\r\n\0\u00ff\0v",
          "GET /v1/caches/raw/entries/key" + HEAD + "Accept: application/octet-stream;q=1\r\n\r\n",
          "GET /v1/caches/fuzz/entries?format=csv&tokens=true" + HEAD + "\r\n",
          "GET /v1/caches/fuzz/entries?format=binary&limit=9" + HEAD + "\r\n",
          "GET /v1/caches/raw/entries?format=binary" + HEAD + "Accept-Encoding: zstd\r\n\r\n",
          "GET /v1/caches/fuzz/entries"
              + HEAD
              + "Accept: text/csv;q=0.1, application/json;q=0.9\r\n"
              + "Accept-Encoding: zstd;q=1\r\n\r\n");
  private static final String SPICE = "\r\n\0 :%/?&=\"*,;-0123456789abcXYZ\u00ff";

  @Test
  void noDamageMakesTheNodeFail() throws IOException {
    long seed = Long.getLong("headrace.seed", System.nanoTime());
    Random random = new Random(seed);
    long sent = 0;
    try (HttpCluster cluster = HttpCluster.of(1)) {
      long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
      while (System.nanoTime() < untilNanos) {
        String request = REQUESTS_IN_ORDER.get(random.nextInt(REQUESTS_IN_ORDER.size()));
        byte[] damaged = damaged(request, random);
        boolean asksIfReady = request.startsWith(READY);
        String reply = reply(cluster.port(0), damaged);
        sent++;
        assertThat(
                STATUS_5XX
                    .matcher(reply)
                    .results()
                    .map(MatchResult::group)
                    .filter(line -> !isAllowed(line, asksIfReady)))
            .as(
                "reply to request %d of seed %d: %s",
                sent, seed, new String(damaged, StandardCharsets.ISO_8859_1))
            .isEmpty();
      }
      assertThat(cluster.get(0, "/health/live").statusCode()).isEqualTo(200);
    }
    assertThat(sent).isPositive();
  }

  /**
   * HTTP itself asks for 501 and 505, where a coding or a version is unknown. The contract of
   * {@code /v0} asks for 504 where a request wants more replicas than there are. A node that is not
   * ready says so by 503.
   */
  private static boolean isAllowed(String statusLine, boolean asksIfReady) {
    return statusLine.matches(asksIfReady ? "HTTP/1\\.1 50[1345] .*" : "HTTP/1\\.1 50[145] .*");
  }

  private static byte[] damaged(String request, Random random) {
    StringBuilder text = new StringBuilder(request);
    for (int times = 1 + random.nextInt(3); times > 0 && text.length() > 1; times--) {
      int at = random.nextInt(text.length());
      char spice = SPICE.charAt(random.nextInt(SPICE.length()));
      switch (random.nextInt(4)) {
        case 0 -> text.setCharAt(at, spice);
        case 1 -> text.insert(at, spice);
        case 2 -> text.deleteCharAt(at);
        default -> text.setLength(Math.max(1, at));
      }
    }
    return text.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** What comes until the connection ends; nothing if it was reset. */
  private static String reply(int port, byte[] request) throws IOException {
    ByteArrayOutputStream reply = new ByteArrayOutputStream();
    try (RawClient client = new RawClient(port)) {
      client.send(request).endOutput();
      byte[] buffer = new byte[8192];
      int read = client.read(buffer);
      while (read >= 0) {
        reply.write(buffer, 0, read);
        read = client.read(buffer);
      }
    } catch (SocketException reset) {
      return reply.toString(StandardCharsets.ISO_8859_1);
    }
    return reply.toString(StandardCharsets.ISO_8859_1);
  }
}
