package dev.headrace.cli.demo;

import dev.headrace.stream.pull.CreditListener;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;

/** Remembers what a stream tells about itself. Calls are serial. */
final class StreamWatch implements CreditListener {
  private final Map<String, Integer> entriesByNode = new TreeMap<>();
  private final BitSet completed = new BitSet();
  private int largestBuffer;

  @Override
  public void batchReceived(String node, int entries, long bytes) {
    entriesByNode.merge(node, entries, Integer::sum);
  }

  @Override
  public void segmentCompleted(int segment) {
    completed.set(segment);
  }

  @Override
  public void credited(int entries, long bytes) {
    largestBuffer = Math.max(largestBuffer, entries);
  }

  /** How many entries each node sent. */
  Map<String, Integer> entriesByNode() {
    return entriesByNode;
  }

  /** The segments whose last entry was handed over. */
  BitSet completed() {
    return (BitSet) completed.clone();
  }

  /** The largest number of entries that was buffered or in flight at a time. */
  int largestBuffer() {
    return largestBuffer;
  }
}
