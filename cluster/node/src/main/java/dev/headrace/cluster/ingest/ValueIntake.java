package dev.headrace.cluster.ingest;

import dev.headrace.api.ingest.PartitionView;
import dev.headrace.api.ingest.Partitioner;
import dev.headrace.cluster.cache.EntryRequests;
import dev.headrace.cluster.ingest.batch.IngestMachine;
import dev.headrace.cluster.ingest.batch.PendingWrite;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Takes values without keys: a partitioner chooses their segments, and keys are made for these. */
final class ValueIntake<V> implements Intake<V> {
  private final EntryRequests<?, V> requests;
  private final SegmentKeys keys;
  private final Partitioner partitioner;
  private int keyBytes; // of the last key

  ValueIntake(EntryRequests<?, V> requests, SegmentKeys keys, Partitioner partitioner) {
    this.requests = requests;
    this.keys = keys;
    this.partitioner = partitioner;
  }

  @Override
  public boolean keyed() {
    return false;
  }

  @Override
  public PendingWrite take(V value, Consumer<PendingWrite> ended) {
    return new PendingWrite(requests.valueAlone(value), ended);
  }

  @Override
  public @Nullable Object keyOf(V value) {
    return null;
  }

  @Override
  public void place(PendingWrite write, IngestMachine machine, PartitionView view, long nowNanos) {
    byte[] value = write.valueAlone();
    int segment = chosen(view, value.length);
    if (machine.needsBatch(segment, keyBytes + value.length, nowNanos)) {
      partitioner.onNewBatch(view, segment);
      segment = chosen(view, value.length);
    }
    byte[] key = keys.next(segment);
    keyBytes = key.length;
    write.become(requests.set(key, value));
    write.routed(keys.hash(), segment);
  }

  private int chosen(PartitionView view, int bytes) {
    return Objects.checkIndex(partitioner.segment(view, bytes), view.segments());
  }

  @Override
  public void placed(PendingWrite write, PartitionView view) {
    partitioner.onAppended(view, write.segment(), write.bytes());
  }

  @Override
  public @Nullable Object keyOf(PendingWrite write) {
    return Intake.decodedKey(requests, write);
  }
}
