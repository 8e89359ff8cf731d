package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.WalkSettings;
import dev.headrace.benchmarks.peer.run.Contender;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The cells that the ratios of {@link IterationComparison} are drawn from. */
final class RatioCells {

  /** Readers, unless there is one. */
  static final int THREADS = 4;

  /** The content that the peers are compared over. */
  static final EntrySet HUNDRED = new EntrySet(50_000, 100);

  /** The batch size that both systems share in the comparison at the same batch. */
  static final int SAME_BATCH = 4096;

  private static final List<Integer> VALUE_BYTES = List.of(100, 1000, 10);
  private static final List<Integer> LARGE_BATCHES = List.of(SAME_BATCH, 16_384, 32_768);
  private static final int LARGEST_BATCH = 32_768;

  private final boolean quick;

  RatioCells(boolean quick) {
    this.quick = quick;
  }

  /** The contents that ratios are drawn from. */
  static List<EntrySet> contents() {
    return VALUE_BYTES.stream().map(bytes -> new EntrySet(HUNDRED.count(), bytes)).toList();
  }

  /** The contents over which the wire's limit is measured. */
  List<EntrySet> wireContents() {
    return quick ? List.of(HUNDRED) : contents();
  }

  /** All of them. */
  List<IterationCell> all() {
    Set<IterationCell> cells = new LinkedHashSet<>();
    for (Contender system : List.of(Contender.HEADRACE, Contender.INFINISPAN)) {
      cells.add(IterationCell.usual(system, 0, THREADS, HUNDRED));
    }
    for (EntrySet entries : contents()) {
      for (int batch : batches(entries)) {
        IterationCell ours = IterationCell.usual(Contender.HEADRACE, batch, THREADS, entries);
        IterationCell theirs = IterationCell.usual(Contender.INFINISPAN, batch, THREADS, entries);
        cells.add(ours);
        cells.add(theirs);
        if (!quick) {
          cells.add(theirs.sequential());
        }
      }
    }
    cells.addAll(remoteCells());
    cells.addAll(oneReader());
    return List.copyOf(cells);
  }

  private List<Integer> batches(EntrySet entries) {
    // In a quick run the same batch stands for the best, too.
    if (quick || entries.valueBytes() == 10) {
      return List.of(SAME_BATCH);
    }
    return LARGE_BATCHES;
  }

  /** How many walk from a member that holds nothing, and over the bare loop. */
  List<Integer> remoteReaders() {
    return quick ? List.of(THREADS) : List.of(1, THREADS);
  }

  /** Walks from a member that holds nothing, for the comparison with the wire's limit. */
  private List<IterationCell> remoteCells() {
    List<IterationCell> cells = new ArrayList<>();
    for (EntrySet entries : wireContents()) {
      for (int batch : quick ? List.of(LARGEST_BATCH) : batches(entries)) {
        for (int threads : remoteReaders()) {
          cells.add(
              IterationCell.usual(Contender.HEADRACE, batch, threads, entries)
                  .from(Vantage.REMOTE_ONLY));
        }
      }
    }
    return cells;
  }

  /** One reader who wants the whole cache, of every system in each of its ways. */
  private List<IterationCell> oneReader() {
    List<IterationCell> cells = new ArrayList<>();
    cells.add(IterationCell.usual(Contender.HEADRACE, LARGEST_BATCH, 1, HUNDRED));
    if (!quick) {
      cells.add(IterationCell.usual(Contender.HEADRACE, 0, 1, HUNDRED));
    }
    for (Contender peer : Contender.PEERS) {
      // Beside Redis, Ignite and Coherence, a full run has the others, which no final figure needs.
      boolean drawn =
          peer == Contender.REDIS || peer == Contender.IGNITE || peer == Contender.COHERENCE;
      for (String way : quick ? peer.ways().subList(0, 1) : peer.ways()) {
        for (int batch : drawn || !quick ? pages(peer, way) : List.<Integer>of()) {
          cells.add(
              IterationCell.usual(peer, 0, 1, HUNDRED)
                  .with(new WalkSettings(way, batch, false, true)));
        }
      }
    }
    return cells;
  }

  /** The page sizes among which a peer's best is looked for; 0 is its default. */
  private List<Integer> pages(Contender peer, String way) {
    return switch (peer) {
      case REDIS, REDIS_CLUSTER -> quick ? List.of(10_000) : List.of(10, 100, 1000, 10_000);
      case IGNITE -> quick ? List.of(SAME_BATCH) : List.of(0, 256, SAME_BATCH, 16_384);
      case HAZELCAST -> way.equals("iterator") ? List.of(0, 5000) : List.of(0);
      case COHERENCE -> List.of(0);
      default -> List.of(0, LARGEST_BATCH);
    };
  }
}
