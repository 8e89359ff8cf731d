package dev.headrace.rebalance.write;

import dev.headrace.stream.store.SegmentStore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One cache on one node: its store, and the lanes of those segments that needed one. Thread-safe.
 */
final class CacheSegments {
  private final String name;
  private final SegmentStore store;
  private final Surroundings around;
  private final AtomicReferenceArray<@Nullable Lane> lanes;
  private final AtomicInteger format = new AtomicInteger();

  CacheSegments(String name, SegmentStore store, Surroundings around) {
    this.name = name;
    this.store = store;
    this.around = around;
    this.lanes = new AtomicReferenceArray<>(store.segments());
  }

  String name() {
    return name;
  }

  SegmentStore store() {
    return store;
  }

  /** A hash of the formats of keys and values, 0 as long as nothing was written. */
  int format() {
    return format.get();
  }

  /** Whether keys and values of a format may be read. */
  boolean admits(int wanted) {
    int present = format.get();
    return wanted == 0 || present == 0 || present == wanted;
  }

  /** Fixes the format at the first write. */
  void learn(int written) {
    if (written != 0 && format.get() == 0) {
      format.compareAndSet(0, written);
    }
  }

  /** The lane of a segment, or null if it has not needed one. */
  @Nullable Lane find(int segment) {
    return lanes.get(segment);
  }

  Lane lane(int segment) {
    Lane present = lanes.get(segment);
    if (present != null) {
      return present;
    }
    Lane made = new Lane(this, segment, around);
    present = lanes.compareAndExchange(segment, null, made);
    return present == null ? made : present;
  }
}
