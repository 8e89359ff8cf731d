package dev.headrace.benchmarks.http;

import dev.headrace.benchmarks.harness.Fork;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import dev.headrace.benchmarks.harness.WarmUp;
import dev.headrace.benchmarks.http.EntitySlices.Slice;
import dev.headrace.benchmarks.http.client.LatencyHistogram;
import dev.headrace.benchmarks.http.client.LoadOutcome;
import dev.headrace.benchmarks.http.client.LoadPlan;
import dev.headrace.benchmarks.http.client.RequestSchedule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * Single entities over HTTP: writes and reads on two and on five nodes, all on one of them, at the
 * course's rates, or where the proxying nodes do not hold these, at the highest that they hold.
 * Both systems run at the same time and are asked in turns.
 */
final class EntityTrials {
  private static final int VALUE_BYTES = 100;
  private static final int HIT_PERCENT = 90;
  private static final int CONNECTIONS = 64;
  private static final int OWNERS = 2;
  private static final int HEAP_MEGABYTES = 512;
  private static final double HELD_P99_MILLIS = 5;
  private static final int WARM_REQUESTS = 1_000;
  private static final int TURN_MILLIS = 10_000;

  /** By this part of itself a rate is lowered that has held for a moment, but not for a turn. */
  private static final int STEPS_DOWN = 10;

  /** Where no rate holds, the systems are compared at what they reach at most over this. */
  private static final int RELIEF = 4;

  private static final int MANY = 5;
  private static final int FEW = 2;

  /** What each slice is noted with; the first six are what {@link CourseFigures} have, too. */
  private static final List<Metric> METRICS =
      List.of(
          new Metric("mean", "ms", slice -> slice.outcome().latencies().meanMillis()),
          new Metric("p50", "ms", slice -> slice.outcome().latencies().millis(50)),
          new Metric("p99", "ms", slice -> slice.outcome().latencies().millis(99)),
          new Metric("p999", "ms", slice -> slice.outcome().latencies().millis(99.9)),
          new Metric("p9999", "ms", slice -> slice.outcome().latencies().millis(99.99)),
          new Metric("max", "ms", slice -> slice.outcome().latencies().maxMillis()),
          new Metric("answered", "requests/s", slice -> slice.outcome().perSecond()),
          new Metric("unanswered", "requests", slice -> slice.outcome().unanswered()),
          new Metric("cpu", "us/request", Slice::cpuMicros),
          new Metric("client_cpu", "us/request", Slice::clientMicros));

  private final Options options;
  private final Results results;
  private final Fork client;
  private final int keys;
  private final Map<String, Integer> ratesOfMany = new LinkedHashMap<>();
  private final Map<String, EntitySlices> many = new LinkedHashMap<>();
  private final Table rates =
      new Table(2, "system", "method", "nodes", "all at once/s", "p99<5ms/s");
  private final Table latencies =
      new Table(
          2,
          "system",
          "method",
          "nodes",
          "rate",
          "answered/s",
          "mean ms",
          "p50",
          "p99",
          "p99.9",
          "p99.99",
          "max",
          "CPU us",
          "client us");
  private long errors;
  private String firstError = "";

  /** A system that takes turns with the other one, and what it has shown. */
  private record Contender(ServedCluster cluster, EntitySlices slices) {}

  /** A figure of a slice. */
  private record Metric(String name, String unit, ToDoubleFunction<Slice> of) {}

  EntityTrials(Options options, Results results, Fork client) {
    this.options = options;
    this.results = results;
    this.client = client;
    this.keys = options.quick() ? 10_000 : 40_000;
  }

  /** Measures everything; five nodes first, because their rates are asked of two nodes as well. */
  void run() {
    for (int nodes : new int[] {MANY, FEW}) {
      List<ServedCluster> clusters = new ArrayList<>();
      try {
        for (String system : HttpComparison.SYSTEMS) {
          if (options.includes(system)) {
            clusters.add(
                new ServedCluster(
                    new ServedCluster.Shape(
                        system, nodes, OWNERS, HEAP_MEGABYTES, HEAP_MEGABYTES / 2)));
          }
        }
        clusters.forEach(this::warmUp);
        for (boolean put : new boolean[] {true, false}) {
          measure(clusters, nodes, work(put));
        }
      } finally {
        clusters.forEach(ServedCluster::close);
      }
    }
  }

  /** What was wrong with answers; empty if nothing was. */
  String failure() {
    return errors == 0 ? "" : errors + " answers were wrong, the first one: " + firstError;
  }

  /** The tables. */
  @Override
  public String toString() {
    return rates + System.lineSeparator() + latencies;
  }

  private LoadPlan.Work work(boolean put) {
    return new LoadPlan.Work(put, false, keys, VALUE_BYTES, HIT_PERCENT, "");
  }

