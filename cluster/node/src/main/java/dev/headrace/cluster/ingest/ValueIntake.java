package dev.headrace.cluster.ingest;

import dev.headrace.api.ingest.PartitionView;
import dev.headrace.api.ingest.Partitioner;
import dev.headrace.cluster.cache.EntryRequests;
import dev.headrace.cluster.ingest.batch.IngestMachine;
import dev.headrace.cluster.ingest.batch.PendingWrite;
import java.time.Duration;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Takes values without keys: a partitioner chooses their segments, and keys are made for these. */
final class ValueIntake<K, V> implements Intake<V> {
  private final EntryRequests<K, V> requests;
  private final @Nullable Function<? super Map.Entry<K, V>, Duration> lifespan;
  private final SegmentKeys keys;
  private final Partitioner partitioner;
  private int keyBytes; // of the last key

  /**
   * @param lifespan is asked with entries whose key is null; null for the cache's lifespan
   */
  ValueIntake(
      EntryRequests<K, V> requests,
      @Nullable Function<? super Map.Entry<K, V>, Duration> lifespan,
      SegmentKeys keys,
      Partitioner partitioner) {
    this.requests = requests;
    this.lifespan = lifespan;
    this.keys = keys;
    this.partitioner = partitioner;
  }

  @Override
  public boolean keyed() {
    return false;
  }

  @Override
  public PendingWrite take(V value, Consumer<PendingWrite> ended) {
    Duration own = Intake.lifespan(lifespan, new SimpleImmutableEntry<>(null, value));
    return new PendingWrite(requests.valueAlone(value), requests.expiryMillisOf(own), ended);
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
    write.become(requests.set(key, value, write.expiryMillis()));
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
