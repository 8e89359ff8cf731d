package dev.headrace.cluster.ingest;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.ingest.PartitionView;
import dev.headrace.cluster.cache.EntryRequests;
import dev.headrace.cluster.ingest.batch.IngestMachine;
import dev.headrace.cluster.ingest.batch.PendingWrite;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes writes of what a source sends.
 *
 * @param <T> entries or values
 */
interface Intake<T> {

  /** Whether records have keys; if not, {@link #place} gives them keys. */
  boolean keyed();

  /** Checks and encodes a record, on the source's thread. */
  PendingWrite take(T record, Consumer<PendingWrite> ended);

  /** The key of a record that could not be taken; null if it has none. */
  @Nullable Object keyOf(T record);

  /** Decides on the segment of a record, on the thread of the loop. */
  void place(PendingWrite write, IngestMachine machine, PartitionView view, long nowNanos);

  /** The record was put into a batch. */
  void placed(PendingWrite write, PartitionView view);

  /** The key of a write, for people; null if it has none that can be decoded. */
  @Nullable Object keyOf(PendingWrite write);

  /** What the user's function says of an entry; null without a function. */
  static <K, V> @Nullable Duration lifespan(
      @Nullable Function<? super Map.Entry<K, V>, Duration> ofEntry, Map.Entry<K, V> entry) {
    return ofEntry == null
        ? null
        : requireNonNull(ofEntry.apply(entry), "the lifespan of an entry");
  }

  /** The key of a write; null if the codec cannot read what it has written. */
  static @Nullable Object decodedKey(EntryRequests<?, ?> requests, PendingWrite write) {
    try {
      return requests.decodeKey(write.key());
    } catch (RuntimeException | Error unreadable) {
      return null; // the failure that is reported is another one
    }
  }
}
