package dev.headrace.cli;

import static java.util.Objects.requireNonNull;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.error.IngestException;
import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.SinkSubscriber;
import dev.headrace.cli.cluster.CacheOptions;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.file.EntrySource;
import dev.headrace.cli.file.FileFormat;
import dev.headrace.cli.file.MalformedTextException;
import dev.headrace.cli.file.RejectedRecords;
import dev.headrace.cli.load.BadRecords;
import dev.headrace.cli.load.LoadJournal;
import dev.headrace.cli.load.LoadProgress;
import dev.headrace.cli.load.LoadRecords;
import dev.headrace.cli.progress.CommandProgress;
import dev.headrace.cli.progress.Figures;
import dev.headrace.cli.progress.ProgressDisplay;
import dev.headrace.cli.progress.ProgressOption;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.FailureText;
import dev.headrace.cli.terminal.Terminal;
import dev.headrace.cluster.node.HeadraceNode;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Loads a file into a cache. */
@Command(
    name = "load",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Loads a CSV, TSV or NDJSON file, in UTF-8, into a cache.",
      "The text of one field becomes the key. The whole record becomes the value, a "
          + "string with a JSON object; in Java: cache(NAME, String.class, String.class). The "
          + "first line of CSV and TSV names the fields; their values become JSON strings, "
          + "numbers too. A record replaces an earlier one with the same key.",
      "A record that is malformed, or cannot be written, ends the load, unless there is "
          + "--skip-bad or --rejects; the records before it stay loaded.",
      "With --resume a load that has failed, was stopped, or died with its machine goes on when the"
          + " same command is given again."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headrace load people.csv --key id --cache people",
      "  headrace load people.csv --key id --rejects rejects.ndjson",
      "  headrace load people.csv --key id --resume people.progress",
      "  zcat events.ndjson.gz | headrace load - --format ndjson --key event_id"
    })
final class LoadCommand implements Callable<Integer> {
  private static final Duration PROGRESS = Duration.ofMillis(100);
  private static final long STOP_SECONDS = 20;
  private static final long PART_NANOS = 1_000_000_000L; // of a load that can go on

