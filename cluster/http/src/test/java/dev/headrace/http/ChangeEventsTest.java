package dev.headrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.RetainedChanges;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
  private static final Pattern SEGMENT = Pattern.compile("\\{\"segment\":(\\d+)[,}]");
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);
  private static HttpCluster cluster;

  @BeforeAll
  static void start() {
    cluster = new HttpCluster();
    for (int i = 0; i < 2; i++) {
      cluster.start(
          settings ->
              settings.retainedChanges(RetainedChanges.ofBytes(8 << 20).withPreviousValues()),
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

    String segment() {
      Matcher segment = SEGMENT.matcher(data);
      assertThat(segment.find()).as(data).isTrue();
      return segment.group(1);
    }

    int value() {
      Matcher value = VALUE.matcher(data);
      assertThat(value.find()).as(data).isTrue();
      return Integer.parseInt(value.group(1));
    }

    void applyTo(Map<String, Integer> copy) {
      switch (name) {
        case "present", "created", "updated" -> copy.put(key(), value());
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
      this(cluster.port(0), query, lastEventId);
    }

    Events(int port, String query, @Nullable String lastEventId) throws IOException {
      client = new RawClient(port);
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
      long beganNanos = System.nanoTime();
      while (true) {
        assertThat(System.nanoTime() - beganNanos).as("an event").isLessThan(PATIENCE_NANOS);
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
    return counts(cluster);
  }

  /** An empty cache that the ports know. */
  private static Cache<String, Integer> counts(HttpCluster of) throws IOException {
    Cache<String, Integer> counts = of.node(1).cache("counts", String.class, Integer.class);
    counts.clear();
    counts.put("noted", 1);
    of.awaitCache("counts");
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
      List<Integer> values = new ArrayList<>();
      for (int i = 5; i < 10; i++) {
        values.add(events.next().value());
      }
      assertThat(values).containsExactly(5, 6, 7, 8, 9);
    }
  }

  @Test
  void aClientThatComesBackToAnotherNodeGoesOnBehindItsLastId() throws IOException {
    Cache<String, Integer> counts = counts();
    String id;
    try (Events events = new Events("?ids=each", null)) {
      events.next("started");
      for (int i = 0; i < 5; i++) {
        counts.put("a", i);
      }
      assertThat(events.next().value()).isZero();
      assertThat(events.next().value()).isEqualTo(1);
      id = events.next().id(); // behind the second, since an id follows its event
    }
    assertThat(id).isNotNull();
    counts.put("a", 5);
    for (int node = 1; node >= 0; node--) {
      try (Events events = new Events(cluster.port(node), "?ids=each", id)) {
        for (int i = 2; i <= 5; i++) {
          assertThat(events.next().value()).as("at node %d", node).isEqualTo(i);
        }
      }
    }
  }

  @Test
  void theValueBeforeAChangeIsToldIfItIsWanted() throws IOException {
    Cache<String, Integer> counts = counts();
    try (Events told = new Events("?previous=true", null);
        Events plain = new Events("?previous=false", null)) {
      told.next("started");
      plain.next("started");
      counts.put("a", 1);
      counts.put("a", 2);
      counts.remove("a");
      assertThat(told.next("created").data()).contains("\"value\":1,\"version\":");
      assertThat(told.next("updated").data()).contains("\"value\":2,\"previous\":1,\"version\":");
      assertThat(told.next("removed").data()).contains("\"key\":\"a\",\"previous\":2,\"version\":");
      assertThat(plain.next("updated").data()).contains("\"value\":2,\"version\":");
      assertThat(plain.next("removed").data()).contains("\"key\":\"a\",\"version\":");
    }
  }

  @Test
  void previousValuesThatNoNodeRetainsAreAFailure() throws IOException {
    try (HttpCluster other = HttpCluster.of(2)) {
      counts(other).put("a", 1);
      try (Events events = new Events(other.port(0), "?previous=true", null)) {
        assertThat(events.next("failed").data())
            .startsWith("{\"type\":\"about:blank\"")
            .contains("\"status\":503", "previousValues");
      }
    }
  }

  @Test
  void changesThatLaterOnesHaveOvertakenAreLeftOutIfThatIsWanted() throws IOException {
    Cache<String, Integer> counts = counts();
    String id;
    try (Events events = new Events("?ids=each", null)) {
      events.next("started");
      counts.put("a", 0);
      counts.put("a", 1);
      events.next();
      id = events.next().id(); // behind the first
    }
    assertThat(id).isNotNull();
    int last = 100;
    for (int i = 2; i <= last; i++) {
      counts.put("a", i);
    }
    try (Events events = new Events("?latest=true&ids=each", id)) {
      List<Integer> values = new ArrayList<>();
      while (!values.contains(last)) {
        values.add(events.next("updated").value());
      }
      assertThat(values).as("of %d changes", last).isSorted().hasSizeLessThan(last);
    }
    try (Events events = new Events("?latest=false&ids=each", id)) {
      for (int i = 1; i <= last; i++) {
        assertThat(events.next("updated").value()).as("each").isEqualTo(i);
      }
    }
  }

  @Test
  void onlyTheSegmentsThatAreNamedAreTold() throws IOException {
    Cache<String, Integer> counts = counts();
    Map<String, String> segments = new HashMap<>();
    try (Events events = new Events("", null)) {
      events.next("started");
      for (int i = 0; i < 100; i++) {
        counts.put("count-" + i, i);
        Event created = events.next("created");
        segments.put(created.key(), created.segment());
      }
    }
    String wanted = segments.get("count-7");
    segments.values().removeIf(segment -> !segment.equals(wanted));
    assertThat(segments).hasSizeLessThan(100);
    try (Events events = new Events("?content=true&segments=" + wanted, null)) {
      Map<String, Integer> copy = new HashMap<>();
      while (copy.size() < segments.size()) {
        Event present = events.next("present");
        assertThat(present.segment()).isEqualTo(wanted);
        present.applyTo(copy);
      }
      assertThat(copy).containsOnlyKeys(segments.keySet()).containsEntry("count-7", 7);
      for (int i = 0; i < 100; i++) {
        counts.put("count-" + i, 1_000);
      }
      counts.put("count-7", 2_000);
      while (copy.get("count-7") < 2_000) {
        Event updated = events.next("updated");
        assertThat(updated.segment()).isEqualTo(wanted);
        updated.applyTo(copy);
      }
      assertThat(copy).containsOnlyKeys(segments.keySet());
    }
  }

  /** Nobody waits for this client: what it missed is no longer there when it comes back. */
  @Test
  void aClientThatComesBackTooLateGetsTheRightStateOfEachSegment() throws IOException {
    try (HttpCluster small =
        HttpCluster.of(
            2,
            settings -> settings.segments(16).retainedChanges(RetainedChanges.ofBytes(64 << 10)))) {
      Cache<String, Integer> counts = counts(small);
      Map<String, Integer> copy = new HashMap<>();
      Map<String, String> segments = new HashMap<>();
      String id;
      try (Events events = new Events(small.port(0), "?ids=each", null)) {
        events.next("started");
        counts.put("a", 1);
        counts.put("a", 2);
        apply(events.next("created"), copy, segments);
        id = events.next("updated").id(); // behind the first
      }
      assertThat(id).isNotNull();
      Map<String, Integer> all = writeMuch(counts);
      int replaced = 0;
      try (Events events = new Events(small.port(1), "", id)) {
        while (!copy.equals(all)) {
          Event event = events.next();
          replaced += event.name().equals("replaced") ? 1 : 0;
          apply(event, copy, segments);
        }
      }
      assertThat(replaced).as("summaries").isPositive();
    }
  }

  /** Far more changes than the small nodes retain; "a" is removed. */
  private static Map<String, Integer> writeMuch(Cache<String, Integer> counts) {
    Map<String, Integer> all = new HashMap<>();
    for (int round = 1; round <= 3; round++) {
      for (int i = 0; i < 5_000; i++) {
        all.put("count-" + i, round * 10_000 + i);
      }
      counts.putAll(all);
    }
    counts.remove("a");
    return all;
  }

  /** Does what a client does that keeps a copy: it forgets a segment if it is told to. */
  private static void apply(Event event, Map<String, Integer> copy, Map<String, String> segments) {
    if (event.name().equals("replaced") || event.name().equals("cleared")) {
      String segment = event.segment();
      copy.keySet().removeIf(key -> segment.equals(segments.get(key)));
    } else {
      segments.put(event.key(), event.segment());
      event.applyTo(copy);
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
    awaitNoStreams();
    List<Events> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(new Events("", null));
    }
    assertThat(cluster.get(0, "/v1/caches/counts/changes").statusCode()).isEqualTo(503);
    all.forEach(Events::close);
    awaitNoStreams(); // a comment that cannot be sent tells that the client has gone
  }

  private static void awaitNoStreams() {
    long deadlineNanos = System.nanoTime() + 60_000_000_000L;
    while (!cluster.server(0).streams().isEmpty() && System.nanoTime() - deadlineNanos < 0) {
      Thread.onSpinWait();
    }
    assertThat(cluster.server(0).streams()).isEmpty();
  }
}
