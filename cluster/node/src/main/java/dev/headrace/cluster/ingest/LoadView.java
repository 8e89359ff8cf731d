package dev.headrace.cluster.ingest;

import dev.headrace.api.ingest.PartitionView;
import dev.headrace.cluster.ingest.batch.IngestMachine;
import dev.headrace.stream.NodeId;
import java.util.function.IntFunction;

/** What a partitioner sees of the machine at one moment. Used by the loop. */
final class LoadView implements PartitionView {
  private final IngestMachine machine;
  private final IntFunction<NodeId> primaries;
  private final int segments;
  private final int batchBytes;
  private long nowNanos;

  LoadView(IngestMachine machine, IntFunction<NodeId> primaries, int segments, int batchBytes) {
    this.machine = machine;
    this.primaries = primaries;
    this.segments = segments;
    this.batchBytes = batchBytes;
  }

  LoadView at(long nanos) {
    nowNanos = nanos;
    return this;
  }

  @Override
  public int segments() {
    return segments;
  }

  @Override
  public int batchBytes() {
    return batchBytes;
  }

  @Override
  public long openBytes(int segment) {
    return machine.openBytes(segment);
  }

  @Override
  public boolean lingers(int segment) {
    return machine.lingers(segment, nowNanos);
  }

  @Override
  public long queuedBytes(int segment) {
    return machine.queuedBytes(primaries.apply(segment));
  }

  @Override
  public long expectedNanos(int segment) {
    return machine.expectedNanos(primaries.apply(segment));
  }

  @Override
  public long stalledNanos(int segment) {
    return machine.stalledNanos(primaries.apply(segment), nowNanos);
  }

  @Override
  public boolean available(int segment) {
    return !primaries.apply(segment).equals(SinkEnvironment.NOBODY);
  }
}
