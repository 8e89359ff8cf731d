package dev.headrace.cli;

import dev.headrace.api.Cache;
import dev.headrace.api.Headrace;
import dev.headrace.api.stream.CacheStream;
import dev.headrace.api.stream.Delivery;
import dev.headrace.api.stream.operator.EntryCondition;
import dev.headrace.api.stream.operator.Row;
import dev.headrace.cli.cluster.CacheOptions;
import dev.headrace.cli.cluster.ClusterOptions;
import dev.headrace.cli.cluster.SelectedFields;
import dev.headrace.cli.export.DiskFiles;
import dev.headrace.cli.export.ExportProgress;
import dev.headrace.cli.file.EntrySink;
import dev.headrace.cli.file.FileFormat;
import dev.headrace.cli.progress.CommandProgress;
import dev.headrace.cli.progress.Figures;
import dev.headrace.cli.progress.ProgressOption;
import dev.headrace.cli.terminal.CommandFailure;
import dev.headrace.cli.terminal.FailureText;
import dev.headrace.cli.terminal.Terminal;
import dev.headrace.http.expression.FilterSyntaxException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Streams a cache into a file or to standard output. */
@Command(
    name = "scan",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Streams a whole cache into a file or pipe, as NDJSON, CSV or TSV.",
      "Entries come in no particular order, at the pace of the file or pipe.",
      "A value that is a record or a JSON object is written as its fields and the key; "
          + "any other value is the text of a field \"value\". Keys and values may be strings, "
          + "numbers, booleans, UUIDs, instants, enums, byte arrays (in Base64) and records of "
          + "these.",
      "A scan into a file keeps its progress beside it, in FILE.progress, until it is complete. "
          + "If it fails, is stopped with ctrl-C, or dies with its machine, --resume FILE and the "
          + "same options go on: no entry is missing, and none comes twice.",
      "A scan to standard output that fails or is stopped prints a resume token. Pass it with "
          + "--resume to get the rest. There is no token if nothing was written, or if an entry "
          + "did not fit the columns. How much a pipe took before it broke is unknown; where that "
          + "matters, write to a file."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  headrace scan --cache people -o people.ndjson",
      "  headrace scan --cache people -o people.csv --columns name,city",
      "  headrace scan --cache quotes --select symbol,price --filter 'price > 40'",
      "  headrace scan --keys-only | wc -l",
      "  headrace scan --cache people --resume people.ndjson"
    })
final class ScanCommand implements Callable<Integer> {
  private static final long STOP_SECONDS = 5;
  private static final long LEAVE_SECONDS = 20;

  private final Terminal terminal;

