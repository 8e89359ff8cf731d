package dev.headrace.api.ingest;

import java.util.Arrays;

/** Segments, each on a node of its own, that a test describes. */
final class SettableView implements PartitionView {
  static final int BATCH_BYTES = 1_000;

  final long[] queuedBytes;
  final long[] expectedNanos;
  final long[] stalledNanos;
  final boolean[] available;
  final boolean[] lingers;

  SettableView(int segments) {
    queuedBytes = new long[segments];
    expectedNanos = new long[segments];
    stalledNanos = new long[segments];
    available = new boolean[segments];
    lingers = new boolean[segments];
    Arrays.fill(available, true);
  }

  @Override
  public int segments() {
    return available.length;
  }

  @Override
  public int batchBytes() {
    return BATCH_BYTES;
  }

  @Override
  public long openBytes(int segment) {
    return 0;
  }

  @Override
  public boolean lingers(int segment) {
    return lingers[segment];
  }

  @Override
  public long queuedBytes(int segment) {
    return queuedBytes[segment];
  }

  @Override
  public long expectedNanos(int segment) {
    return expectedNanos[segment];
  }

  @Override
  public long stalledNanos(int segment) {
    return stalledNanos[segment];
  }

  @Override
  public boolean available(int segment) {
    return available[segment];
  }
}
