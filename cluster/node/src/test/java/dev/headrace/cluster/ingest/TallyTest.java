package dev.headrace.cluster.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.api.ingest.FailedRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept of records that have failed. */
final class TallyTest {

  @Test
  void largeKeysOfFailedRecordsAreNotKept() {
    Tally tally = new Tally(4, 1000);
    byte[] first = new byte[600];
    IllegalStateException cause = new IllegalStateException("failed");
    tally.failed(first, cause);
    tally.failed("x".repeat(600), cause);
    tally.failed(7, cause);
    tally.failed("small", cause);
    tally.failed("one more than are named", cause);
    assertThat(tally.failedRecords())
        .extracting(FailedRecord::key)
        .containsExactly(first, null, 7, "small");
    assertThat(tally.progress(0, 0, List.of()).failed()).isEqualTo(5);
  }
}