  private void measure(List<ServedCluster> clusters, int nodes, LoadPlan.Work work) {
    String method = work.method();
    int ofCourse = CourseFigures.rate(method);
    int rate = ofCourse;
    boolean atRateOfCourse = false;
    for (ServedCluster cluster : clusters) {
      int most = allAtOnce(cluster, work, keys);
      int held = highest(cluster, work, most);
      if (cluster.system().equals(HttpComparison.HEADRACE) && nodes == FEW) {
        results.ratio(method.toLowerCase(Locale.ROOT) + "_rate", held);
      }
      atRateOfCourse |= cluster.system().equals(HttpComparison.HEADRACE) && held >= ofCourse;
      if (cluster.system().equals(HttpComparison.PROXY) || clusters.size() == 1) {
        int bearable = held == 0 ? most / RELIEF : held;
        rate = Math.max(RateSearch.GRAIN, Math.min(rate, bearable)); // the proxy's decides
      }
    }
    Map<String, EntitySlices> bySystem = inTurns(clusters, work, rate, options.rounds());
    course(method, nodes);
    if (atRateOfCourse && rate < ofCourse && !options.quick()) {
      inTurns(only(HttpComparison.HEADRACE, clusters), work, ofCourse, options.rounds());
    }
    compare(method, nodes, bySystem);
    if (nodes == MANY) {
      ratesOfMany.put(method, rate);
      bySystem.forEach((system, slices) -> many.put(system + method, slices));
    } else {
      compareWithMany(clusters, work, rate, bySystem);
    }
    if (!work.put() && !options.quick()) {
      // A read of one replica is no majority, but the least that nodes that proxy could do.
      inTurns(only(HttpComparison.PROXY, clusters), work.withQuery("&ack=1&from=2"), rate, 1);
    }
  }

  // ---- The highest rates

  /** Writes all entries, then writes and reads until the nodes' compilers have little to do. */
  private void warmUp(ServedCluster cluster) {
    allAtOnce(cluster, work(true).inTurn(true), keys);
    int mostSeconds = WarmUp.mostSeconds(options.quick());
    WarmUp.untilCompiled(
        cluster::compilationMillis,
        options.quick() ? mostSeconds : mostSeconds * cluster.nodes() / FEW,
        () -> {
          allAtOnce(cluster, work(true), WARM_REQUESTS);
          allAtOnce(cluster, work(false), WARM_REQUESTS);
        });
  }

  /** Answers per second when every connection asks as soon as it can. */
  private int allAtOnce(ServedCluster cluster, LoadPlan.Work work, int requests) {
    RequestSchedule schedule = new RequestSchedule(0, CONNECTIONS, requests);
    LoadOutcome outcome = load(new LoadPlan(cluster.port(), work, schedule));
    note(outcome);
    return (int) outcome.perSecond();
  }

  private int highest(ServedCluster cluster, LoadPlan.Work work, int most) {
    int millis = options.quick() ? 1_000 : 1_500;
    int held =
        new RateSearch(most, options.quick() ? 3 : 5)
            .highest(rate -> isHeld(cluster, work, rate, millis));
    while (!options.quick() && held > 0 && !isHeld(cluster, work, held, TURN_MILLIS)) {
      held -= held / STEPS_DOWN;
      held = held < RateSearch.GRAIN ? 0 : held;
    }
    Map<String, String> parameters =
        Map.of("method", work.method(), "nodes", String.valueOf(cluster.nodes()));
    results.add("all_at_once", cluster.system(), parameters, "requests/s", most);
    results.add("highest_rate", cluster.system(), parameters, "requests/s", held);
    rates.row(cluster.system(), work.method(), cluster.nodes(), most, held);
    return held;
  }

  private boolean isHeld(ServedCluster cluster, LoadPlan.Work work, int rate, int millis) {
    return load(plan(cluster, work, rate, millis)).isWithin(HELD_P99_MILLIS);
  }

  private static LoadPlan plan(ServedCluster cluster, LoadPlan.Work work, int rate, int millis) {
    return new LoadPlan(cluster.port(), work, RequestSchedule.lasting(rate, CONNECTIONS, millis));
  }

  private LoadOutcome load(LoadPlan plan) {
    return LoadOutcome.of(client.ask(plan.command()));
  }

  private void note(LoadOutcome outcome) {
    errors += outcome.errors();
    if (firstError.isEmpty()) {
      firstError = outcome.firstError();
    }
  }

  // ---- Latencies

