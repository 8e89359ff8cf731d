package dev.headrace.benchmarks.tables;

import dev.headrace.benchmarks.conditions.Condition;
import dev.headrace.benchmarks.peer.run.Contender;
import dev.headrace.benchmarks.tables.ResultFile.Row;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Writes the tables of figures into a page, between {@code <!-- results: NAME -->} and {@code <!--
 * end of results -->}. What was not measured has no row, or a dash.
 */
public final class PageTables {

  /** A table on a page: its name, and all that stands there now. */
  private static final Pattern PLACE =
      Pattern.compile(
          "(<!-- results: ([a-z-]+) -->\n).*?(\n<!-- end of results -->)", Pattern.DOTALL);

  private static final String BEST = "best";

  private final ResultFile iteration;
  private final ResultFile operations;
  private final ResultFile migration;
  private final ResultFile conditions;
  private final Map<String, Supplier<String>> tables = new LinkedHashMap<>();

  /** Reads the results of this folder. */
  public PageTables(Path results) {
    iteration = new ResultFile(results.resolve("iteration.json"));
    operations = new ResultFile(results.resolve("operations.json"));
    migration = new ResultFile(results.resolve("migration.json"));
    conditions = new ResultFile(results.resolve("conditions.json"));
    tables.put("walks", this::walks);
    tables.put("one-reader", this::oneReader);
    tables.put("limits", this::limits);
    tables.put("operations", this::operationsTable);
    tables.put("migration", this::migrationTable);
    tables.put("conditions", this::conditionsTable);
    tables.put("committed", () -> new CommittedResults(results).toString());
  }

  /** Brings a page up to date; its arguments are the folder with the results, and pages. */
  public static void main(String[] arguments) throws IOException {
    PageTables tables = new PageTables(Path.of(arguments[0]));
    for (int i = 1; i < arguments.length; i++) {
      Path page = Path.of(arguments[i]);
      Files.writeString(page, tables.filled(Files.readString(page)));
    }
  }

  /**
   * The page with all its tables made anew.
   *
   * @throws IllegalArgumentException if it asks for a table that there is not
   */
  public String filled(String page) {
    return PLACE
        .matcher(page)
        .replaceAll(
            place -> Matcher.quoteReplacement(place.group(1) + table(place) + place.group(3)));
  }

  private String table(MatchResult place) {
    Supplier<String> table = tables.get(place.group(2));
    if (table == null) {
      throw new IllegalArgumentException(
          "There is no table \"" + place.group(2) + "\"; there are " + tables.keySet());
    }
    return table.get();
  }

  /** The names of a page's tables. */
  public static List<String> names(Path page) {
    try {
      return PLACE
          .matcher(Files.readString(page))
          .results()
          .map(place -> place.group(2))
          .collect(Collectors.toList());
    } catch (IOException e) {
      throw new UncheckedIOException("The page cannot be read: " + page, e);
    }
  }

  private String walks() {
    PipeTable table =
        new PipeTable(
            "a walk over the whole cache",
            "Headrace",
            "Infinispan " + iteration.version("infinispan"),
            "");
    walk(table, "100-byte values, each at its defaults", 100, "0", "vs_infinispan_default");
    for (int bytes : List.of(10, 100, 1000)) {
      String text = bytes + "-byte values, batches of 4096";
      walk(table, text, bytes, "4096", "vs_infinispan_same_batch_" + bytes);
    }
    for (int bytes : List.of(100, 1000)) {
      String text = bytes + "-byte values, each at its best batch";
      walk(table, text, bytes, BEST, "vs_infinispan_best_" + bytes);
    }
    return table.toString();
  }

  private void walk(PipeTable table, String text, int bytes, String batch, String ratio) {
    boolean usual = batch.equals("0");
    Predicate<Row> cells =
        walks(bytes, 4)
            .and(row -> row.has("rehashAware", true))
            .and(row -> batch.equals(BEST) || row.has("batchSize", batch))
            .and(row -> !usual || row.has("distribution", "parallel"));
    // As in the ratios: Infinispan in the better of its two modes, Headrace in its usual one.
    double ours =
        best(cells.and(of(Contender.HEADRACE)).and(row -> row.has("distribution", "parallel")));
    double theirs = best(cells.and(of(Contender.INFINISPAN)));
    table.row(text, thousands(ours), thousands(theirs), times(iteration.ratio(ratio)));
  }

