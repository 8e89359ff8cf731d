package dev.headrace.api.ingest;

import java.time.Duration;
import java.util.List;

/**
 * What became of everything that a source has sent.
 *
 * @param total the sums; nothing is held any more
 * @param failedRecords the first failed records, at most {@link CacheSink#failedRecords}
 * @param complete whether the source has completed; false if it was cancelled or has failed
 * @param duration from the subscription to the last acknowledgement
 */
public record IngestReport(
    IngestProgress total, List<FailedRecord> failedRecords, boolean complete, Duration duration) {

  /** Copies the list. */
  public IngestReport {
    failedRecords = List.copyOf(failedRecords);
  }

  /** Entries that were written and acknowledged by all owners. */
  public long written() {
    return total.written();
  }

  /** Records that were not written, or of which that is not known. */
  public long failed() {
    return total.failed();
  }
}
