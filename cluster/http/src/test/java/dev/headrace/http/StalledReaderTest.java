package dev.headrace.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterStatus;
import dev.headrace.http.export.StreamFigures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A reader that does not read. */
final class StalledReaderTest {
  private static final int ENTRIES = 12_000;
  private static final int FORM_ENTRIES = 6_000;
  private static final int HELD_BYTES = 64 << 10;
  private static final int MAX_ENTRY_BYTES = 2 << 10;
  private static final int CHANGE_BYTES = 32 << 10;
  private static final long SETTLED_NANOS = 1_000_000_000L;
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(3);

  @Test
  void aStalledReaderHoldsLittleAndGoesOnWhereItWas() throws Exception {
    try (HttpCluster cluster = HttpCluster.of(2)) {
      String value = "x".repeat(1_000);
      Cache<String, String> cache = cluster.node(0).cache("large", String.class, String.class);
      Map<String, String> all = new HashMap<>();
      for (int i = 0; i < ENTRIES; i++) {
        all.put("key-" + i, value);
      }
      cache.putAll(all);
      cluster.awaitCache("large");

      try (RawClient stalled = new RawClient(cluster.port(0), 16 << 10)) {
        stalled.send("GET /v1/caches/large/entries HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertThat(stalled.line()).isEqualTo("HTTP/1.1 200 OK");
        stalled.headers();
        awaitStandstill(cluster);
        awaitHeldLess(cluster);
        assertThat(cluster.get(0, "/v1/caches/large/entries/key-7").statusCode())
            .as("others are not disturbed")
            .isEqualTo(200);

        long bytes = 0;
        for (byte[] chunk = stalled.chunk(); chunk != null; chunk = stalled.chunk()) {
          bytes += chunk.length;
        }
        assertThat(stalled.headers()).containsEntry("headrace-complete", "true");
        assertThat(bytes)
            .isEqualTo(
                all.keySet().stream()
                    .mapToLong(
                        key -> ("{\"key\":\"" + key + "\",\"value\":\"" + value + "\"}\n").length())
                    .sum());
      }
      assertThat(Arrays.stream(new int[] {0, 1}).mapToLong(i -> streams(cluster, i)).sum())
          .isZero();
    }
  }

  /** A form of a response. */
  private enum Form {
    NDJSON("entries", ""),
    JSON("entries?format=json", ""),
    CSV("entries?format=csv", ""),
    BINARY("entries?format=binary", ""),
    GZIP("entries", "Accept-Encoding: gzip\r\n"),
    ZSTD("entries", "Accept-Encoding: zstd\r\n"),
    PARTS("entries?select=key", ""),
    CHANGES("changes?content=true", "");

    private final String target;
    private final String header;

    Form(String target, String header) {
      this.target = target;
      this.header = header;
    }

    /** What a stream may hold that tells nobody: that of changes has this bound. */
    int untoldBytes() {
      return this == CHANGES ? CHANGE_BYTES : 0;
    }
  }

  /** A reader that does not read, at a port of its own, so that its bytes are told apart. */
  private static final class Stalled implements AutoCloseable {
    private final Form form;
    private final HttpServer server;
    private final RawClient client;
    private long sentBytes;
    private long sinceNanos = System.nanoTime();

    Stalled(Form form, HttpCluster cluster) throws IOException {
      this.form = form;
      this.server = HttpServer.start(cluster.node(0));
      this.client = new RawClient(server.port(), 16 << 10);
      client.send(
          "GET /v1/caches/large/%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
              .formatted(form.target, form.header));
      assertThat(client.line()).as("%s", form).isEqualTo("HTTP/1.1 200 OK");
    }

    private StreamFigures stream() {
      return server.streams().get(0);
    }

    /** What waits for this reader, but for an entry in a piece that is being filled. */
    long heldBytes() {
      return server.waitingBytes() + stream().creditBytes() + form.untoldBytes();
    }

    /** Whether it has been paused for a second without sending anything, and holds little. */
    boolean hasSettled() {
      long now = stream().bytes();
      if (now != sentBytes || now == 0 || !stream().paused()) {
        sentBytes = now;
        sinceNanos = System.nanoTime();
      }
      return System.nanoTime() - sinceNanos > SETTLED_NANOS
          && heldBytes() + MAX_ENTRY_BYTES <= HELD_BYTES;
    }

    @Override
    public String toString() {
      return "%s: %d bytes wait for the socket, %d in the stream"
          .formatted(form, server.waitingBytes(), stream().creditBytes() + form.untoldBytes());
    }

    @Override
    public void close() {
      client.close();
      server.close();
    }
  }

  @Test
  void everyFormHoldsAtMost64KilobytesForAReaderThatStalls() throws Exception {
    try (HttpCluster cluster = HttpCluster.of(2)) {
      cluster.node(0).cache("large", String.class, String.class).putAll(incompressible());
      cluster.awaitCache("large");
      final long before = directBytes(cluster);
      List<Stalled> readers = new ArrayList<>();
      try {
        for (Form form : Form.values()) {
          readers.add(new Stalled(form, cluster));
        }
        awaitSettled(readers);
        long all = directBytes(cluster) - before;
        for (Stalled reader : readers) {
          assertThat(reader.heldBytes() + MAX_ENTRY_BYTES)
              .as("%s", reader)
              .isLessThanOrEqualTo(HELD_BYTES);
          all += reader.server.waitingBytes() + reader.form.untoldBytes() + MAX_ENTRY_BYTES;
        }
        assertThat(all)
            .as("what waits for sockets, and direct memory of both nodes")
            .isLessThanOrEqualTo((long) readers.size() * HELD_BYTES);
        assertThat(new String(cluster.get(0, "/v1/caches/large/aggregate").body(), UTF_8))
            .as("others are not disturbed")
            .isEqualTo("{\"entries\":" + FORM_ENTRIES + "}");
      } finally {
        readers.forEach(Stalled::close);
      }
    }
  }

  @Test
  void aRangeWaitsForItsReaderAndGoesOnWhereItWas() throws Exception {
    try (HttpCluster cluster = HttpCluster.of(1)) {
      TreeMap<String, String> all = new TreeMap<>(incompressible());
      Map<String, byte[]> encoded = new HashMap<>();
      all.forEach((key, value) -> encoded.put(key, value.getBytes(UTF_8)));
      cluster.node(0).cache("entities", String.class, byte[].class).putAll(encoded);
      try (HttpServer own = HttpServer.start(cluster.node(0));
          RawClient stalled = new RawClient(own.port(), 16 << 10)) {
        stalled.send("GET /v0/entities?start=0 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertThat(stalled.line()).isEqualTo("HTTP/1.1 200 OK");
        stalled.headers();
        assertThat(settledBytes(own)).as("what waits for the socket").isBetween(1L, 65_536L);
        assertThat(cluster.get(0, "/v0/entities?start=x").body()).as("another range").isEmpty();

        List<String> expected = new ArrayList<>();
        all.forEach((key, value) -> expected.add(key + "\n" + value));
        List<String> read = new ArrayList<>();
        for (byte[] chunk = stalled.chunk(); chunk != null; chunk = stalled.chunk()) {
          read.add(new String(chunk, UTF_8));
        }
        assertThat(read.stream().map(one -> one.substring(0, 12)).toList())
            .isEqualTo(expected.stream().map(one -> one.substring(0, 12)).toList());
      }
    }
  }

  /** What waits for a server's sockets once that has been the same for a second. */
  private static long settledBytes(HttpServer server) {
    long beganNanos = System.nanoTime();
    long sinceNanos = beganNanos;
    long waiting = 0;
    while (waiting == 0 || System.nanoTime() - sinceNanos < SETTLED_NANOS) {
      assertThat(System.nanoTime() - beganNanos).as("until it settles").isLessThan(PATIENCE_NANOS);
      long now = server.waitingBytes();
      sinceNanos = now == waiting ? sinceNanos : System.nanoTime();
      waiting = now;
      LockSupport.parkNanos(1_000_000);
    }
    return waiting;
  }

  private static void awaitSettled(List<Stalled> readers) {
    long beganNanos = System.nanoTime();
    // All are looked at each time: each has a second of its own.
    while (readers.stream().filter(Stalled::hasSettled).count() < readers.size()) {
      assertThat(System.nanoTime() - beganNanos)
          .as("until all stand still and hold at most 64 KB: %s", readers)
          .isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** More than sockets take, in keys alone, too, and no compression makes it small. */
  private static Map<String, String> incompressible() {
    Random random = new Random(15);
    Map<String, String> all = new HashMap<>();
    byte[] bytes = new byte[1_200];
    for (int i = 0; i < FORM_ENTRIES; i++) {
      random.nextBytes(bytes);
      String text = Base64.getEncoder().encodeToString(bytes);
      all.put(i + "-" + text.substring(0, 1_000), text.substring(1_000));
    }
    return all;
  }

  /** What the connections and streams of the nodes hold outside the heap. */
  private static long directBytes(HttpCluster cluster) {
    return IntStream.of(0, 1)
        .mapToObj(i -> cluster.node(i).status().members())
        .flatMap(List::stream)
        .filter(ClusterStatus.Member::self)
        .mapToLong(ClusterStatus.Member::bufferBytes)
        .sum();
  }

  /** Until the stream holds, or was promised, no more than one answer of a node. */
  private static void awaitHeldLess(HttpCluster cluster) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    long used = Long.MAX_VALUE;
    long told = Long.MAX_VALUE; // a moment later
    while (Math.max(used, told) > HELD_BYTES / 2 && System.nanoTime() - deadlineNanos < 0) {
      used = cluster.node(0).status().streamMemory().usedBytes();
      told = cluster.server(0).streams().get(0).creditBytes();
      Thread.onSpinWait();
    }
    assertThat(used)
        .as("what the stream holds or was promised")
        .isLessThanOrEqualTo(HELD_BYTES / 2);
    assertThat(told).as("what its figures tell").isLessThanOrEqualTo(HELD_BYTES / 2);
  }

  private static long streams(HttpCluster cluster, int node) {
    return cluster.node(node).status().streamMemory().streams();
  }

  /** Until the stream of the first server has paused and nothing has been sent for a while. */
  private static void awaitStandstill(HttpCluster cluster) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    long sent = -1;
    int same = 0;
    while (same < 1_000 && System.nanoTime() - deadlineNanos < 0) {
      var streams = cluster.server(0).streams();
      long now = streams.isEmpty() ? 0 : streams.get(0).bytes();
      boolean paused = !streams.isEmpty() && streams.get(0).paused();
      same = paused && now == sent ? same + 1 : 0;
      sent = now;
      Thread.onSpinWait();
    }
    assertThat(same).as("the stream has come to a standstill").isEqualTo(1_000);
  }
}
