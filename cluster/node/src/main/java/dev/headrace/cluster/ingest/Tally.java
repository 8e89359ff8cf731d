package dev.headrace.cluster.ingest;

import dev.headrace.api.ingest.FailedRecord;
import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.NodeIngest;
import dev.headrace.cluster.ingest.batch.NodeTotals;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts what becomes of records. Used by the loop. */
final class Tally {
  private final int mostFailed;
  private final List<FailedRecord> failedRecords = new ArrayList<>();
  private long received;
  private long written;
  private long present;
  private long conflated;
  private long failed;
  private long writtenBytes;

  Tally(int mostFailed) {
    this.mostFailed = mostFailed;
  }

  /** A record has come; returns its number, from 0. */
  long received() {
    return received++;
  }

  void written(int bytes) {
    written++;
    writtenBytes += bytes;
  }

  void present() {
    present++;
  }

  void conflated() {
    conflated++;
  }

  void failed(@Nullable Object key, Throwable cause) {
    failed++;
    if (failedRecords.size() < mostFailed) {
      failedRecords.add(new FailedRecord(key, cause));
    }
  }

  List<FailedRecord> failedRecords() {
    return failedRecords;
  }

  IngestProgress progress(long retried, long heldBytes, List<NodeTotals> totals) {
    List<NodeIngest> nodes = totals.stream().map(NodeTotals::means).toList();
    return new IngestProgress(
        received, written, present, conflated, failed, retried, writtenBytes, heldBytes, nodes);
  }
}
