package dev.headrace.cli;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.error.IngestException;
import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.FailedRecord;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.api.ingest.SinkSubscriber;
import dev.headrace.cli.cluster.CacheOptions;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.file.EntrySource;
import dev.headrace.cli.file.FileFormat;
import dev.headrace.cli.file.MalformedTextException;
import dev.headrace.cli.file.RejectedRecords;
import dev.headrace.cli.progress.CommandProgress;
import dev.headrace.cli.progress.Figures;
import dev.headrace.cli.progress.ProgressDisplay;
import dev.headrace.cli.progress.ProgressOption;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.FailureText;
import dev.headrace.cli.terminal.Terminal;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
      "A malformed record ends the load, unless there is --rejects; the records before it stay "
          + "loaded."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headrace load people.csv --key id --cache people",
      "  headrace load people.csv --key id --rejects rejects.ndjson",
      "  zcat events.ndjson.gz | headrace load - --format ndjson --key event_id"
    })
final class LoadCommand implements Callable<Integer> {
  private static final Duration PROGRESS = Duration.ofMillis(100);
  private static final int MOST_TOLD = 20; // records that could not be loaded
  private static final int MOST_REJECTED = 1_000_000; // that are named in the file for them
  private static final long STOP_SECONDS = 20;

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
      names = "--skip-failed",
      description = {
        "Goes on after a record that cannot be written, such as one that is too large,",
        "and names it. Without it the load ends there."
      })
  private boolean skipFailed;

  @Option(
      names = "--rejects",
      paramLabel = "FILE",
      description = {
        "Goes on after a record that is malformed or cannot be written, and puts it into this"
            + " file,",
        "a JSON object a line, with the reason: line, column and record, or the key."
      })
  private @Nullable Path rejects;

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
    try (InputStream in = open();
        RejectedRecords rejected = openRejects()) {
      EntrySource source = EntrySource.open(in, fileFormat, separator, keyField);
      try (var registration = terminal.interrupts().onInterrupt(stop::now);
          Headrace node = cluster.join()) {
        return load(source, cache.openToLoad(node), rejected, stop);
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

  private @Nullable RejectedRecords openRejects() throws CommandFailure {
    if (rejects == null) {
      return null;
    }
    if (rejects.equals(Path.of(file))) {
      throw new ParameterException(
          spec.commandLine(), "--rejects must be another file than the one that is loaded");
    }
    try {
      return RejectedRecords.open(rejects);
    } catch (IOException e) {
      throw FailureText.file(rejects.toString(), e);
    }
  }

  private int load(
      EntrySource source,
      Cache<String, String> target,
      @Nullable RejectedRecords rejected,
      Stop stop)
      throws CommandFailure, IOException {
    CommandProgress progress = new CommandProgress(System.nanoTime());
    long totalBytes = file.equals("-") ? 0 : Files.size(Path.of(file));
    SinkSubscriber<Map.Entry<String, String>> sink = sink(target, progress).subscriber();
    stop.with(sink::cancel);
    IngestReport report;
    try (ProgressDisplay display =
        progressOption.show(progress, terminal.err(), terminal.redraws())) {
      entries(source, rejected, () -> progress.advance(source.bytesRead(), totalBytes))
          .subscribe(sink);
      report = sink.report().join();
    } catch (CompletionException e) {
      throw failure(e.getCause() == null ? e : e.getCause());
    }
    progress.loaded(report.total());
    tellFailed(report, rejected);
    long nanos = progress.elapsedNanos(System.nanoTime());
    terminal
        .err()
        .println(
            (report.complete() ? "Loaded " : "Stopped: loaded only the first ")
                + Figures.entries(progress.entries())
                + " into cache \""
                + cache.name()
                + "\" in "
                + Figures.durationAndRate(progress.entries(), nanos));
    long failed = report.failed() + (rejected == null ? 0 : rejected.malformed());
    if (failed > 0) {
      throw new CommandFailure(
          fileName()
              + ": "
              + Figures.entries(failed)
              + " could not be loaded"
              + (rejects == null ? "" : "; see " + rejects));
    }
    return report.complete() ? 0 : CommandFailure.INTERRUPTED;
  }

  private CacheSink<String, String> sink(Cache<String, String> target, CommandProgress progress) {
    CacheSink<String, String> sink = target.sink().progress(PROGRESS, progress::loaded);
    if (rejects != null) {
      return sink.failedRecords(MOST_REJECTED);
    }
    return skipFailed ? sink.failedRecords(MOST_TOLD) : sink.stopAtFirstFailure();
  }

  /** The file, read on a thread of its own as far as it is asked for. */
  private static Flowable<Map.Entry<String, String>> entries(
      EntrySource source, @Nullable RejectedRecords rejected, Runnable read) {
    return Flowable.<Map.Entry<String, String>>generate(
            emitter -> {
              Map.Entry<String, String> entry = next(source, rejected);
              if (entry == null) {
                emitter.onComplete();
              } else {
                emitter.onNext(entry);
              }
              read.run();
            })
        .subscribeOn(Schedulers.io());
  }

  /** The next entry; what is malformed before it is rejected, if there is a file for that. */
  private static Map.@Nullable Entry<String, String> next(
      EntrySource source, @Nullable RejectedRecords rejected) throws IOException {
    while (true) {
      try {
        return source.next();
      } catch (MalformedTextException e) {
        if (rejected == null) {
          throw e;
        }
        rejected.add(e);
      }
    }
  }

  private void tellFailed(IngestReport report, @Nullable RejectedRecords rejected)
      throws IOException {
    if (rejected != null) {
      for (FailedRecord failed : report.failedRecords()) {
        rejected.add(failed.key(), FailureText.oneLine(failed.cause()));
      }
    }
    for (FailedRecord failed : report.failedRecords().stream().limit(MOST_TOLD).toList()) {
      terminal
          .err()
          .println(
              "Not loaded: key \"%s\": %s"
                  .formatted(failed.key(), FailureText.oneLine(failed.cause())));
    }
    long untold = report.failed() - Math.min(MOST_TOLD, report.failedRecords().size());
    if (untold > 0) {
      terminal.err().println("Not loaded: " + Figures.entries(untold) + " more");
    }
  }

  private CommandFailure failure(Throwable failure) {
    if (!(failure instanceof IngestException ended)) {
      return new CommandFailure(fileName() + ": " + FailureText.oneLine(failure), failure);
    }
    IngestReport report = ended.report();
    long loaded = report == null ? 0 : report.written() + report.total().present();
    Throwable cause = ended.getCause();
    if (cause instanceof MalformedTextException malformed) {
      return malformed(malformed, loaded);
    }
    if (cause instanceof IOException unreadable) {
      return FailureText.file(fileName(), unreadable);
    }
    return new CommandFailure(
        "%s: stopped after %s. %s"
            .formatted(
                fileName(),
                Figures.entries(loaded),
                FailureText.oneLine(cause == null ? ended : cause)),
        ended);
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
