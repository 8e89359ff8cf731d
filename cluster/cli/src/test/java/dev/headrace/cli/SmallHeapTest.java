package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of the key-value course as the course runs it: processes with a heap of 128 MB, and
 * ranges that are streamed to several readers from nodes whose memory for entries is half full.
 */
@Timeout(300)
final class SmallHeapTest {
  private static final int NODES = 3;
  private static final int KEYS = 700;
  private static final int VALUE_BYTES = 64 << 10;
  private static final int READERS = 3;
  private static final int LARGE_BYTES = 4 << 20;
  private static final Pattern URL = Pattern.compile("HTTP and its console on (http://\\S+)");
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ExecutorService readers = Executors.newFixedThreadPool(READERS * NODES);
  private final List<Process> processes = new ArrayList<>();
  private final List<String> urls = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    Path target = Files.createDirectories(Path.of("target", "clusters"));
    Path folder = Files.createTempDirectory(target.toAbsolutePath(), "small");
    String cluster = "small-" + UUID.randomUUID();
    for (int i = 0; i < NODES; i++) {
      processes.add(NodeProcess.start(folder, cluster, "n" + i, "--http", "0"));
    }
    for (int i = 0; i < NODES; i++) {
      urls.add(url(folder.resolve("n" + i + ".log")));
    }
    await(() -> text(0, "/v1/cluster").split("\"capacity\":1.0", -1).length == 1 + NODES);
  }

  @AfterEach
  void stop() throws InterruptedException {
    readers.shutdownNow();
    processes.forEach(Process::destroyForcibly);
    for (Process process : processes) {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  private interface Condition {
    boolean isMet() throws IOException;
  }

  private static void await(Condition condition) throws IOException {
    long beganNanos = System.nanoTime();
    while (!condition.isMet()) {
      assertThat(System.nanoTime() - beganNanos).isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Where a node answers, as soon as its log says so. */
  private static String url(Path log) throws IOException {
    Matcher[] said = new Matcher[1];
    await(
        () -> {
          said[0] = URL.matcher(Files.readString(log));
          return said[0].find();
        });
    return said[0].group(1);
  }

  private HttpRequest.Builder to(int node, String path) {
    return HttpRequest.newBuilder(URI.create(urls.get(node).replaceAll("/$", "") + path))
        .timeout(Duration.ofMinutes(2));
  }

  private <T> HttpResponse<T> send(
      HttpRequest.Builder request, HttpResponse.BodyHandler<T> handler) {
    try {
      return client.send(request.build(), handler);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private String text(int node, String path) {
    return send(to(node, path), HttpResponse.BodyHandlers.ofString()).body();
  }

  private void put(int node, String id, byte[] value) {
    HttpRequest.Builder request =
        to(node, "/v0/entity?id=" + id).PUT(HttpRequest.BodyPublishers.ofByteArray(value));
    assertThat(send(request, HttpResponse.BodyHandlers.discarding()).statusCode()).isEqualTo(201);
  }

  private static byte[] value(int number) {
    byte[] value = new byte[VALUE_BYTES];
    new Random(number).nextBytes(value);
    for (int i = 0; i < value.length; i++) {
      value[i] = (byte) ('a' + (value[i] & 15)); // no end of a line
    }
    return value;
  }

  private static String id(int number) {
    return "key%05d".formatted(number);
  }

  /** The entities of a node by their ids, with the hash of their values. */
  private Map<String, Integer> range(int node) {
    HttpResponse<InputStream> response =
        send(to(node, "/v0/entities?start=key&end=kez"), HttpResponse.BodyHandlers.ofInputStream());
    assertThat(response.statusCode()).isEqualTo(200);
    Map<String, Integer> found = new TreeMap<>();
    String last = "";
    try (InputStream body = new BufferedInputStream(response.body())) {
      for (String id = line(body); !id.isEmpty(); id = line(body)) {
        assertThat(id).isGreaterThan(last);
        last = id;
        found.put(id, Arrays.hashCode(body.readNBytes(VALUE_BYTES)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  /** A line without its end; empty at the end of the body. */
  private static String line(InputStream body) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = body.read(); next >= 0 && next != '\n'; next = body.read()) {
      line.write(next);
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  /** The number of an entity whose value came as it was put. */
  private static int checked(String id, int hash) {
    int number = Integer.parseInt(id.substring("key".length()));
    assertThat(hash).as(id).isEqualTo(Arrays.hashCode(value(number)));
    return number;
  }

  @Test
  void rangesAreStreamedSortedToSeveralReadersAtATime() throws Exception {
    byte[] large = new byte[LARGE_BYTES];
    new Random(0).nextBytes(large);
    put(0, "large", large);
    assertThat(send(to(2, "/v0/entity?id=large"), HttpResponse.BodyHandlers.ofByteArray()).body())
        .isEqualTo(large);
    for (int i = 0; i < KEYS; i++) {
      put(i % NODES, id(i), value(i));
    }
    List<CompletableFuture<Map<String, Integer>>> ranges = new ArrayList<>();
    for (int reader = 0; reader < READERS; reader++) {
      for (int node = 0; node < NODES; node++) {
        int from = node;
        ranges.add(CompletableFuture.supplyAsync(() -> range(from), readers));
      }
    }
    int[] replicas = new int[KEYS];
    for (CompletableFuture<Map<String, Integer>> range : ranges) {
      range.get(2, TimeUnit.MINUTES).forEach((id, hash) -> replicas[checked(id, hash)]++);
    }
    assertThat(Arrays.stream(replicas).allMatch(count -> count == 2 * READERS))
        .as("each entity on its two owners, for each reader: %s", Arrays.toString(replicas))
        .isTrue();
    assertThat(processes).allMatch(Process::isAlive);
  }
}
