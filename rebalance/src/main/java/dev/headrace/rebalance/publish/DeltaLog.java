package dev.headrace.rebalance.publish;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One line of tables: an image and the deltas after it, with the table that each one makes.
 *
 * <p>Tables share what did not change, in pieces of 64 rows, so a step costs memory in proportion
 * to its delta: up to a piece for each row, more than a hundred times what the row takes in the
 * delta. The log forgets its oldest steps beyond a number, and beyond sums of bytes and rows; who
 * needs them gets an image.
 */
public final class DeltaLog {
  public static final int MAX_STEPS = 1024;

  /**
   * How many rows the kept deltas may change, of whatever table: the moves of about half a second,
   * so that who stands still for a moment still learns who owned a segment in between.
   */
  static final int MIN_ROWS = 1 << 14;

  /** The share of a larger table's rows that they may change. */
  private static final int ROWS_SHARE = 4;

  /** How many bytes the binary forms of all kept deltas may take. */
  public static final int MAX_BYTES = 4 << 20;

  /**
   * One table of the line.
   *
   * @param delta what made it, or null for an image
   * @param voters its data nodes, the oldest first; the same list as that of the step before if it
   *     has the same content
   * @param bytes of the delta's binary form
   */
  public record Step(
      @Nullable TableDelta delta, SegmentTable table, List<NodeId> voters, int bytes) {}

  private final NavigableMap<Long, Step> steps = new TreeMap<>();
  private long bytes;
  private long rows;

  /** Forgets everything and begins with an image. */
  public void begin(SegmentTable image) {
    steps.clear();
    bytes = 0;
    rows = 0;
    steps.put(image.epoch(), new Step(null, image, image.dataNodes(), 0));
  }

  /**
   * Adds a step to the newest table.
   *
   * @return the table that it makes
   * @throws IllegalArgumentException if the delta is not one of the newest table's
   */
  public SegmentTable append(TableDelta delta) {
    Step last = steps.lastEntry().getValue();
    SegmentTable next = last.table().apply(delta);
    List<NodeId> voters = next.dataNodes();
    boolean sameVoters = voters.equals(last.voters());
    int deltaBytes = delta.encoded().length();
    bytes += deltaBytes;
    rows += delta.rows().size();
    steps.put(next.epoch(), new Step(delta, next, sameVoters ? last.voters() : voters, deltaBytes));
    return next;
  }

  /** Replaces the newest table by one of the same epoch, in which something is set right. */
  public void repair(SegmentTable repaired) {
    Map.Entry<Long, Step> last = steps.lastEntry();
    if (last == null || last.getKey() != repaired.epoch()) {
      throw new IllegalArgumentException("The " + repaired + " does not replace the newest table");
    }
    Step step = last.getValue();
    steps.put(
        repaired.epoch(), new Step(step.delta(), repaired, repaired.dataNodes(), step.bytes()));
  }

  /** Forgets the oldest steps while there are too many, but none from an epoch on. */
  public void trim(long keptFrom) {
    while (steps.size() > 1
        && (steps.size() > MAX_STEPS || bytes > MAX_BYTES || rows > maxRows())
        && steps.firstKey() < keptFrom) {
      steps.pollFirstEntry();
      Map.Entry<Long, Step> first = steps.firstEntry();
      Step step = first.getValue();
      // Its delta leads nowhere any more.
      bytes -= step.bytes();
      rows -= rows(step);
      steps.put(first.getKey(), new Step(null, step.table(), step.voters(), 0));
    }
  }

  private long maxRows() {
    return Math.max(MIN_ROWS, steps.lastEntry().getValue().table().segments() / ROWS_SHARE);
  }

  private static int rows(Step step) {
    return step.delta() == null ? 0 : step.delta().rows().size();
  }

  /** The newest table, or null if there is none at all. */
  public @Nullable SegmentTable newest() {
    return steps.isEmpty() ? null : steps.lastEntry().getValue().table();
  }

  /** The epoch of the newest table, -1 if there is none. */
  public long newestEpoch() {
    return steps.isEmpty() ? -1 : steps.lastKey();
  }

  public boolean has(long epoch) {
    return steps.containsKey(epoch);
  }

  /** The table of an epoch, or null if the line has none or it is forgotten. */
  public @Nullable SegmentTable table(long epoch) {
    Step step = steps.get(epoch);
    return step == null ? null : step.table();
  }

  /** The steps from one epoch to another, both included, in their order. */
  public List<Step> steps(long from, long through) {
    return from > through
        ? List.of()
        : new ArrayList<>(steps.subMap(from, true, through, true).values());
  }

  /** The steps after an epoch, in their order. */
  public List<Step> after(long epoch) {
    return new ArrayList<>(steps.tailMap(epoch, false).values());
  }

  /**
   * The deltas that lead on from a kept table: at least one if there is one, then as many as fit.
   */
  public List<TableDelta> deltasAfter(long epoch, int maxBytes) {
    List<TableDelta> deltas = new ArrayList<>();
    long taken = 0;
    for (Step step : steps.tailMap(epoch, false).values()) {
      TableDelta delta = step.delta();
      taken += step.bytes();
      if (delta == null || (!deltas.isEmpty() && taken > maxBytes)) {
        break;
      }
      deltas.add(delta);
    }
    return deltas;
  }
}
