package dev.headrace.http.export;

import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** How far one stream is. Written by the stream, read by anybody. */
public final class StreamFigures {
  private final long number;
  private final String cache;
  private final int segments;
  private final AtomicLong entries = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final Map<String, Long> received = new TreeMap<>(); // guarded by this
  private final BitSet completed = new BitSet(); // guarded by this
  private volatile boolean paused;
  private volatile int creditEntries;
  private volatile long creditBytes;

  StreamFigures(long number, String cache, int segments) {
    this.number = number;
    this.cache = cache;
    this.segments = segments;
  }

  /** A number of its own. */
  public long number() {
    return number;
  }

  /** The name of the cache. */
  public String cache() {
    return cache;
  }

  /** How many segments it reads. */
  public int segments() {
    return segments;
  }

  /** Entries that it was handed. */
  public long entries() {
    return entries.get();
  }

  /** Bytes that were sent for it. */
  public long bytes() {
    return bytes.get();
  }

  /** Whether it waits for its reader. */
  public boolean paused() {
    return paused;
  }

  /** Entries that were buffered or in flight when it last asked a node. */
  public int creditEntries() {
    return creditEntries;
  }

  /** Their bytes, as far as they are known or may come at most. */
  public long creditBytes() {
    return creditBytes;
  }

  /** The most of these bytes, larger entries apart. */
  public long creditLimitBytes() {
    return ExportBody.BATCH_BYTES;
  }

  /** The bytes of entries that each node has answered, by the nodes' names. */
  public synchronized Map<String, Long> received() {
    return new TreeMap<>(received);
  }

  /** How many segments it has read to their end. */
  public synchronized int completed() {
    return completed.cardinality();
  }

  /** The segments that it has read to their end. */
  public synchronized BitSet completedSegments() {
    return (BitSet) completed.clone();
  }

  /** It was handed one more. Called by the stream's signals. */
  public void entry() {
    entries.lazySet(entries.get() + 1);
  }

  /** So many bytes more were sent for it. */
  public void sent(int more) {
    bytes.addAndGet(more);
  }

  /** Whether it waits now. */
  public void paused(boolean now) {
    paused = now;
  }

  void credited(int ofEntries, long ofBytes) {
    creditEntries = ofEntries;
    creditBytes = ofBytes;
  }

  synchronized void batch(String node, long more) {
    received.merge(node, more, Long::sum);
  }

  /** It has read a segment to its end. */
  public synchronized void completed(int segment) {
    completed.set(segment);
  }
}
