package dev.headrace.benchmarks.operators;

import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Table;
import java.util.List;
import java.util.Map;

/**
 * The part of {@code benchmarks/run operators} about resume tokens: how long they are while a
 * stream of all entries runs, with few segments and with many. A fork for each number of segments.
 */
final class TokenFigures {

  /** The figures that the comparison ends with: characters of the longest token. */
  static final List<String> KEYS = List.of("token_bytes_256", "token_bytes_10000");

  private static final List<Integer> SEGMENTS = List.of(256, 10_000);
  private static final int ENTRIES = 200_000;
  private static final int EVERY = 97;

  private TokenFigures() {}

  static void measure(Results results) {
    Table table = new Table(1, "segments", "token after a batch", "token after an entry");
    for (int segments : SEGMENTS) {
      HarnessMessage command =
          HarnessMessage.of("tokens")
              .with("segments", segments)
              .with("entries", ENTRIES)
              .with("every", EVERY);
      try (Fork fork = Fork.start("tokens-" + segments, TokenWorker.class, List.of(), List.of())) {
        HarnessMessage reply = fork.ask(command);
        for (String which : List.of("batches", "each")) {
          int length = reply.whole(which);
          results.add("token_" + which, "headrace", Map.copyOf(command.fields()), "bytes", length);
          results.raise("token_bytes_" + segments, length);
        }
        table.row(segments, reply.text("batches"), reply.text("each"));
      }
    }
    System.out.println(table);
  }
}
