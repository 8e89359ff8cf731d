package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.peer.Contender;
import dev.headrace.benchmarks.peer.Mode;
import dev.headrace.benchmarks.peer.Vantage;
import java.util.ArrayList;
import java.util.List;

/** Which cells are measured. */
final class Grid {

  /** Readers of the cells that the ratios are drawn from. */
  static final int THREADS = 4;

  /** The number of entries that the ratios are drawn from. */
  static final int RATIO_ENTRIES = 50_000;

  /** The batch size that both systems share in the comparison at the same batch. */
  static final int SAME_BATCH = 4096;

  private static final List<Integer> VALUE_BYTES = List.of(100, 1000, 10);
  private static final List<Integer> BATCHES = List.of(512, 4096, 16_384, 32_768);

  /** Where the best batch is looked for; smaller ones are never the best. */
  private static final List<Integer> LARGE_BATCHES = List.of(4096, 16_384, 32_768);

  private Grid() {}

  /** The contents, those with ratios first. */
  static List<EntrySet> entrySets(boolean quick) {
    List<EntrySet> sets = new ArrayList<>();
    for (int valueBytes : VALUE_BYTES) {
      sets.add(new EntrySet(RATIO_ENTRIES, valueBytes));
    }
    if (!quick) {
      for (int valueBytes : VALUE_BYTES) {
        sets.add(new EntrySet(250_000, valueBytes));
      }
    }
    return sets;
  }

  /** The cells that the ratios over this content are drawn from; measured in several rounds. */
  static List<IterationCell> ratioCells(EntrySet entries) {
    List<IterationCell> cells = new ArrayList<>();
    if (entries.count() != RATIO_ENTRIES) {
      return cells;
    }
    if (entries.valueBytes() == 100) {
      cells.add(owner(Contender.HEADRACE, "default", 0));
      cells.add(owner(Contender.INFINISPAN, "default", 0));
    }
    for (int batch : entries.valueBytes() == 10 ? List.of(SAME_BATCH) : LARGE_BATCHES) {
      cells.add(owner(Contender.HEADRACE, "default", batch));
      cells.add(owner(Contender.INFINISPAN, "default", batch));
      cells.add(owner(Contender.INFINISPAN, "sequential", batch));
    }
    return cells;
  }

  /** Walks from a member that holds nothing, for the comparison with the wire's limit. */
  static List<IterationCell> remoteCells(EntrySet entries, boolean quick) {
    List<IterationCell> cells = new ArrayList<>();
    if (entries.count() != RATIO_ENTRIES || (quick && entries.valueBytes() != 100)) {
      return cells;
    }
    for (int batch : LARGE_BATCHES) {
      for (int threads : List.of(1, THREADS)) {
        cells.add(
            new IterationCell(Contender.HEADRACE, "default", batch, threads, Vantage.BYSTANDER));
        if (!quick) {
          cells.add(
              new IterationCell(
                  Contender.INFINISPAN, "default", batch, threads, Vantage.BYSTANDER));
        }
      }
    }
    return cells;
  }

  /** Every combination of system, mode, batch size and number of threads. */
  static List<IterationCell> allCells() {
    List<IterationCell> cells = new ArrayList<>();
    for (Contender system : Contender.values()) {
      for (Mode mode : system.modes()) {
        for (int threads : List.of(1, THREADS)) {
          cells.add(new IterationCell(system, mode.name(), 0, threads, Vantage.OWNER));
          for (int batch : mode.batched() ? BATCHES : List.<Integer>of()) {
            cells.add(new IterationCell(system, mode.name(), batch, threads, Vantage.OWNER));
          }
        }
      }
    }
    return cells;
  }

  private static IterationCell owner(Contender system, String mode, int batchEntries) {
    return new IterationCell(system, mode, batchEntries, THREADS, Vantage.OWNER);
  }
}