  private Map<String, EntitySlices> inTurns(
      List<ServedCluster> clusters, LoadPlan.Work work, int rate, int rounds) {
    List<Contender> contenders = new ArrayList<>();
    clusters.forEach(cluster -> contenders.add(new Contender(cluster, new EntitySlices())));
    int millis = options.quick() ? 3_000 : TURN_MILLIS;
    for (int round = 0; round < rounds; round++) {
      for (Contender contender : contenders) {
        contender
            .slices()
            .add(slice(contender.cluster(), plan(contender.cluster(), work, rate, millis)));
      }
      Collections.reverse(contenders);
    }
    Map<String, EntitySlices> bySystem = new LinkedHashMap<>();
    for (Contender contender : contenders) {
      report(
          contender.cluster(), plan(contender.cluster(), work, rate, millis), contender.slices());
      bySystem.put(contender.cluster().system(), contender.slices());
    }
    return bySystem;
  }

  private static List<ServedCluster> only(String system, List<ServedCluster> clusters) {
    return clusters.stream().filter(cluster -> cluster.system().equals(system)).toList();
  }

  private Slice slice(ServedCluster cluster, LoadPlan plan) {
    double before = cluster.cpuSeconds();
    LoadOutcome outcome = load(plan);
    double cpuSeconds = cluster.cpuSeconds() - before;
    note(outcome);
    return new Slice(outcome, cpuSeconds);
  }

  private void report(ServedCluster cluster, LoadPlan plan, EntitySlices slices) {
    Map<String, String> parameters = new TreeMap<>(plan.parameters());
    parameters.put("nodes", String.valueOf(cluster.nodes()));
    String system = cluster.system();
    for (Metric metric : METRICS) {
      double[] samples = slices.samples(metric.of());
      results.add("entity_" + metric.name(), system, parameters, metric.unit(), samples);
    }
    String label = plan.work().query().isEmpty() ? system : system + " " + plan.work().query();
    LatencyHistogram all = slices.all();
    latencies.row(
        label,
        plan.work().method(),
        cluster.nodes(),
        plan.schedule().perSecond(),
        rounded(0, Samples.median(slices.samples(slice -> slice.outcome().perSecond()))),
        rounded(2, all.meanMillis()),
        rounded(2, all.millis(50)),
        rounded(2, all.millis(99)),
        rounded(2, all.millis(99.9)),
        rounded(2, all.millis(99.99)),
        rounded(2, all.maxMillis()),
        rounded(1, slices.cpuMicros()),
        rounded(1, Samples.median(slices.samples(Slice::clientMicros))));
  }

  /** Sets what the course has measured beside it. */
  private void course(String method, int nodes) {
    int rate = CourseFigures.rate(method);
    List<String> figures = CourseFigures.millis(method, nodes);
    Map<String, String> parameters =
        Map.of("method", method, "nodes", String.valueOf(nodes), "rate", String.valueOf(rate));
    for (int i = 0; i < figures.size(); i++) {
      Metric metric = METRICS.get(i);
      double figure = Double.parseDouble(figures.get(i));
      results.add("entity_" + metric.name(), "course", parameters, metric.unit(), figure);
    }
    List<Object> cells = new ArrayList<>();
    cells.addAll(List.of("course, its machine", method, nodes, rate, rate));
    cells.addAll(figures);
    cells.addAll(List.of("-", "-"));
    latencies.row(cells.toArray());
  }

  private static String rounded(int digits, double number) {
    return String.format(Locale.ROOT, "%." + digits + "f", number);
  }

  // ---- Ratios

  private void compare(String method, int nodes, Map<String, EntitySlices> bySystem) {
    EntitySlices own = bySystem.get(HttpComparison.HEADRACE);
    EntitySlices proxy = bySystem.get(HttpComparison.PROXY);
    if (own == null || proxy == null) {
      return;
    }
    String cell = method.toLowerCase(Locale.ROOT) + "_" + nodes + "_";
    worst("p99_vs_proxy", cell, own.millis(99) / proxy.millis(99));
    worst("p999_vs_proxy", cell, own.millis(99.9) / proxy.millis(99.9));
    worst("cpu_vs_proxy", cell, own.cpuMicros() / proxy.cpuMicros());
  }

  private void worst(String key, String cell, double ratio) {
    results.raise(key, ratio);
    results.ratio(cell + key, ratio);
  }

  private void compareWithMany(
      List<ServedCluster> clusters, LoadPlan.Work work, int rate, Map<String, EntitySlices> few) {
    EntitySlices ofMany = many.get(HttpComparison.HEADRACE + work.method());
    int rateOfMany = ratesOfMany.getOrDefault(work.method(), rate);
    List<ServedCluster> own = only(HttpComparison.HEADRACE, clusters);
    Map<String, EntitySlices> same =
        rateOfMany == rate ? few : inTurns(own, work, rateOfMany, options.rounds());
    EntitySlices ofFew = same.get(HttpComparison.HEADRACE);
    if (ofMany != null && ofFew != null) {
      worst(
          "five_vs_two_p999",
          work.method().toLowerCase(Locale.ROOT) + "_",
          ofMany.millis(99.9) / ofFew.millis(99.9));
    }
  }
}
