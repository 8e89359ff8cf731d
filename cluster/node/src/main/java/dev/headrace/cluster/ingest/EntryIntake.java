package dev.headrace.cluster.ingest;

import dev.headrace.api.ingest.PartitionView;
import dev.headrace.cluster.cache.EntryRequests;
import dev.headrace.cluster.ingest.batch.IngestMachine;
import dev.headrace.cluster.ingest.batch.PendingWrite;
import dev.headrace.stream.entry.HashSpace;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Takes entries, whose keys say where they belong. */
final class EntryIntake<K, V> implements Intake<Map.Entry<K, V>> {
  private final EntryRequests<K, V> requests;
  private final boolean ifAbsent;
  private final @Nullable Function<? super Map.Entry<K, V>, Duration> lifespan;
  private final HashSpace space;

  EntryIntake(
      EntryRequests<K, V> requests,
      boolean ifAbsent,
      @Nullable Function<? super Map.Entry<K, V>, Duration> lifespan,
      HashSpace space) {
    this.requests = requests;
    this.ifAbsent = ifAbsent;
    this.lifespan = lifespan;
    this.space = space;
  }

  @Override
  public boolean keyed() {
    return true;
  }

  @Override
  public PendingWrite take(Map.Entry<K, V> entry, Consumer<PendingWrite> ended) {
    Duration own = Intake.lifespan(lifespan, entry);
    PendingWrite write =
        new PendingWrite(requests.set(ifAbsent, entry.getKey(), entry.getValue(), own), ended);
    long hash = space.hash(write.key());
    write.routed(hash, space.segment(hash));
    return write;
  }

  @Override
  public @Nullable Object keyOf(Map.Entry<K, V> entry) {
    return entry.getKey();
  }

  @Override
  public void place(PendingWrite write, IngestMachine machine, PartitionView view, long nowNanos) {
    // Its key has decided.
  }

  @Override
  public void placed(PendingWrite write, PartitionView view) {
    // Nobody asks.
  }

  @Override
  public @Nullable Object keyOf(PendingWrite write) {
    return Intake.decodedKey(requests, write);
  }
}