  private static Predicate<Row> walks(int bytes, int threads) {
    return row ->
        row.has("question", "iterate")
            && row.has("entries", 50_000)
            && row.has("valueBytes", bytes)
            && row.has("threads", threads)
            && row.has("vantage", "owner");
  }

  private static Predicate<Row> of(Contender system) {
    return row -> row.has("system", system.label());
  }

  /** The best of the cells, each with its median over the rounds; NaN if there is none. */
  private double best(Predicate<Row> which) {
    Map<Map<String, String>, List<Row>> cells = cells(which);
    return cells.keySet().stream()
        .mapToDouble(cell -> iteration.median(row -> row.fields().equals(cell)))
        .max()
        .orElse(Double.NaN);
  }

  /** Rows by their cell: rounds that were noted one by one have other means. */
  private Map<Map<String, String>, List<Row>> cells(Predicate<Row> which) {
    return iteration.rows(which).stream()
        .collect(Collectors.groupingBy(Row::fields, LinkedHashMap::new, Collectors.toList()));
  }

  private String oneReader() {
    PipeTable table =
        new PipeTable("system", "its best", "guarantee", "thousand entries/s", "Headrace is ahead");
    double ours = best(oneReader(Contender.HEADRACE));
    for (Contender system : Contender.values()) {
      List<Row> rows = iteration.rows(oneReader(system));
      double best = best(oneReader(system));
      rows.stream()
          .filter(row -> iteration.median(r -> r.fields().equals(row.fields())) == best)
          .findFirst()
          .ifPresent(
              row ->
                  table.row(
                      name(system, iteration),
                      how(row),
                      row.field("guarantee"),
                      thousands(best),
                      system == Contender.HEADRACE ? "" : times(ours / best)));
    }
    return table.toString();
  }

  private static Predicate<Row> oneReader(Contender system) {
    return walks(100, 1)
        .and(of(system))
        .and(row -> !system.hasDistributions() || row.has("rehashAware", true));
  }

  private static String how(Row row) {
    String way = row.field("way").replace('-', ' ');
    String batch = row.has("batchSize", 0) ? "" : ", " + row.field("batchSize") + " at a time";
    return way + (row.has("distribution", "sequential") ? ", sequential" : "") + batch;
  }

  private static String name(Contender system, ResultFile results) {
    String label =
        switch (system) {
          case HEADRACE, HEADRACE_TLS -> "Headrace";
          case INFINISPAN -> "Infinispan";
          case HAZELCAST -> "Hazelcast";
          case REDIS -> "Redis";
          case REDIS_CLUSTER -> "Redis, cluster of three";
          case IGNITE -> "Ignite";
          case COHERENCE -> "Coherence CE";
        };
    boolean ours = system == Contender.HEADRACE || system == Contender.REDIS_CLUSTER;
    return ours ? label : label + " " + results.version(system.label());
  }

  private String limits() {
    PipeTable table = new PipeTable("the same walks, beside limits", "");
    table.row(
        "remote segments only, share of a bare socket loop with as many readers: one, four",
        decimal(iteration.ratio("wire_share_threads_1"))
            + ", "
            + decimal(iteration.ratio("wire_share_threads_4")));
    table.row(
        "exactly once, share of at most once's rate",
        decimal(iteration.ratio("exactly_once_share")));
    table.row(
        "entries buffered or in flight, share of the batch size",
        decimal(iteration.ratio("max_buffered_share")));
    table.row(
        "bytes allocated, over those of the decoded objects",
        decimal(iteration.ratio("alloc_share")));
    table.row(
        "time to the first entry, 99th percentile",
        tenths(iteration.ratio("first_entry_p99_ms")) + " ms");
    return table.toString();
  }

  private String operationsTable() {
    List<Contender> systems = systemsOf(operations);
    PipeTable table = beside("operations/s", operations, systems);
    for (String operation : List.of("get", "put")) {
      for (String vantage : List.of("owner", "remote-only")) {
        for (int threads : List.of(1, 16)) {
          table.row(operationsRow(systems, operation, vantage, threads).toArray(String[]::new));
        }
      }
    }
    return table.toString();
  }

  private static List<Contender> systemsOf(ResultFile results) {
    return List.of(Contender.values()).stream()
        .filter(system -> !results.rows(of(system)).isEmpty())
        .toList();
  }

