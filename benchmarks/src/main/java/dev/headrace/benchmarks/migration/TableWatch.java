package dev.headrace.benchmarks.migration;

import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.cluster.agreement.NodeProbe;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.replication.message.CopyOrder;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Collects what the probes of all nodes of a cluster in this JVM hear: migrations, the bytes that
 * carried them, and when each node had each epoch. Thread-safe; everything is guarded by this
 * object, and short.
 */
final class TableWatch {

  private static final double NANOS_PER_MILLI = 1e6;
  private static final long QUIET_NANOS = 100_000_000L;

  /** When the owners of a segment changed, from the first node that knew it to the last. */
  record HandOver(int segment, long firstNanos, long lastNanos) {}

  /** One epoch on its way through the cluster. */
  private static final class Passage {
    private final long decidedNanos;
    private long firstNanos;
    private long lastNanos;
    private int[] segments = {};

    Passage(long nowNanos) {
      decidedNanos = nowNanos;
    }

    void reached(long nowNanos) {
      firstNanos = firstNanos == 0 ? nowNanos : firstNanos;
      lastNanos = nowNanos;
    }
  }

  private final List<Probe> probes = new ArrayList<>();

  /** A segment on its way to a new owner. */
  private record Copy(int segment, NodeId destination) {}

  private final NavigableMap<Long, Passage> passages = new TreeMap<>();
  private MigrationLog log = new MigrationLog();
  private Histogram lags = new Histogram(3);
  private @Nullable SegmentTable newest;
  private long lastChangeNanos;
  private long levelEpoch = -1;
  private long publishedBytes;
  private long publishedMessages;
  private long images;
  private long swaps;

  /** A probe for one more node. */
  synchronized NodeProbe probe() {
    Probe probe = new Probe();
    probes.add(probe);
    return probe;
  }

  /** Begins anew; the nodes stay known. */
  synchronized void reset() {
    log = new MigrationLog();
    lags = new Histogram(3);
    passages.clear();
    publishedBytes = 0;
    publishedMessages = 0;
    images = 0;
    swaps = 0;
  }

  synchronized MigrationLog log() {
    return log;
  }

  /** The newest table in force anywhere. */
  synchronized SegmentTable table() {
    if (newest == null) {
      throw new IllegalStateException("No node has a table yet");
    }
    return newest;
  }

  /** Adds what went over the wire and how late it was. */
  synchronized HarnessMessage addTo(HarnessMessage message, int recipients) {
    double shares = (double) log.migrations() * recipients;
    return message
        .with("publishedBytes", publishedBytes)
        .with("publishedMessages", publishedMessages)
        .with("images", images)
        .with("swaps", swaps)
        .with("bytesPerMigration", publishedBytes / shares)
        .with("lagP50", lags.getValueAtPercentile(50) / NANOS_PER_MILLI)
        .with("lagP99", lags.getValueAtPercentile(99) / NANOS_PER_MILLI)
        .with("lagMax", lags.getMaxValue() / NANOS_PER_MILLI)
        .with("epochs", passages.size());
  }

  /** All changes of owners since the last reset. */
  synchronized List<HandOver> handOvers() {
    List<HandOver> all = new ArrayList<>();
    for (Passage passage : passages.values()) {
      for (int segment : passage.segments) {
        all.add(new HandOver(segment, passage.firstNanos, passage.lastNanos));
      }
    }
    return all;
  }

  /**
   * Whether nothing has changed for a moment, every node knows it, and every segment has its
   * owners, replicas and primaries level to within one.
   */
  synchronized boolean isLevel(int members, int owners) {
    SegmentTable table = newest;
    if (table == null || System.nanoTime() - lastChangeNanos < QUIET_NANOS) {
      return false;
    }
    if (table.epoch() == levelEpoch) {
      return true;
    }
    boolean level =
        table.members().size() == members
            && probes.stream().filter(probe -> probe.epoch == table.epoch()).count() >= members
            && isLevel(table, members, owners);
    levelEpoch = level ? table.epoch() : -1;
    return level;
  }

  /** Whether every segment has its owners, replicas and primaries level to within one. */
  static boolean isLevel(SegmentTable table, int members, int owners) {
    return isFull(table, Math.min(members, owners))
        && isLevel(counts(table, Integer.MAX_VALUE), members)
        && isLevel(counts(table, 1), members);
  }

