package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterEvent;
import dev.headrace.api.ClusterEvent.Rebalanced;
import dev.headrace.api.ClusterEvent.Resumed;
import dev.headrace.api.ClusterEvent.Suspended;
import dev.headrace.api.error.StreamInterruptedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the JDK's flight recorder gets to know. */
@Timeout(180)
class FlightRecorderTest {
  private static final int ENTRIES = 500;
  private static final long LIMIT_SECONDS = 60;

  @TempDir private Path folder;

  @Test
  void streamsMovesAndWhatHappensInTheClusterAreRecorded() throws Exception {
    List<RecordedEvent> events;
    try (NodeCluster cluster = NodeCluster.of(1);
        Recording recording = recording("Stream", "Cluster", "Move")) {
      HeadraceNode node = cluster.node(0);
      CountDownLatch rebalanced = awaited(node, Rebalanced.class);
      Cache<String, String> cache = node.cache("recorded", String.class, String.class);
      for (int i = 0; i < ENTRIES; i++) {
        cache.put("key-" + i, "value");
      }
      assertThat(cache.stream().entries().toFlowable().count().blockingGet()).isEqualTo(ENTRIES);
      assertThat(cache.stream().keys().toFlowable().take(3).count().blockingGet()).isEqualTo(3);
      cluster.start(settings -> settings.nodeName("second"));
      assertThat(rebalanced.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      events = read(recording);
    }
    assertThat(streams(events)).contains("recorded: 500, complete", "recorded: 3, cancelled");
    assertThat(of(events, "Cluster", "NodeJoined"))
        .singleElement()
        .satisfies(
            joined -> {
              assertThat(joined.getString("node")).isEqualTo("second");
              assertThat(joined.getString("address")).startsWith("127.0.0.1:");
              assertThat(joined.getString("event")).startsWith("second (");
            });
    RecordedEvent rebalance = of(events, "Cluster", "Rebalanced").get(0);
    List<RecordedEvent> moves = of(events, "Move");
    assertThat(moves)
        .hasSizeGreaterThanOrEqualTo(rebalance.getInt("replicas"))
        .allMatch(move -> move.getString("from").equals("node-0"))
        .allMatch(move -> move.getString("to").equals("second"))
        .allMatch(move -> move.getDuration().toNanos() > 0);
    List<RecordedEvent> moved =
        moves.stream().filter(move -> move.getString("outcome").equals("moved")).toList();
    assertThat(moved).hasSize(rebalance.getInt("replicas"));
    assertThat(moved).allMatch(move -> move.getString("failure") == null);
    assertThat(moved.stream().map(move -> move.getInt("segment"))).doesNotHaveDuplicates();
    assertThat(sum(moved, "entries")).isGreaterThanOrEqualTo(ENTRIES);
    assertThat(sum(moved, "bytes")).isEqualTo(rebalance.getLong("bytes"));
  }

  @Test
  void aSuspensionIsRecordedUntilTheNodeServesAgain() throws Exception {
    List<RecordedEvent> events;
    try (NodeCluster cluster = new NodeCluster();
        Recording recording = recording("Suspension", "Cluster")) {
      NodeFaults older = new NodeFaults();
      NodeFaults younger = new NodeFaults();
      cluster.start(settings -> settings, NodeTuning.defaults().withFaults(older));
      cluster.start(settings -> settings, NodeTuning.defaults().withFaults(younger));
      HeadraceNode node = cluster.node(1);
      node.cache("recorded", String.class, String.class).put("key", "value");
      CountDownLatch suspended = awaited(node, Suspended.class);
      CountDownLatch resumed = awaited(node, Resumed.class);
      older.cut(younger.self());
      younger.cut(older.self());
      assertThat(suspended.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      older.heal(younger.self());
      younger.heal(older.self());
      assertThat(resumed.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      events = read(recording);
    }
    assertThat(of(events, "Suspension"))
        .singleElement()
        .satisfies(
            suspension -> {
              assertThat(suspension.getString("node")).isEqualTo("node-1");
              assertThat(suspension.getString("reason")).contains("node-0");
              assertThat(suspension.getInt("missing")).isEqualTo(1);
              assertThat(suspension.getBoolean("resumed")).isTrue();
              assertThat(suspension.getDuration()).isPositive();
            });
    assertThat(of(events, "Cluster", "Suspended").get(0).getInt("missing")).isEqualTo(1);
    assertThat(of(events, "Cluster", "Resumed"))
        .singleElement()
        .satisfies(back -> assertThat(back.getDuration("elapsed")).isPositive());
  }

  @Test
  void whyAStreamFailedAndThatANodeEndedWhileItWasSuspendedIsRecorded() throws Exception {
    List<RecordedEvent> events;
    try (NodeCluster cluster = NodeCluster.of(2);
        Recording recording = recording("Suspension", "Stream")) {
      HeadraceNode node = cluster.node(1);
      Cache<String, String> cache = node.cache("recorded", String.class, String.class);
      cache.put("key", "value");
      CountDownLatch suspended = awaited(node, Suspended.class);
      cluster.node(0).kill();
      assertThat(suspended.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThatThrownBy(() -> cache.iterator().forEachRemaining(entry -> {}))
          .isInstanceOf(StreamInterruptedException.class);
      node.kill();
      events = read(recording);
    }
    assertThat(of(events, "Suspension"))
        .singleElement()
        .satisfies(suspension -> assertThat(suspension.getBoolean("resumed")).isFalse());
    assertThat(of(events, "Stream"))
        .anySatisfy(
            stream -> {
              assertThat(stream.getString("outcome")).isEqualTo("failed");
              assertThat(stream.getString("failure")).contains("node-0");
            });
  }

  private static Recording recording(String... events) {
    Recording recording = new Recording();
    for (String event : events) {
      recording.enable("dev.headrace." + event);
    }
    recording.start();
    return recording;
  }

  private static CountDownLatch awaited(HeadraceNode node, Class<? extends ClusterEvent> kind) {
    CountDownLatch heard = new CountDownLatch(1);
    node.listen(
        event -> {
          if (kind.isInstance(event)) {
            heard.countDown();
          }
        });
    return heard;
  }

  private List<RecordedEvent> read(Recording recording) throws IOException {
    recording.stop();
    Path file = folder.resolve("recorded.jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file);
  }

  private static List<RecordedEvent> of(List<RecordedEvent> events, String type) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals("dev.headrace." + type))
        .toList();
  }

  private static List<RecordedEvent> of(List<RecordedEvent> events, String type, String kind) {
    return of(events, type).stream().filter(event -> event.getString("kind").equals(kind)).toList();
  }

  private static long sum(List<RecordedEvent> events, String field) {
    return events.stream().mapToLong(event -> event.getLong(field)).sum();
  }

  private static List<String> streams(List<RecordedEvent> events) {
    return of(events, "Stream").stream()
        .map(
            event ->
                event.getString("cache")
                    + ": "
                    + event.getLong("elements")
                    + ", "
                    + event.getString("outcome"))
        .toList();
  }
}