  /** A table with a column for each system. */
  private static PipeTable beside(String what, ResultFile results, List<Contender> systems) {
    List<String> header = new ArrayList<>(List.of(what));
    systems.forEach(system -> header.add(name(system, results)));
    header.add("against the best Java peer");
    return new PipeTable(header.toArray(String[]::new));
  }

  private List<String> operationsRow(
      List<Contender> systems, String operation, String vantage, int threads) {
    String from = vantage.equals("owner") ? "a data node" : "a member without data";
    String count = threads == 1 ? "1 thread" : threads + " threads";
    List<String> cells = new ArrayList<>(List.of(operation + ", " + count + ", from " + from));
    double least = Double.POSITIVE_INFINITY;
    for (Contender system : systems) {
      double rate =
          operations.median(
              of(system)
                  .and(row -> row.has("question", operation))
                  .and(row -> row.has("vantage", vantage))
                  .and(row -> row.has("threads", threads)));
      cells.add(hundreds(rate));
      String key = (vantage.equals("owner") ? "" : "remote_") + operation + "_vs_" + system.label();
      double ratio = operations.ratio(key + "_" + threads);
      if (system.isEmbedded() && !Double.isNaN(ratio)) {
        least = Math.min(least, ratio);
      }
    }
    cells.add(times(least));
    return cells;
  }

  private String migrationTable() {
    PipeTable table =
        new PipeTable("ten members join with 10,000 segments (no load beside, unless said)", "");
    table.row(
        "63,000 replicas of seven owners: moves per second, against Hazelcast "
            + migration.version("hazelcast")
            + " in the same run",
        times(migration.ratio("vs_hazelcast")));
    table.row(
        "the same with whole tables published instead of changes",
        String.format(Locale.ROOT, "%.0f × slower", migration.ratio("vs_full_table")));
    table.row(
        "moves on a join, a leave, a crash, over the fewest possible",
        decimal(
            Math.max(
                migration.ratio("moves_over_bound"), migration.ratio("crash_moves_over_bound"))));
    table.row(
        "bytes published per move and recipient", tenths(migration.ratio("bytes_per_migration")));
    table.row(
        "longest write at a hand-over, 99th percentile, worst size of segment",
        tenths(migration.ratio("pause_p99_ms")) + " ms");
    table.row(
        "from a decision to its use on all members, 99th percentile, worst case",
        tenths(migration.ratio("publish_lag_p99_ms")) + " ms");
    table.row(
        "streams while segments move, share of the quiet rate",
        decimal(migration.ratio("stream_share")));
    return table.toString();
  }

  private String conditionsTable() {
    List<Contender> systems = systemsOf(conditions);
    PipeTable table = beside("entries/s, or operations/s", conditions, systems);
    for (Condition condition : Condition.values()) {
      List<String> cells = new ArrayList<>(List.of(condition.description()));
      double least = Double.POSITIVE_INFINITY;
      for (Contender system : systems) {
        Predicate<Row> cell = of(system).and(row -> row.has("question", condition.label()));
        cells.add(significant(conditions.median(cell)));
        double ratio = conditions.ratio(condition.label() + "_vs_" + system.label());
        if (system.isEmbedded() && !Double.isNaN(ratio)) {
          least = Math.min(least, ratio);
        }
      }
      cells.add(times(least));
      table.row(cells.toArray(String[]::new));
    }
    return table.toString();
  }

  /** Three digits of a rate count. */
  private static String significant(double rate) {
    return Double.isNaN(rate)
        ? "–"
        : grouped(new BigDecimal(rate).round(new MathContext(3)).longValue());
  }

  private static String thousands(double rate) {
    return Double.isNaN(rate) ? "–" : grouped(Math.round(rate / 10_000) * 10);
  }

  private static String hundreds(double rate) {
    return Double.isNaN(rate) ? "–" : grouped(Math.round(rate / 100) * 100);
  }

  private static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String times(double ratio) {
    return Double.isNaN(ratio) || Double.isInfinite(ratio)
        ? "–"
        : String.format(Locale.ROOT, ratio < 20 ? "%.1f ×" : "%.0f ×", ratio);
  }

  private static String decimal(double value) {
    return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%.2f", value);
  }

  private static String tenths(double value) {
    return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%.1f", value);
  }
}
