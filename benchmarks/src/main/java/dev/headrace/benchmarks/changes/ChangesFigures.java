package dev.headrace.benchmarks.changes;

import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.HarnessMessage;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.benchmarks.peer.run.Contender;
import dev.headrace.benchmarks.peer.run.Participants;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The part of {@code benchmarks/run operators} about changes: one fork per system and round, in
 * which writing without readers, with one, and with a slow one beside it take turns.
 */
public final class ChangesFigures {

  /** The figures that the comparison ends with. */
  public static final List<String> KEYS = List.of("changes_write_share", "changes_lag_p99_ms");

  private static final List<Contender> SYSTEMS =
      List.of(Contender.HEADRACE, Contender.INFINISPAN, Contender.HAZELCAST);

  private static final int WRITERS = 4;

  private final Options options;
  private final Results results;
  private final Participants participants;
  private final Table table =
      new Table(
          1, "changes", "puts/s", "with a reader", "and a slow one", "events/s", "p99 ms", "slow");

  /** Measures those that take part. */
  public ChangesFigures(Options options, Results results, Participants participants) {
    this.options = options;
    this.results = results;
    this.participants = participants;
  }

  /** Measures, and draws the figures. */
  public void run() {
    Map<Contender, Double> events = new LinkedHashMap<>();
    for (Contender system : SYSTEMS) {
      boolean wanted = system == Contender.HEADRACE || !options.quick();
      if (participants.includes(system) && wanted) {
        double told = measure(system);
        if (!Double.isNaN(told)) {
          events.put(system, told);
        }
      }
    }
    System.out.println(table);
    Double ours = events.remove(Contender.HEADRACE);
    if (ours != null) {
      events.forEach(
          (other, theirs) -> results.ratio("changes_events_vs_" + other.label(), ours / theirs));
    }
  }

  /** Returns the events per second that one reader is told; NaN if that failed. */
  private double measure(Contender system) {
    HarnessMessage command =
        HarnessMessage.of("watch")
            .with("system", system.label())
            .with("writers", WRITERS)
            .with("warmup", 1_000)
            .with("millis", options.quick() ? 2_000 : 4_000)
            .with("rounds", 3);
    Rounds rounds = new Rounds();
    for (int round = 0; round < options.rounds(); round++) {
      String name = "changes-" + system.label() + "-" + round;
      try (Fork fork = Fork.start(name, ChangesWorker.class, List.of(), List.of())) {
        rounds.add(fork.ask(command));
      } catch (IllegalStateException e) { // one that fails costs its own figures alone
        results.failed(name + ": " + e.getMessage());
      }
    }
    if (rounds.of("alone").length == 0) {
      return Double.NaN;
    }
    note(system, command, rounds);
    return Samples.median(rounds.of("events"));
  }

  private void note(Contender system, HarnessMessage command, Rounds rounds) {
    String label = system.label();
    Map<String, String> coordinates = new LinkedHashMap<>(command.fields());
    coordinates.remove("system");
    results.add("changes_puts_without_reader", label, coordinates, "puts/s", rounds.of("alone"));
    results.add("changes_puts_with_reader", label, coordinates, "puts/s", rounds.of("watched"));
    results.add("changes_puts_with_slow_reader", label, coordinates, "puts/s", rounds.of("beside"));
    results.add("changes_told", label, coordinates, "events/s", rounds.of("events"));
    results.add("changes_lag_p99", label, coordinates, "ms", rounds.of("lags"));
    results.add("changes_lag_p99_beside_slow", label, coordinates, "ms", rounds.of("lagsBeside"));
    double share = Samples.median(rounds.shares());
    double lag = Samples.median(rounds.of("lags"));
    table.row(
        label,
        shown("%,.0f", Samples.median(rounds.of("alone"))),
        shown("%.2f", share),
        shown("%.2f", Samples.median(rounds.of("beside")) / Samples.median(rounds.of("alone"))),
        shown("%,.0f", Samples.median(rounds.of("events"))),
        shown("%.1f", lag),
        shown("%.1f", Samples.median(rounds.of("lagsBeside"))));
    if (system == Contender.HEADRACE) {
      results.ratio("changes_write_share", share);
      results.ratio("changes_lag_p99_ms", lag);
    }
  }

  private static String shown(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  /** What the rounds of a system have shown. */
  private static final class Rounds {
    private final List<HarnessMessage> replies = new ArrayList<>();

    void add(HarnessMessage reply) {
      replies.add(reply);
    }

    double[] of(String name) {
      return replies.stream()
          .flatMapToDouble(reply -> Arrays.stream(reply.numbers(name)))
          .toArray();
    }

    /** The rate with a reader over that without, turn by turn. */
    double[] shares() {
      double[] alone = of("alone");
      double[] watched = of("watched");
      double[] shares = new double[alone.length];
      for (int i = 0; i < shares.length; i++) {
        shares[i] = watched[i] / alone[i];
      }
      return shares;
    }
  }
}
