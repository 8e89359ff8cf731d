package dev.headrace.cluster.ingest;

import dev.headrace.api.ingest.FailedRecord;
import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.NodeIngest;
import dev.headrace.cluster.ingest.batch.NodeTotals;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts what becomes of records. Used by the loop. */
final class SinkStats {
  private final int mostFailed;
  private final long mostKeyBytes;
  private final List<FailedRecord> failedRecords = new ArrayList<>();
  private long received;
  private long written;
  private long present;
  private long conflated;
  private long failed;
  private long writtenBytes;
  private long keyBytes;

  /**
   * Nothing is counted.
   *
   * @param mostFailed the most failed records that are named
   * @param mostKeyBytes the most bytes of their keys; further ones are named without
   */
  SinkStats(int mostFailed, long mostKeyBytes) {
    this.mostFailed = mostFailed;
    this.mostKeyBytes = mostKeyBytes;
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

  void failed(FailedRecord record) {
    failed++;
    if (failedRecords.size() < mostFailed) {
      long more = sizeOf(record.key());
      boolean kept = keyBytes + more <= mostKeyBytes;
      keyBytes += kept ? more : 0;
      failedRecords.add(kept ? record : new FailedRecord(record.number(), null, record.cause()));
    }
  }

  /** About the bytes of what may be large; other keys are small. */
  private static long sizeOf(@Nullable Object key) {
    if (key instanceof byte[] bytes) {
      return bytes.length;
    }
    return key instanceof String text ? text.length() : 0;
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
