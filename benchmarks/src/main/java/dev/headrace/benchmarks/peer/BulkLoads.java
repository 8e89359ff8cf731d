package dev.headrace.benchmarks.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** How a system takes many entries that a program has in memory already. */
public interface BulkLoads {
  /** Writes under way at a time where a system leaves that to the caller. */
  int DEPTH = 16;

  /** Removes everything. */
  void clear();

  /**
   * The ways that the system's documentation has for that, by their names. Each writes all maps and
   * returns when everything is acknowledged.
   */
  Map<String, Consumer<List<Map<String, byte[]>>>> ways();

  /** Begins the writing of each map when so many others at most are under way. */
  static void pipelined(
      List<Map<String, byte[]>> batches,
      Function<Map<String, byte[]>, ? extends CompletionStage<?>> write) {
    List<CompletionStage<?>> all = new ArrayList<>();
    for (Map<String, byte[]> batch : batches) {
      if (all.size() >= DEPTH) {
        all.get(all.size() - DEPTH).toCompletableFuture().join();
      }
      all.add(write.apply(batch));
    }
    all.forEach(each -> each.toCompletableFuture().join());
  }
}
