package dev.headrace.cli.progress;

import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.NodeIngest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far a command has come: what is done, out of how much if that is known, and a lane for each
 * node that sent something. Thread-safe; its monitor guards every field.
 */
public final class CommandProgress {
  private static final int BAR_WIDTH = 20;

  private final long startNanos;
  private final Map<String, Lane> lanes = new TreeMap<>();
  private long entries;
  private long bytes;
  private long pastEntries; // of loads before the present one
  private long pastBytes;
  private long done;
  private long total;

  /** What one node sent. */
  private static final class Lane {
    private long entries;
    private long bytes;
    private long batches;
    private long pastEntries;
    private long pastBytes;
    private long pastBatches;

    private void keep() {
      pastEntries = entries;
      pastBytes = bytes;
      pastBatches = batches;
    }
  }

  /** Nothing is done yet. */
  public CommandProgress(long startNanos) {
    this.startNanos = startNanos;
  }

  /** Sets what is done, in any unit, out of how much; a total of 0 is not known. */
  public synchronized void advance(long newDone, long newTotal) {
    done = newDone;
    total = newTotal;
  }

  /** Adds what was loaded or written. */
  public synchronized void add(long moreEntries, long moreBytes) {
    entries += moreEntries;
    bytes += moreBytes;
  }

  /** Sets what was loaded, and what of it each node has taken. */
  public synchronized void loaded(IngestProgress load) {
    entries = pastEntries + load.written() + load.present();
    bytes = pastBytes + load.writtenBytes();
    for (NodeIngest node : load.nodes()) {
      Lane lane = lanes.computeIfAbsent(node.node(), name -> new Lane());
      lane.entries = lane.pastEntries + node.entries();
      lane.bytes = lane.pastBytes + node.bytes();
      lane.batches = lane.pastBatches + node.batches();
    }
  }

  /** Another load begins, which adds to what was loaded so far. */
  public synchronized void nextLoad() {
    pastEntries = entries;
    pastBytes = bytes;
    lanes.values().forEach(Lane::keep);
  }

  /** Adds a batch that a node sent. */
  public synchronized void batch(String node, int batchEntries, long batchBytes) {
    Lane lane = lanes.computeIfAbsent(node, name -> new Lane());
    lane.entries += batchEntries;
    lane.bytes += batchBytes;
    lane.batches++;
  }

  /** Number of entries so far. */
  public synchronized long entries() {
    return entries;
  }

  /** The time since the start. */
  public long elapsedNanos(long nowNanos) {
    return nowNanos - startNanos;
  }

  /** All on one line, for a log. */
  synchronized String line(long nowNanos) {
    StringBuilder line = new StringBuilder(summary(nowNanos));
    if (total > 0) {
      line.append("  ").append(percent()).append(" %");
    }
    lanes.forEach(
        (node, lane) ->
            line.append("  ").append(node).append(' ').append(Figures.count(lane.entries)));
    return line.toString();
  }

  /** For a screen: a line with a bar, and one for each lane. */
  synchronized List<String> drawing(long nowNanos) {
    List<String> lines = new ArrayList<>();
    String bar =
        total > 0
            ? "  [" + Figures.bar((double) done / total, BAR_WIDTH) + "] " + percent() + " %"
            : "";
    lines.add(summary(nowNanos) + bar);
    long largest = lanes.values().stream().mapToLong(lane -> lane.entries).max().orElse(1);
    int nameWidth = lanes.keySet().stream().mapToInt(String::length).max().orElse(0);
    lanes.forEach(
        (node, lane) ->
            lines.add(
                String.format(
                    "  %-" + nameWidth + "s  %s  %12s  %9s  %s",
                    node,
                    Figures.bar((double) lane.entries / largest, BAR_WIDTH),
                    Figures.count(lane.entries),
                    Figures.bytes(lane.bytes),
                    lane.batches == 1 ? "1 batch" : Figures.count(lane.batches) + " batches")));
    return lines;
  }

  private String summary(long nowNanos) {
    return Figures.entries(entries)
        + "  "
        + Figures.rate(entries, elapsedNanos(nowNanos))
        + "  "
        + Figures.bytes(bytes);
  }

  private long percent() {
    return Math.min(100, done * 100 / total);
  }
}
