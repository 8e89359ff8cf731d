package dev.headrace.cluster.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.ingest.FailedRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept of records that have failed. */
final class SinkStatsTest {

  @Test
  void largeKeysOfFailedRecordsAreNotKept() {
    SinkStats stats = new SinkStats(4, 1000);
    byte[] first = new byte[600];
    IllegalStateException cause = new IllegalStateException("failed");
    stats.failed(new FailedRecord(0, first, cause));
    stats.failed(new FailedRecord(1, "x".repeat(600), cause));
    stats.failed(new FailedRecord(2, 7, cause));
    stats.failed(new FailedRecord(3, "small", cause));
    stats.failed(new FailedRecord(4, "one more than are named", cause));
    assertThat(stats.failedRecords())
        .extracting(FailedRecord::key)
        .containsExactly(first, null, 7, "small");
    assertThat(stats.progress(0, 0, List.of()).failed()).isEqualTo(5);
  }
}