  private static boolean isFull(SegmentTable table, int owners) {
    for (int segment = 0; segment < table.segments(); segment++) {
      if (table.ownerCount(segment) != owners) {
        return false;
      }
    }
    return true;
  }

  private static boolean isLevel(Map<NodeId, Integer> counts, int members) {
    int least = counts.size() < members ? 0 : Integer.MAX_VALUE;
    int most = 0;
    for (int count : counts.values()) {
      least = Math.min(least, count);
      most = Math.max(most, count);
    }
    return most - least <= 1;
  }

  private static Map<NodeId, Integer> counts(SegmentTable table, int firstOwners) {
    Map<NodeId, Integer> counts = new HashMap<>();
    for (int segment = 0; segment < table.segments(); segment++) {
      int owners = Math.min(firstOwners, table.ownerCount(segment));
      for (int i = 0; i < owners; i++) {
        counts.merge(table.owner(segment, i), 1, Integer::sum);
      }
    }
    return counts;
  }

  private synchronized void decided(long epoch) {
    passages.put(epoch, new Passage(System.nanoTime()));
  }

  private synchronized void installed(
      Probe probe, TableDelta delta, SegmentTable table, long nowNanos) {
    // A node's first table is not late: it was not there when those before it were decided.
    long known = probe.epoch < 0 ? table.epoch() : probe.epoch;
    for (Passage passage : passages.subMap(known, false, table.epoch(), true).values()) {
      passage.reached(nowNanos);
      lags.recordValue(Math.max(0, nowNanos - passage.decidedNanos));
    }
    probe.epoch = table.epoch();
    SegmentTable before = newest;
    if (before == null || table.epoch() > before.epoch()) {
      if (before != null) {
        note(before, delta, table, nowNanos);
      }
      newest = table;
      lastChangeNanos = nowNanos;
    }
  }

  private void note(SegmentTable before, TableDelta delta, SegmentTable table, long nowNanos) {
    int[] changed = changed(before, delta, table);
    for (int segment : changed) {
      List<NodeId> added = added(before, table, segment);
      if (added.isEmpty()) {
        swaps++;
      }
      for (NodeId owner : added) {
        log.done(new Copy(segment, owner), nowNanos);
      }
    }
    Passage passage = passages.get(table.epoch());
    if (passage != null) {
      passage.segments = changed;
    }
  }

  private static int[] changed(SegmentTable before, TableDelta delta, SegmentTable table) {
    if (delta.fromEpoch() == before.epoch()) {
      return delta.changedSegments();
    }
    return IntStream.range(0, table.segments())
        .filter(segment -> table.segmentEpoch(segment) != before.segmentEpoch(segment))
        .toArray();
  }

  /** Owners that a segment has won and that had to be copied to. */
  private static List<NodeId> added(SegmentTable before, SegmentTable table, int segment) {
    if (before.ownerCount(segment) == 0) {
      return List.of(); // nothing was left that could be copied
    }
    return table.owners(segment).stream().filter(owner -> !before.isOwner(segment, owner)).toList();
  }

  private synchronized void ordered(CopyOrder order) {
    long nowNanos = System.nanoTime();
    for (CopyOrder.Copy copy : order.copies()) {
      for (NodeId destination : copy.destinations()) {
        log.begun(new Copy(copy.segment(), destination), nowNanos);
      }
    }
  }

  private synchronized void published(int bytes, boolean image) {
    publishedBytes += bytes;
    publishedMessages++;
    images += image ? 1 : 0;
  }

  /** One node's. */
  private final class Probe implements NodeProbe {
    private long epoch = -1; // guarded by the watch

    @Override
    public void decided(long newEpoch) {
      TableWatch.this.decided(newEpoch);
    }

    @Override
    public void onTable(TableDelta delta, SegmentTable newImage) {
      TableWatch.this.installed(this, delta, newImage, System.nanoTime());
    }

    @Override
    public void ordered(CopyOrder order) {
      TableWatch.this.ordered(order);
    }

    @Override
    public void published(int bytes, boolean image) {
      TableWatch.this.published(bytes, image);
    }
  }
}
