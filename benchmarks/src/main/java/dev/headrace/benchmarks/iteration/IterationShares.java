package dev.headrace.benchmarks.iteration;

import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.peer.Vantage;
import dev.headrace.benchmarks.peer.run.Contender;
import dev.headrace.benchmarks.peer.run.Participants;
import dev.headrace.benchmarks.peer.run.PeerFork;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What of a walk is no rate: entries held, bytes allocated, and the time to the first entry. */
final class IterationShares {

  /** Walks to the end for each sample of the first entry, so that no walk disturbs the next one. */
  private static final int FIRST_ENTRIES = 10_000;

  private static final int FIRST_SAMPLES = 2500;
  private static final int QUICK_FIRST_SAMPLES = 1000;
  private static final int PASSES = 20;
  private static final List<Integer> BATCHES = List.of(5, 64, 512, 4096, 16_384, 32_768);

  private final Participants participants;
  private final Results results;
  private final boolean quick;

  IterationShares(Participants participants, Results results, boolean quick) {
    this.participants = participants;
    this.results = results;
    this.quick = quick;
  }

  /** Measures Headrace, and in a full run Infinispan beside it. */
  void measure() {
    for (Contender system : List.of(Contender.HEADRACE, Contender.INFINISPAN)) {
      boolean wanted = system == Contender.HEADRACE || !quick;
      if (wanted && participants.includes(system)) {
        try (PeerFork fork = PeerFork.start(system, IterationBenchmark.NODES)) {
          fork.started();
          fork.load(RatioCells.HUNDRED.count(), RatioCells.HUNDRED.valueBytes());
          measureAllocation(fork);
          if (system == Contender.HEADRACE) {
            measureHeld(fork);
          }
          measureFirstEntry(fork);
        }
      }
    }
  }

  private void measureHeld(PeerFork fork) {
    for (Vantage vantage : Vantage.values()) {
      for (int batch : BATCHES) {
        for (int repetition = 0; repetition < 3; repetition++) {
          int held = fork.held(vantage, batch);
          Map<String, String> parameters = parameters(vantage);
          parameters.put("batchSize", Integer.toString(batch));
          results.add("held", "headrace", parameters, "entries", held);
          results.raise("max_buffered_share", (double) held / batch);
        }
      }
    }
  }

  private void measureAllocation(PeerFork fork) {
    for (Vantage vantage : Vantage.values()) {
      HarnessMessage measured = fork.allocate(vantage, PASSES);
      double decoded = measured.number("decodedBytesPerEntry");
      boolean ours =
          fork.contender() == Contender.HEADRACE; // of others, threads cannot be told apart
      for (String which :
          ours
              ? List.of("bytesPerEntry", "allThreads", "decodedBytesPerEntry")
              : List.of("allThreads", "decodedBytesPerEntry")) {
        Map<String, String> parameters = parameters(vantage);
        parameters.put("which", which);
        results.add(
            "allocate",
            fork.contender().label(),
            parameters,
            "bytes/entry",
            measured.number(which));
      }
      if (ours) {
        results.raise("alloc_share", measured.number("bytesPerEntry") / decoded);
        results.raise("alloc_share_all_nodes", measured.number("allThreads") / decoded);
      }
    }
  }

  private void measureFirstEntry(PeerFork fork) {
    String system = fork.contender().label();
    fork.load(FIRST_ENTRIES, RatioCells.HUNDRED.valueBytes());
    for (Vantage vantage : Vantage.values()) {
      HarnessMessage first = fork.first(vantage, quick ? QUICK_FIRST_SAMPLES : FIRST_SAMPLES);
      Map<String, String> parameters = parameters(vantage);
      parameters.put("entries", Integer.toString(FIRST_ENTRIES));
      parameters.put("valueBytes", Integer.toString(RatioCells.HUNDRED.valueBytes()));
      results.add("first-entry", system, parameters, "us", first.numbers("micros"));
      results.raise(system + "_first_entry_p50_ms", first.number("p50") / 1000);
      results.raise(system + "_first_entry_p99_ms", first.number("p99") / 1000);
      if (fork.contender() == Contender.HEADRACE) {
        results.raise("first_entry_p99_ms", first.number("p99") / 1000);
      }
    }
  }

  private static Map<String, String> parameters(Vantage vantage) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("vantage", vantage.label());
    return parameters;
  }
}
