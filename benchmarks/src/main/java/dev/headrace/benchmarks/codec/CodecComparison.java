package dev.headrace.benchmarks.codec;

import dev.headrace.benchmarks.harness.BuildFolder;
import dev.headrace.benchmarks.harness.JmhCell;
import dev.headrace.benchmarks.harness.JmhRounds;
import dev.headrace.benchmarks.harness.JmhSchedule;
import dev.headrace.benchmarks.harness.Options;
import dev.headrace.benchmarks.harness.Results;
import dev.headrace.benchmarks.harness.Samples;
import dev.headrace.benchmarks.harness.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;

/**
 * {@code benchmarks/run codec}: the record codec beside Kryo and Jackson, on the order record of
 * the guide to codecs.
 *
 * <p>A ratio of speed is the median over the rounds of the ratio within one round; one of size is
 * our bytes over theirs, on average over the objects.
 */
public final class CodecComparison {

  /** A library, and which subject of the benchmark it is. */
  private record Library(String name, String subject) {}

  private static final Library HEADRACE = new Library("headrace", CodecSubject.ORDER);

  private static final List<Library> LIBRARIES =
      List.of(
          HEADRACE,
          new Library("kryo", CodecSubject.ORDER + "-kryo"),
          new Library("jackson", CodecSubject.ORDER + "-json"),
          new Library("jackson-cbor", CodecSubject.ORDER + "-cbor"),
          new Library("jackson-smile", CodecSubject.ORDER + "-smile"));

  private static final List<String> QUESTIONS = List.of("encode", "decode");

  private static final List<String> KEYS =
      List.of(
          "encode_vs_kryo",
          "decode_vs_kryo",
          "size_vs_kryo",
          "encode_vs_jackson",
          "decode_vs_jackson",
          "size_vs_jackson");

  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private final Options options;
  private final Results results;
  private final Table table =
      new Table(2, "question", "system", "objects/ms", "B allocated", "B encoded");

  private CodecComparison(Options options) {
    this.options = options;
    this.results = new Results("codec", options.quick());
  }

  /** Runs the comparison; see {@code benchmarks/run}. */
  public static void main(String[] arguments) {
    new CodecComparison(Options.parse(arguments, LIBRARIES.stream().map(Library::name).toList()))
        .run();
  }

  private static JmhCell cell(Library library, String question) {
    return new JmhCell(CodecBenchmark.class, question, 1, Map.of("codec", library.subject()));
  }

  private static double averageBytes(Library library) {
    return new EncodedObjects<>(CodecSubject.of(library.subject())).averageBytes();
  }

  private void run() {
    results.version("kryo", BuildFolder.library("kryo"));
    results.version("jackson", BuildFolder.library("jackson-databind"));
    List<Library> measured =
        LIBRARIES.stream().filter(library -> options.includes(library.name())).toList();
    List<JmhCell> cells = new ArrayList<>();
    for (Library library : measured) {
      QUESTIONS.forEach(question -> cells.add(cell(library, question)));
    }
    JmhSchedule schedule =
        options.quick() ? new JmhSchedule(4, 500, 3, 500) : new JmhSchedule(5, 1000, 5, 1000);
    try (JmhRounds rounds = new JmhRounds(results, options)) {
      rounds.profile(GCProfiler.class);
      rounds.measure(options.rounds(), cells, cell -> schedule);
      for (String question : QUESTIONS) {
        measured.forEach(library -> report(rounds, question, library));
      }
      measured.forEach(library -> draw(rounds, library));
      rounds.write(options.jmhOutput());
    }
    System.out.println(table);
    results.end(options.output(), KEYS);
  }

  private void report(JmhRounds rounds, String question, Library library) {
    JmhCell cell = cell(library, question);
    double[] perMicrosecond = rounds.scores(cell);
    double[] allocated = rounds.secondary(cell, ALLOCATED);
    if (perMicrosecond.length == 0 || allocated.length == 0) {
      return; // every fork failed
    }
    results.add(question, library.name(), Map.of(), "objects/us", perMicrosecond);
    results.add(question + "_allocated", library.name(), Map.of(), "B", allocated);
    table.row(
        question,
        library.name(),
        decimal(1000 * Samples.median(perMicrosecond)),
        decimal(Samples.median(allocated)),
        decimal(averageBytes(library)));
  }

  private void draw(JmhRounds rounds, Library library) {
    double bytes = averageBytes(library);
    results.add("size", library.name(), Map.of(), "B", bytes);
    if (library.equals(HEADRACE) || !options.includes(HEADRACE.name())) {
      return;
    }
    for (String question : QUESTIONS) {
      results.ratio(
          question + "_vs_" + library.name(),
          rounds.ratio(cell(HEADRACE, question), cell(library, question)));
    }
    results.ratio("size_vs_" + library.name(), averageBytes(HEADRACE) / bytes);
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
