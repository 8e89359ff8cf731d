package dev.headrace.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ResultsTest {

  @Test
  void theLastLineShowsWhatWasAskedForAndSaysWhatWasNotMeasured() {
    Results results = new Results("iteration", true);
    results.ratio("share", 0.98765);
    results.ratio("broken", Double.NaN);
    results.ratio("small", 0.00045);
    results.ratio("unasked", 1);
    assertThat(results.summary(List.of("share", "broken", "small", "missing")))
        .isEqualTo("share=0.988 broken=n/a small=0.000450 missing=n/a");
  }

  @Test
  void ofARaisedFigureTheLargestCounts() {
    Results results = new Results("iteration", true);
    results.raise("peak", 0.5);
    results.raise("peak", 0.9);
    results.raise("peak", 0.7);
    assertThat(results.summary(List.of("peak"))).isEqualTo("peak=0.900");
  }

  @Test
  void theFileHoldsMachineVersionsRatiosAndEverySample(@TempDir Path folder) throws IOException {
    Results results = new Results("iteration", false);
    results.version("headrace", "0.1.0");
    results.ratio("share", 0.5);
    results.add(
        new Measurement(
            "iterate", "headrace", Map.of("threads", "4"), "entries/s", List.of(1.0, 3.0)));
    Path file = folder.resolve("new/iteration.json");

    results.write(file);

    assertThat(Files.readString(file).replaceAll("\\s", ""))
        .contains("\"cpu\":", "\"memoryBytes\":", "\"jdk\":", "\"headrace\":\"0.1.0\"")
        .contains("\"share\":0.5")
        .contains("\"threads\":\"4\"", "\"score\":2.0,\"median\":2.0,\"samples\":[1.0,3.0]");
  }

  @Test
  void theFileSaysWhatFailedWhatWasTriedAgainAndWhatASystemWasNotAbleToDo(@TempDir Path folder)
      throws IOException {
    Results results = new Results("iteration", false);
    results.failed("round 1, iterate: 9 of 10 entries");
    results.retried("round 2, iterate: a port was taken");
    results.unable("once, iterate: the heap is full");
    Path file = folder.resolve("a.json");
    results.write(file);
    assertThat(Files.readString(file))
        .contains("\"failed\" : [ \"round 1, iterate: 9 of 10 entries\" ]")
        .contains("\"retried\" : [ \"round 2, iterate: a port was taken\" ]")
        .contains("\"unable\" : [ \"once, iterate: the heap is full\" ]");
  }
}
