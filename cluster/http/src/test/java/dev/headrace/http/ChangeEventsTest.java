package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A cache's changes as server-sent events. */
final class ChangeEventsTest {
  private static final Pattern KEY = Pattern.compile("\"key\":\"([^\"]*)\"");
  private static final Pattern VALUE = Pattern.compile("\"value\":(\\d+)");
  private static HttpCluster cluster;

  @BeforeAll
  static void start() {
    cluster = new HttpCluster();
    for (int i = 0; i < 2; i++) {
      cluster.start(
          settings -> settings,
          HttpSettings.builder().heartbeat(Duration.ofMillis(100)).maxStreams(4));
    }
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** An event; one without a name only has an id. */
  private record Event(String name, String data, @Nullable String id) {
    String key() {
      Matcher key = KEY.matcher(data);
      assertThat(key.find()).as(data).isTrue();
      return key.group(1);
    }

    void applyTo(Map<String, Integer> copy) {
      Matcher value = VALUE.matcher(data);
      switch (name) {
        case "present", "created", "updated" -> {
          assertThat(value.find()).as(data).isTrue();
          copy.put(key(), Integer.valueOf(value.group(1)));
        }
        case "removed", "expired" -> copy.remove(key());
        default -> assertThat(name).isIn("", "started");
      }
    }
  }

  /** A client that reads events. */
  private static final class Events implements AutoCloseable {
    private final RawClient client;
    private final StringBuilder text = new StringBuilder();
    private @Nullable String lastId;

    Events(String query, @Nullable String lastEventId) throws IOException {
      client = new RawClient(cluster.port(0));
      client.send(
          "GET /v1/caches/counts/changes"
              + query
              + " HTTP/1.1\r\nHost: localhost\r\n"
              + (lastEventId == null ? "" : "Last-Event-ID: " + lastEventId + "\r\n")
              + "\r\n");
      assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
      assertThat(client.headers()).containsEntry("content-type", "text/event-stream");
    }

    /** The next event with a name. */
    Event next() throws IOException {
      while (true) {
        int end = text.indexOf("\n\n");
        if (end < 0) {
          byte[] chunk = client.chunk();
          assertThat(chunk).as("the events go on behind %s", text).isNotNull();
          text.append(new String(chunk, StandardCharsets.UTF_8));
          continue;
        }
        Event event = event(text.substring(0, end));
        text.delete(0, end + 2);
        if (event != null) {
          return event;
        }
      }
    }

    private @Nullable Event event(String block) {
      String name = "";
      String data = "";
      for (String line : block.split("\n", -1)) {
        if (line.startsWith(":")) {
          assertThat(block).as("a comment stands for itself").isEqualTo(":");
        } else if (line.startsWith("id: ")) {
          lastId = line.substring(4);
        } else if (line.startsWith("event: ")) {
          name = line.substring(7);
        } else {
          assertThat(line).startsWith("data: ");
          data = line.substring(6);
        }
      }
      return name.isEmpty() ? null : new Event(name, data, lastId);
    }

    Event next(String name) throws IOException {
      Event event = next();
      while (!event.name().equals(name)) {
        event = next();
      }
      return event;
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private static Cache<String, Integer> counts() throws IOException {
    Cache<String, Integer> counts = cluster.node(1).cache("counts", String.class, Integer.class);
    counts.clear();
    counts.put("noted", 1);
    long deadlineNanos = System.nanoTime() + 30_000_000_000L;
    while (cluster.get(0, "/v1/caches/counts/entries/noted").statusCode() == 404
        && System.nanoTime() - deadlineNanos < 0) {
      Thread.onSpinWait(); // until the cache is noted
    }
    counts.remove("noted");
    return counts;
  }

  @Test
  void aCopyOfTheContentAndItsChangesIsRight() throws IOException {
    Cache<String, Integer> counts = counts();
    Map<String, Integer> all = new HashMap<>();
    for (int i = 0; i < 2_000; i++) {
      all.put("count-" + i, i);
    }
    counts.putAll(all);
    Map<String, Integer> copy = new HashMap<>();
    try (Events events = new Events("?content=true", null)) {
      counts.put("count-7", 70);
      counts.remove("count-8");
      counts.put("last", 1);
      while (!copy.containsKey("last") || copy.size() < all.size()) {
        events.next().applyTo(copy);
      }
    }
    all.put("count-7", 70);
    all.remove("count-8");
    all.put("last", 1);
    assertThat(copy).isEqualTo(all);
  }

  @Test
  void changesAreToldFromNowOn() throws IOException {
    Cache<String, Integer> counts = counts();
    counts.put("before", 1);
    try (Events events = new Events("", null)) {
      events.next("started");
      counts.put("a", 1);
      Event created = events.next();
      assertThat(created.name()).isEqualTo("created");
      assertThat(created.data())
          .matches("\\{\"segment\":\\d+,\"key\":\"a\",\"value\":1,\"version\":\"[^\"]+\"}");
      counts.put("a", 2);
      assertThat(events.next().name()).isEqualTo("updated");
      counts.remove("a");
      assertThat(events.next().data()).contains("\"key\":\"a\",\"version\":");
      counts.clear();
      assertThat(events.next("cleared").data()).matches("\\{\"segment\":\\d+}");
    }
  }

  @Test
  void aClientThatComesBackGoesOnBehindItsLastId() throws IOException {
    Cache<String, Integer> counts = counts();
    String id;
    try (Events events = new Events("?ids=each", null)) {
      events.next("started");
      for (int i = 0; i < 10; i++) {
        counts.put("a", i);
      }
      for (int i = 0; i < 5; i++) {
        events.next();
      }
      id = events.next().id(); // the id of the fifth event, since an id follows its event
    }
    assertThat(id).isNotNull();
    try (Events events = new Events("?ids=each", id)) {
      List<String> values = new ArrayList<>();
      for (int i = 5; i < 10; i++) {
        Matcher value = VALUE.matcher(events.next().data());
        assertThat(value.find()).isTrue();
        values.add(value.group(1));
      }
      assertThat(values).containsExactly("5", "6", "7", "8", "9");
    }
  }

  @Test
  void aQuietStreamSendsComments() throws IOException {
    Cache<String, Integer> counts = counts();
    try (Events events = new Events("", null)) {
      events.next("started");
      for (int i = 0; i < 3; i++) {
        assertThat(new String(events.client.chunk(), StandardCharsets.UTF_8)).isEqualTo(":\n\n");
      }
      counts.put("a", 1);
      assertThat(events.next("created").data()).contains("\"key\":\"a\"");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "counts,?content=maybe,,400",
    "counts,?ids=none,,400",
    "counts,?segments=9999,,400",
    "counts,?nothing=1,,400",
    "counts,,nonsense,400",
    "counts,?resume=nonsense,,400",
    "missing,,,404"
  })
  void whatCannotBeToldIsRefused(
      String cache, @Nullable String query, @Nullable String id, int status) throws IOException {
    var unused = counts();
    var request = cluster.to(0, "/v1/caches/" + cache + "/changes" + (query == null ? "" : query));
    if (id != null) {
      request.header("last-event-id", id);
    }
    var response = cluster.send(request);
    assertThat(response.statusCode())
        .as(new String(response.body(), StandardCharsets.UTF_8))
        .isEqualTo(status);
  }

  @Test
  void theNumberOfStreamsIsLimitedAndAClientThatGoesFreesItsPlace() throws IOException {
    var unused = counts();
    List<Events> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(new Events("", null));
    }
    assertThat(cluster.get(0, "/v1/caches/counts/changes").statusCode()).isEqualTo(503);
    all.forEach(Events::close);
    long deadlineNanos = System.nanoTime() + 60_000_000_000L;
    while (!cluster.server(0).streams().isEmpty() && System.nanoTime() - deadlineNanos < 0) {
      Thread.onSpinWait(); // a comment that cannot be sent tells that the client has gone
    }
    assertThat(cluster.server(0).streams()).isEmpty();
  }
}