  private final Terminal terminal;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "FILE", description = "The file, or - for standard input.")
  private String file = "";

  @Option(
      names = {"-k", "--key"},
      required = true,
      paramLabel = "FIELD",
      description = "The field whose text becomes the key.")
  private String keyField = "";

  @Option(
      names = {"-f", "--format"},
      paramLabel = "FORMAT",
      description = "One of ${COMPLETION-CANDIDATES} (from the file's extension).")
  private @Nullable FileFormat format;

  @Option(
      names = "--separator",
      paramLabel = "CHAR",
      description = "CSV: the character that separates fields, such as ';' (a comma).")
  private @Nullable Character separator;

  @Option(
      names = "--skip-bad",
      description = {
        "Goes on after a record that is malformed or cannot be written, such as one that is too"
            + " large,",
        "and names the first 20 of these."
      })
  private boolean skipBad;

  @Option(
      names = "--rejects",
      paramLabel = "FILE",
      description = {
        "As --skip-bad, and puts each of these records into this file: a JSON object a line, with",
        "line, reason and record, and the column or the key."
      })
  private @Nullable Path rejects;

  @Option(
      names = "--resume",
      paramLabel = "FILE",
      description = {
        "Keeps in this file how far the load has come, and goes on there if the file is there.",
        "It is deleted when all is loaded."
      })
  private @Nullable Path resume;

  @Mixin private CacheOptions cache = new CacheOptions();
  @Mixin private ProgressOption progressOption = new ProgressOption();
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  LoadCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws CommandFailure {
    FileFormat fileFormat = fileFormat();
    checkSeparator(fileFormat);
    Stop stop = new Stop();
    // Opened before the cluster is joined, so that a wrong path fails at once.
    try (InputStream in = open()) {
      EntrySource source = EntrySource.open(in, fileFormat, separator, keyField);
      checkFiles();
      try (var registration = terminal.interrupts().onInterrupt(stop::now);
          Headrace node = cluster.join()) {
        LoadProgress before = before(target(fileFormat, node));
        try (RejectedRecords rejected = openRejects(before)) {
          BadRecords bad =
              skipBad || rejected != null
                  ? new BadRecords(source, rejected, before.failed())
                  : null;
          LoadRecords records = new LoadRecords(source, bad);
          records.skip(before);
          return load(records, before.target(), cache.openToLoad(node), bad, stop);
        }
      }
    } catch (MalformedTextException e) {
      throw malformed(e, 0);
    } catch (IOException e) {
      throw FailureText.file(fileName(), e);
    } finally {
      stop.ended.countDown();
    }
  }

  private FileFormat fileFormat() {
    if (format != null) {
      return format;
    }
    return FileFormat.ofFile(file)
        .orElseThrow(
            () ->
                new ParameterException(
                    spec.commandLine(),
                    "the format of "
                        + fileName()
                        + " cannot be told from its name; add --format csv, tsv or ndjson"));
  }

  private void checkSeparator(FileFormat fileFormat) {
    if (separator == null) {
      return;
    }
    if (fileFormat != FileFormat.CSV) {
      throw new ParameterException(spec.commandLine(), "--separator works with CSV only");
    }
    if (separator == '"' || separator == '\n' || separator == '\r') {
      throw new ParameterException(
          spec.commandLine(), "--separator must not be a quote or a line break");
    }
  }

  private InputStream open() throws IOException {
    if (!file.equals("-")) {
      return Files.newInputStream(Path.of(file));
    }
    return new FilterInputStream(terminal.in()) {
      @Override
      public void close() {
        // Standard input is not ours to close.
      }
    };
  }

  private void checkFiles() throws CommandFailure, IOException {
    Path loaded = file.equals("-") ? null : Path.of(file);
    if (isSame(resume, loaded)) {
      throw new ParameterException(
          spec.commandLine(), "--resume must be another file than the one that is loaded");
    }
    if (isSame(rejects, loaded) || isSame(rejects, resume)) {
      throw new ParameterException(
          spec.commandLine(),
          "--rejects must be another file than the one that is loaded, and than --resume");
    }
    if (rejects == null) {
      return;
    }
    Path folder = rejects.toAbsolutePath().getParent();
    if (Files.isDirectory(rejects) || (folder != null && !Files.isDirectory(folder))) {
      throw FailureText.file(rejects.toString(), new NoSuchFileException(rejects.toString()));
    }
  }

  /** Whether two paths lead to one file, whatever they are written like. */
  private static boolean isSame(@Nullable Path one, @Nullable Path other) throws IOException {
    if (one == null || other == null) {
      return false;
    }
    return (Files.exists(one) && Files.exists(other))
        ? Files.isSameFile(one, other)
        : one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
  }

  private @Nullable RejectedRecords openRejects(LoadProgress before) throws CommandFailure {
    if (rejects == null) {
      return null;
    }
    try {
      return RejectedRecords.open(rejects, before.rejectedBytes());
    } catch (IOException e) {
      throw FailureText.file(rejects.toString(), e);
    }
  }

  /** What must be the same when a load goes on; a cluster that was started anew is another one. */
  private String target(FileFormat fileFormat, Headrace node) {
    return "cluster %s %x, cache %s, format %s%s, key %s%s"
        .formatted(
            node.settings().clusterName(),
            HeadraceNode.of(node).view().table().clusterId(),
            cache.name(),
            fileFormat,
            separator == null ? "" : " with " + (int) separator,
            keyField,
            rejects == null ? "" : ", rejects")
        .replaceAll("\\R", " ");
  }

  private LoadProgress before(String target) throws CommandFailure {
    if (resume == null) {
      return LoadProgress.none(target);
    }
    try {
      LoadProgress before = new LoadJournal(resume).read(target);
      if (before.records() > 0) {
        terminal.err().println("Going on behind " + Figures.count(before.records()) + " records");
      }
      return before;
    } catch (IOException e) {
      throw FailureText.file(resume.toString(), e);
    }
  }

  private int load(
      LoadRecords records,
      String target,
      Cache<String, String> loaded,
      @Nullable BadRecords bad,
      Stop stop)
      throws CommandFailure, IOException {
    CommandProgress progress = new CommandProgress(System.nanoTime());
    boolean complete;
    try {
      complete = parts(records, target, sink(loaded, progress, bad), progress, stop);
    } catch (CompletionException e) {
      throw failure(e.getCause() == null ? e : e.getCause(), progress);
    } finally {
      if (bad != null) {
        bad.tell(terminal.err());
      }
    }
    IOException unreadable = records.failure();
    if (complete && unreadable != null) {
      throw unreadable(unreadable, progress.entries());
    }
    return loaded(progress, records.failed(), complete);
  }

  /** Loads one part after the other. Returns false if it was stopped before the last. */
  private boolean parts(
      LoadRecords records,
      String target,
      CacheSink<String, String> sink,
      CommandProgress progress,
      Stop stop)
      throws CommandFailure, IOException {
    long totalBytes = file.equals("-") ? 0 : Files.size(Path.of(file));
    Runnable read = () -> progress.advance(records.bytesRead(), totalBytes);
    boolean complete;
    try (ProgressDisplay display =
        progressOption.show(progress, terminal.err(), terminal.redraws())) {
      do {
        progress.nextLoad();
        records.beginPart();
        IngestReport report = part(records, sink.subscriber(), read, stop);
        progress.loaded(report.total());
        complete = report.complete();
        if (complete) {
          note(records, target);
        }
      } while (complete && !records.isEnded() && records.failure() == null);
    }
    return complete;
  }

  /** Loads what comes next: everything, or about a second's worth if the load can go on. */
  private IngestReport part(
      LoadRecords records,
      SinkSubscriber<Map.Entry<String, String>> sink,
      Runnable read,
      Stop stop) {
    stop.with(sink::cancel);
    long end = System.nanoTime() + (resume == null ? Long.MAX_VALUE / 2 : PART_NANOS);
    entries(records, () -> System.nanoTime() - end >= 0, read).subscribe(sink);
    return sink.report().join();
  }

  /** Notes that all records so far are acknowledged. */
  private void note(LoadRecords records, String target) throws CommandFailure {
    if (resume == null) {
      return;
    }
    try {
      LoadJournal journal = new LoadJournal(resume);
      if (records.isEnded()) {
        journal.complete();
      } else {
        journal.write(records.acknowledged(target));
      }
    } catch (IOException e) {
      throw FailureText.file(resume.toString(), e);
    }
  }

  private int loaded(CommandProgress progress, long failed, boolean complete)
      throws CommandFailure {
    long nanos = progress.elapsedNanos(System.nanoTime());
    terminal
        .err()
        .println(
            (complete ? "Loaded " : "Stopped: loaded only the first ")
                + Figures.entries(progress.entries())
                + " into cache \""
                + cache.name()
                + "\" in "
                + Figures.durationAndRate(progress.entries(), nanos));
    if (!complete && resume != null) {
      terminal.err().println("The same command goes on there");
    }
    if (failed > 0) {
      throw new CommandFailure(
          fileName()
              + ": "
              + Figures.entries(failed)
              + " could not be loaded"
              + (rejects == null ? "" : "; see " + rejects));
    }
    return complete ? 0 : CommandFailure.INTERRUPTED;
  }

  private CacheSink<String, String> sink(
      Cache<String, String> target, CommandProgress progress, @Nullable BadRecords bad) {
    CacheSink<String, String> sink = target.sink().progress(PROGRESS, progress::loaded);
    if (bad == null) {
      return sink.stopAtFirstFailure();
    }
    // The records are kept as text, too, until they are acknowledged: so half as many.
    return sink.memoryBytes(CacheSink.DEFAULT_MEMORY_BYTES / 2)
        .failedRecords(0)
        .recordFailed(bad::failed)
        .recordEnded(bad::ended);
  }

  /** The file, read on a thread of its own as far as it is asked for, up to the end of a part. */
  private static Flowable<Map.Entry<String, String>> entries(
      LoadRecords records, BooleanSupplier partEnds, Runnable read) {
    return Flowable.<Map.Entry<String, String>>generate(
            emitter -> {
              Map.Entry<String, String> entry = records.next();
              if (entry != null) {
                emitter.onNext(entry);
              }
              if (entry == null || partEnds.getAsBoolean()) {
                emitter.onComplete();
              }
              read.run();
            })
        .subscribeOn(Schedulers.io());
  }

  private CommandFailure failure(Throwable failure, CommandProgress progress) {
    if (!(failure instanceof IngestException ended)) {
      return new CommandFailure(fileName() + ": " + FailureText.oneLine(failure), failure);
    }
    if (rejects != null && ended.getCause() instanceof UncheckedIOException unwritable) {
      return FailureText.file(rejects.toString(), requireNonNull(unwritable.getCause()));
    }
    IngestReport report = ended.report();
    if (report != null) {
      progress.loaded(report.total());
    }
    long loaded = report == null ? 0 : progress.entries();
    Throwable cause = ended.getCause();
    return new CommandFailure(
        "%s: stopped after %s. %s"
            .formatted(
                fileName(),
                Figures.entries(loaded),
                FailureText.oneLine(cause == null ? ended : cause)),
        ended);
  }

  /** Why the file cannot be read to its end; all before that place is loaded. */
  private CommandFailure unreadable(IOException e, long loaded) {
    return e instanceof MalformedTextException malformed
        ? malformed(malformed, loaded)
        : FailureText.file(fileName(), e);
  }

  private CommandFailure malformed(MalformedTextException e, long loaded) {
    return new CommandFailure(
        fileName()
            + ", line "
            + e.line()
            + ", column "
            + e.column()
            + ": "
            + e.getMessage()
            + "; "
            + before(loaded),
        e);
  }

  private static String before(long loaded) {
    if (loaded == 0) {
      return "nothing was loaded";
    }
    return loaded == 1
        ? "the entry before it was loaded"
        : Figures.entries(loaded) + " before it were loaded";
  }

  private String fileName() {
    return file.equals("-") ? "standard input" : file;
  }

  /** What an interrupt does. */
  private static final class Stop {
    private final CountDownLatch ended = new CountDownLatch(1);
    private boolean wanted; // guarded by this, as is what it does
    private @Nullable Runnable action;

    synchronized void with(Runnable whatToDo) {
      action = whatToDo;
      if (wanted) {
        whatToDo.run();
      }
    }

    private synchronized @Nullable Runnable want() {
      wanted = true;
      return action;
    }

    /** Stops, and waits for a while until that has come about. */
    void now() {
      Runnable cancel = want();
      if (cancel != null) {
        cancel.run();
      }
      try {
        var unused = ended.await(STOP_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
