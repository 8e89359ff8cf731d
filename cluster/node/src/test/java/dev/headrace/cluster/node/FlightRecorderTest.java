package dev.headrace.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.Cache;
import dev.headrace.api.ClusterEvent;
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
@Timeout(120)
class FlightRecorderTest {
  private static final int ENTRIES = 500;

  @TempDir private Path folder;

  @Test
  void streamsAndWhatHappensInTheClusterAreRecorded() throws Exception {
    List<RecordedEvent> events;
    try (NodeCluster cluster = NodeCluster.of(1);
        Recording recording = new Recording()) {
      recording.enable("dev.headrace.Stream");
      recording.enable("dev.headrace.Cluster");
      recording.start();
      HeadraceNode node = cluster.node(0);
      CountDownLatch joined = new CountDownLatch(1);
      node.listen(
          event -> {
            if (event instanceof ClusterEvent.NodeJoined) {
              joined.countDown();
            }
          });
      Cache<String, String> cache = node.cache("recorded", String.class, String.class);
      for (int i = 0; i < ENTRIES; i++) {
        cache.put("key-" + i, "value");
      }
      assertThat(cache.stream().entries().toFlowable().count().blockingGet()).isEqualTo(ENTRIES);
      assertThat(cache.stream().keys().toFlowable().take(3).count().blockingGet()).isEqualTo(3);
      cluster.start(settings -> settings.nodeName("second"));
      assertThat(joined.await(60, TimeUnit.SECONDS)).isTrue();
      recording.stop();
      events = read(recording);
    }
    assertThat(streams(events)).contains("recorded: 500, complete", "recorded: 3, cancelled");
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals("dev.headrace.Cluster"))
        .anyMatch(event -> event.getString("event").startsWith("second ("));
  }

  private List<RecordedEvent> read(Recording recording) throws IOException {
    Path file = folder.resolve("recorded.jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file);
  }

  private static List<String> streams(List<RecordedEvent> events) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals("dev.headrace.Stream"))
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