  /** Opens when the node has left the cluster. */
  private final CountDownLatch left = new CountDownLatch(1);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "Write to a file, replacing its content, or appending with --resume (standard "
              + "output).")
  private @Nullable Path output;

  @Option(
      names = {"-f", "--format"},
      paramLabel = "FORMAT",
      description =
          "One of ${COMPLETION-CANDIDATES} (from the file's extension; ndjson on standard "
              + "output).")
  private @Nullable FileFormat format;

  @Option(names = "--keys-only", description = "Write keys only; values are not sent.")
  private boolean keysOnly;

  @Option(
      names = "--key-field",
      paramLabel = "NAME",
      defaultValue = "key",
      description = "The name of the key's field or column (${DEFAULT-VALUE}).")
  private String keyField = "";

  @Option(
      names = "--columns",
      paramLabel = "NAME",
      split = ",",
      description = "CSV and TSV: the fields to write (those of the first value).")
  private List<String> columns = List.of();

  @Option(
      names = "--filter",
      paramLabel = "CONDITION",
      description =
          "Only entries that fulfil a condition, which the nodes evaluate, such as "
              + "\"price >= 40 and key startsWith 'EU-'\".")
  private @Nullable String filter;

  @Option(
      names = "--select",
      paramLabel = "FIELD",
      split = ",",
      description =
          "Only these fields of the values, which are records; nothing else is sent. The key is "
              + "always written.")
  private List<String> selected = List.of();

  @Option(
      names = "--batch-size",
      paramLabel = "N",
      defaultValue = "" + CacheStream.DEFAULT_BATCH_SIZE,
      description = "The most entries buffered or in flight, over all nodes (${DEFAULT-VALUE}).")
  private int batchSize;

  @Option(
      names = "--delivery",
      paramLabel = "DELIVERY",
      defaultValue = "exactly-once",
      description =
          "exactly-once, or at-most-once, which skips and reports what cannot be read "
              + "(${DEFAULT-VALUE}).")
  private String delivery = "";

  @Option(
      names = "--resume",
      paramLabel = "FILE|TOKEN",
      description =
          "Go on with the interrupted export to this file, exactly where it ends, however it "
              + "ended; or read only what remained when this token was printed.")
  private @Nullable String resume;

  private boolean goingOn;

  @Mixin private CacheOptions cache = new CacheOptions();
  @Mixin private ProgressOption progressOption = new ProgressOption();
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  ScanCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    Delivery promise = parseDelivery();
    goOnWithFile();
    FileFormat fileFormat = format();
    checkOptions(fileFormat);
    // Opened before the cluster is joined, so that a wrong path fails at once.
    try (ScanTarget target = open(fileFormat)) {
      EntrySink sink = target.sink(fileFormat, keyField, columns);
      try (Headrace node = cluster.join()) {
        Cache<String, String> from = cache.openToRead(node);
        EntryCondition wanted = filter == null ? null : condition(node, filter);
        SelectedFields fields = selected.isEmpty() ? null : fields(node);
        // The target begins last: a scan that cannot begin leaves the file as it was.
        if (fields == null) {
          CacheStream<String, String> stream = prepared(from, promise, wanted);
          target.begin(resume, System.nanoTime());
          return scan(from, stream, sink, target);
        }
        CacheStream<byte[], byte[]> stream = prepared(cache.openEncoded(node), promise, wanted);
        target.begin(resume, System.nanoTime());
        return select(stream, fields, sink, target);
      }
    } catch (IOException e) {
      throw FailureText.file(targetName(), e);
    } finally {
      left.countDown();
    }
  }

  /** If --resume names a file, the scan goes on with that file. */
  private void goOnWithFile() {
    if (resume != null && Files.exists(Path.of(resume))) {
      Path file = Path.of(resume);
      if (output != null && !output.equals(file)) {
        throw wrongly("--resume " + file + " goes on with this file; leave out -o " + output);
      }
      output = file;
      goingOn = true;
    }
  }

  private ScanTarget open(FileFormat fileFormat) throws IOException, CommandFailure {
    String options = options(fileFormat);
    if (output != null && !goingOn && resume != null && DiskFiles.read(output) != null) {
      throw new CommandFailure(
          output
              + ": this file is an interrupted export, which knows its own token; go on with"
              + " --resume "
              + quoted(output.toString()));
    }
    if (output == null || !goingOn) {
      return ScanTarget.open(output, options, resume != null, terminal);
    }
    ExportProgress progress = DiskFiles.read(output);
    if (progress == null) {
      throw new CommandFailure(
          output
              + ": this file is no interrupted export: there is no "
              + DiskFiles.progressOf(output).getFileName()
              + " beside it. It is complete, or was written by something else");
    }
    if (!progress.options().equals(options)) {
      throw new CommandFailure(
          output
              + ": this export was begun with other options; go on with: "
              + progress.options()
              + " --resume "
              + quoted(output.toString()));
    }
    resume = progress.token();
    return ScanTarget.goOn(output, progress);
  }

  /** The options that decide what is written, as a shell takes them. */
  private String options(FileFormat fileFormat) {
    StringBuilder options = new StringBuilder("--cache ").append(quoted(cache.name()));
    options.append(" --format ").append(fileFormat.name().toLowerCase(Locale.ROOT));
    options.append(" --key-field ").append(quoted(keyField));
    if (!columns.isEmpty()) {
      options.append(" --columns ").append(quoted(String.join(",", columns)));
    }
    if (keysOnly) {
      options.append(" --keys-only");
    }
    if (filter != null) {
      options.append(" --filter ").append(quoted(filter));
    }
    if (!selected.isEmpty()) {
      options.append(" --select ").append(quoted(String.join(",", selected)));
    }
    return options.toString().replaceAll("\\R", " ");
  }

  /** A text as one word of a shell. */
  private static String quoted(String text) {
    return text.matches("[\\w@%+=:,./-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  private void checkOptions(FileFormat fileFormat) {
    if (batchSize < 1) {
      throw wrongly("--batch-size must be at least 1, but is " + batchSize);
    }
    if (!columns.isEmpty() && fileFormat == FileFormat.NDJSON) {
      throw wrongly("--columns works with CSV and TSV; NDJSON contains all fields");
    }
    if (!selected.isEmpty() && keysOnly) {
      throw wrongly("--select names fields of values, but --keys-only writes no values");
    }
    if (!columns.isEmpty() && keysOnly) {
      throw wrongly("--columns names fields of values, but --keys-only writes no values");
    }
  }

  private EntryCondition condition(Headrace node, String text) throws CommandFailure {
    try {
      return cache.condition(node, text);
    } catch (FilterSyntaxException e) {
      throw wrongly("--filter: " + e.getMessage());
    }
  }

  private SelectedFields fields(Headrace node) throws CommandFailure {
    try {
      return cache.select(node, selected);
    } catch (FilterSyntaxException e) {
      throw wrongly(
          "--select: "
              + e.getMessage()
              + "; values that are JSON text have no fields for the nodes: choose with --columns"
              + " what is written");
    }
  }

  private <K, V> CacheStream<K, V> prepared(
      Cache<K, V> from, Delivery promise, @Nullable EntryCondition wanted) {
    CacheStream<K, V> stream = from.stream().batchSize(batchSize).delivery(promise);
    if (wanted != null) {
      stream = stream.filter(wanted);
    }
    return resume == null ? stream : stream.resumeFrom(resume);
  }

  private int scan(
      Cache<String, String> from,
      CacheStream<String, String> stream,
      EntrySink sink,
      ScanTarget target)
      throws CommandFailure, IOException, InterruptedException {
    long total = resume == null && filter == null ? from.size() : 0;
    CommandProgress progress = new CommandProgress(System.nanoTime());
    int exitCode;
    if (keysOnly) {
      ScanOutput<String> keys =
          new ScanOutput<>((key, text) -> sink.append(key, null, text), target, progress, total);
      exitCode = run(stream.listener(keys), CacheStream::keys, keys, progress, target);
    } else {
      var entries =
          new ScanOutput<Map.Entry<String, String>>(
              (entry, text) -> sink.append(entry.getKey(), entry.getValue(), text),
              target,
              progress,
              total);
      exitCode = run(stream.listener(entries), CacheStream::entries, entries, progress, target);
    }
    if (exitCode == 0 && progress.entries() > 0) {
      tellUnused(sink);
    }
    return exitCode;
  }

  private void tellUnused(EntrySink sink) {
    if (!sink.unusedColumns().isEmpty()) {
      terminal
          .err()
          .println("No value had the fields " + String.join(", ", sink.unusedColumns()) + ".");
    }
  }

  /** Writes some fields of the values, which are all that is sent. */
  private int select(
      CacheStream<byte[], byte[]> stream, SelectedFields fields, EntrySink sink, ScanTarget target)
      throws CommandFailure, IOException, InterruptedException {
    CommandProgress progress = new CommandProgress(System.nanoTime());
    ScanOutput<Row> rows =
        new ScanOutput<>(
            (row, text) -> sink.append(fields.key(row), fields.value(row), text),
            target,
            progress,
            0);
    int exitCode = run(stream.listener(rows), fields::of, rows, progress, target);
    if (exitCode == 0 && progress.entries() > 0) {
      tellUnused(sink);
    }
    return exitCode;
  }

  /** What the scan reads of the stream. */
  private interface Projection<K, V, T> {
    Publisher<T> of(CacheStream<K, V> stream);
  }

  private <K, V, T> int run(
      CacheStream<K, V> stream,
      Projection<K, V, T> projection,
      ScanOutput<T> writer,
      CommandProgress progress,
      ScanTarget target)
      throws CommandFailure, IOException, InterruptedException {
    ExecutorService executor =
        Executors.newSingleThreadExecutor(task -> new Thread(task, "headrace-scan"));
    try (var registration = terminal.interrupts().onInterrupt(() -> interrupt(writer, executor));
        var display = progressOption.show(progress, terminal.err(), terminal.redraws())) {
      projection.of(stream.executor(executor)).subscribe(writer);
      boolean complete = writer.ended().get();
      display.close();
      end(target, writer, complete);
      report(writer, progress, complete);
      return complete ? 0 : CommandFailure.INTERRUPTED;
    } catch (ExecutionException e) {
      throw failure(e.getCause() == null ? e : e.getCause(), writer, progress, target);
    } finally {
      executor.shutdown();
    }
  }

  private void end(ScanTarget target, ScanOutput<?> writer, boolean complete) throws IOException {
    if (complete) {
      target.completed();
    } else {
      target.stopped(remaining(writer), writer.writtenBytes(), System.nanoTime());
    }
  }

  private @Nullable String remaining(ScanOutput<?> writer) {
    String token = writer.resumeToken();
    return token == null ? resume : token;
  }

  private void report(ScanOutput<?> writer, CommandProgress progress, boolean complete) {
    PrintStream err = terminal.err();
    long nanos = progress.elapsedNanos(System.nanoTime());
    err.println(
        (complete ? "Scanned " : "Stopped after ")
            + Figures.entries(progress.entries())
            + " of cache \""
            + cache.name()
            + "\" in "
            + Figures.durationAndRate(progress.entries(), nanos));
    if (!writer.skippedSegments().isEmpty()) {
      err.println("Skipped, because no owner could be read: segments " + writer.skippedSegments());
    }
    if (!complete) {
      err.println(rest(writer));
    }
  }

  private CommandFailure failure(
      Throwable cause, ScanOutput<?> writer, CommandProgress progress, ScanTarget target)
      throws IOException {
    String done = "stopped after " + Figures.entries(progress.entries()) + ": ";
    if (cause instanceof IOException io) {
      CommandFailure failure = FailureText.file(targetName(), io);
      if (failure.exitCode() == CommandFailure.NOBODY_READS) {
        return failure;
      }
      target.stopped(remaining(writer), writer.writtenBytes(), System.nanoTime());
      return withToken(new CommandFailure(done + failure.getMessage(), io), writer);
    }
    CommandFailure failure = new CommandFailure(done + FailureText.oneLine(cause), cause);
    if (cause instanceof CommandFailure) {
      return failure; // an entry that needs other options, which change the lines above it too
    }
    target.stopped(remaining(writer), writer.writtenBytes(), System.nanoTime());
    return withToken(failure, writer);
  }

  private CommandFailure withToken(CommandFailure failure, ScanOutput<?> writer) {
    return remaining(writer) == null ? failure : failure.withLastLine(rest(writer));
  }

  /** The token is that of what was written, which may be less than what was handed over. */
  private String rest(ScanOutput<?> writer) {
    String token = remaining(writer);
    if (token == null) {
      return "Nothing was written; start again from the beginning";
    }
    return "The rest follows with --resume " + (output == null ? token : quoted(output.toString()));
  }

  private void interrupt(ScanOutput<?> writer, ExecutorService executor) {
    writer.stop();
    try {
      try {
        writer.ended().get(STOP_SECONDS, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        executor.execute(writer::abandon); // no batch comes: the file ends behind the last one
      } catch (ExecutionException e) {
        // The command itself is about to report what went wrong.
        terminal.err().flush();
      }
      var unused = left.await(LEAVE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Delivery parseDelivery() {
    try {
      return Delivery.valueOf(delivery.toUpperCase(Locale.ROOT).replace('-', '_'));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(),
          "--delivery must be exactly-once or at-most-once, but is \"" + delivery + "\"",
          e);
    }
  }

  private FileFormat format() {
    if (format != null) {
      return format;
    }
    return output == null
        ? FileFormat.NDJSON
        : FileFormat.ofFile(output.toString())
            .orElseThrow(
                () ->
                    wrongly(
                        "the format of "
                            + output
                            + " cannot be told from its name; add --format csv, tsv or ndjson"));
  }

  private String targetName() {
    return output == null ? "standard output" : output.toString();
  }

  private ParameterException wrongly(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
