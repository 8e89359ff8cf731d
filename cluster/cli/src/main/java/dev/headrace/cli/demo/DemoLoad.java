package dev.headrace.cli.demo;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clients of a cache over HTTP: some hundred reads and writes of single entries a second, and two
 * streams over everything, of which one is slow. It goes easy on a machine that others use.
 */
final class DemoLoad implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DemoLoad.class);
  private static final int OPERATIONS_A_TICK = 6;
  private static final long TICK_MILLIS = 20;
  private static final int MOST_OPEN = 64;
  private static final int PIECE_BYTES = 8 << 10;
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String entries;
  private final List<Map.Entry<Integer, CodePoint>> points;
  private final Semaphore open = new Semaphore(MOST_OPEN);
  private final Random random = new Random(); // of the ticks' thread
  private final ScheduledExecutorService ticks = Executors.newSingleThreadScheduledExecutor();
  private final List<Thread> readers = new ArrayList<>();
  private volatile boolean ended;

  private DemoLoad(String entries, Map<Integer, CodePoint> source) {
    this.entries = entries;
    this.points = List.copyOf(source.entrySet());
  }

  /**
   * Starts the clients.
   *
   * @param entries the address of the cache's entries
   * @param source what the cache has
   */
  static DemoLoad start(String entries, Map<Integer, CodePoint> source) {
    DemoLoad load = new DemoLoad(entries, source);
    var unused =
        load.ticks.scheduleWithFixedDelay(
            load::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    load.reader("headrace-demo-reader", 6);
    load.reader("headrace-demo-slow-reader", 30);
    return load;
  }

  private void reader(String name, long pauseMillis) {
    Thread reader = new Thread(() -> read(TimeUnit.MILLISECONDS.toNanos(pauseMillis)), name);
    reader.setDaemon(true);
    reader.start();
    readers.add(reader);
  }

  /** Sends some requests, but no more than may be open. */
  private void tick() {
    for (int i = 0; i < OPERATIONS_A_TICK && open.tryAcquire(); i++) {
      Map.Entry<Integer, CodePoint> point = points.get(random.nextInt(points.size()));
      HttpRequest.Builder request = request("/" + point.getKey());
      if (random.nextInt(4) == 0) {
        request
            .header("content-type", "application/json")
            .PUT(HttpRequest.BodyPublishers.ofString(json(point.getValue())));
      }
      var unused =
          client
              .sendAsync(request.build(), HttpResponse.BodyHandlers.discarding())
              .whenComplete((response, failure) -> open.release());
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(entries + path)).timeout(Duration.ofSeconds(30));
  }

  private static String json(CodePoint point) {
    JsonStringEncoder encoder = JsonStringEncoder.getInstance();
    StringBuilder json = new StringBuilder("{\"name\":\"");
    encoder.quoteAsString(point.name(), json);
    json.append("\",\"block\":\"").append(encoder.quoteAsString(point.block()));
    json.append("\",\"script\":\"").append(encoder.quoteAsString(point.script()));
    return json.append("\",\"category\":\"").append(point.category()).append("\"}").toString();
  }

  /** Streams everything again and again, at a pace of its own. */
  private void read(long pauseNanos) {
    byte[] piece = new byte[PIECE_BYTES];
    while (!ended) {
      try (InputStream in =
          client.send(request("").build(), HttpResponse.BodyHandlers.ofInputStream()).body()) {
        while (!ended && in.read(piece) >= 0) {
          LockSupport.parkNanos(pauseNanos);
        }
      } catch (IOException e) { // the stream could not be finished, or the port was closed
        LOG.debug("A stream of the demonstration broke off", e);
        LockSupport.parkNanos(RETRY_NANOS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  @Override
  public void close() {
    ended = true;
    ticks.shutdownNow();
    readers.forEach(Thread::interrupt);
  }
}
