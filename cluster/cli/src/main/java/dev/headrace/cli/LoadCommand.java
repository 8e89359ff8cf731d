package dev.headrace.cli;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.error.HeadraceException;
import dev.headrace.cli.cluster.CacheOptions;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.file.EntrySource;
import dev.headrace.cli.file.FileFormat;
import dev.headrace.cli.file.MalformedTextException;
import dev.headrace.cli.progress.CommandProgress;
import dev.headrace.cli.progress.Figures;
import dev.headrace.cli.progress.ProgressDisplay;
import dev.headrace.cli.progress.ProgressOption;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.FailureText;
import dev.headrace.cli.terminal.Terminal;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
      "A malformed record ends the load; the records before it stay loaded."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headrace load people.csv --key id --cache people",
      "  zcat events.ndjson.gz | headrace load - --format ndjson --key event_id"
    })
final class LoadCommand implements Callable<Integer> {
  private static final int BATCH_ENTRIES = 1_000;
  private static final int BATCH_CHARS = 1 << 20;
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
    CountDownLatch ended = new CountDownLatch(1);
    AtomicBoolean stopping = new AtomicBoolean();
    // Opened before the cluster is joined, so that a wrong path fails at once.
    try (InputStream in = open()) {
      EntrySource source = EntrySource.open(in, fileFormat, separator, keyField);
      try (var registration = terminal.interrupts().onInterrupt(() -> stop(stopping, ended));
          Headrace node = cluster.join()) {
        return load(source, cache.openToLoad(node), stopping);
      }
    } catch (MalformedTextException e) {
      throw malformed(e, 0);
    } catch (IOException e) {
      throw FailureText.file(fileName(), e);
    } finally {
      ended.countDown();
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

  private int load(EntrySource source, Cache<String, String> target, AtomicBoolean stopping)
      throws CommandFailure, IOException {
    CommandProgress progress = new CommandProgress(System.nanoTime());
    long totalBytes = file.equals("-") ? 0 : Files.size(Path.of(file));
    try (ProgressDisplay display =
        progressOption.show(progress, terminal.err(), terminal.redraws())) {
      boolean more = true;
      while (more && !stopping.get()) {
        more = loadBatch(source, target, progress);
        progress.advance(source.bytesRead(), totalBytes);
      }
    } catch (MalformedTextException e) {
      throw malformed(e, progress.entries());
    } catch (HeadraceException e) {
      throw new CommandFailure(
          fileName()
              + ": stopped after "
              + Figures.entries(progress.entries())
              + "; of the next "
              + Figures.count(BATCH_ENTRIES)
              + " some may be loaded. "
              + e.getMessage(),
          e);
    }
    boolean stopped = stopping.get();
    long nanos = progress.elapsedNanos(System.nanoTime());
    terminal
        .err()
        .println(
            (stopped ? "Stopped: loaded only the first " : "Loaded ")
                + Figures.entries(progress.entries())
                + " into cache \""
                + cache.name()
                + "\" in "
                + Figures.durationAndRate(progress.entries(), nanos));
    return stopped ? CommandFailure.INTERRUPTED : 0;
  }

  /** Loads some entries, also those before a malformed one; returns whether there may be more. */
  private static boolean loadBatch(
      EntrySource source, Cache<String, String> target, CommandProgress progress)
      throws IOException {
    Map<String, String> batch = new LinkedHashMap<>();
    int count = 0;
    long chars = 0;
    try {
      while (count < BATCH_ENTRIES && chars < BATCH_CHARS) {
        Map.Entry<String, String> entry = source.next();
        if (entry == null) {
          return false;
        }
        batch.put(entry.getKey(), entry.getValue());
        chars += entry.getKey().length() + entry.getValue().length();
        count++;
      }
      return true;
    } finally {
      if (count > 0) {
        target.putAll(batch);
        progress.add(count, chars);
      }
    }
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

  private static void stop(AtomicBoolean stopping, CountDownLatch ended) {
    stopping.set(true);
    try {
      var unused = ended.await(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
