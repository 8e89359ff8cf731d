package dev.headrace.cli;

import dev.headrace.cli.export.DiskFiles;
import dev.headrace.cli.export.ExportJournal;
import dev.headrace.cli.export.ExportProgress;
import dev.headrace.cli.file.EntrySink;
import dev.headrace.cli.file.FileFormat;
import dev.headrace.cli.terminal.Terminal;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file or pipe that a scan writes to. A file has a journal of how far the scan has come; a
 * pipe, a device and standard output have none. Used by one thread at a time.
 */
final class ScanTarget implements Closeable {
  private final @Nullable Path file;
  private final @Nullable ExportJournal journal;
  private final @Nullable OutputStream pipe;
  private final Closeable resource;
  private final long keptBytes;

  private ScanTarget(
      @Nullable Path file,
      @Nullable ExportJournal journal,
      @Nullable OutputStream pipe,
      Closeable resource,
      long keptBytes) {
    this.file = file;
    this.journal = journal;
    this.pipe = pipe;
    this.resource = resource;
    this.keptBytes = keptBytes;
  }

  /**
   * Opens it; what a file holds stays for now.
   *
   * @param path null for standard output
   * @param options what decides about the content, in one line
   * @param append whether to go on behind what the file holds
   */
  static ScanTarget open(@Nullable Path path, String options, boolean append, Terminal terminal)
      throws IOException {
    if (path == null) {
      OutputStream out = terminal.output();
      return new ScanTarget(null, null, out, out, 0);
    }
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      OutputStream out = Files.newOutputStream(path, StandardOpenOption.WRITE);
      return new ScanTarget(path, null, out, out, 0);
    }
    return open(path, options, append && Files.exists(path) ? Files.size(path) : 0);
  }

  /** Opens a file to go on exactly where its export has come to. */
  static ScanTarget goOn(Path file, ExportProgress progress) throws IOException {
    return open(file, progress.options(), progress.bytes());
  }

  private static ScanTarget open(Path file, String options, long keptBytes) throws IOException {
    DiskFiles disk = new DiskFiles(file);
    return new ScanTarget(file, new ExportJournal(disk, options, keptBytes), null, disk, keptBytes);
  }

  /** What writes entries to it, below what is kept. */
  EntrySink sink(FileFormat format, String keyField, List<String> columns) throws IOException {
    if (file == null || keptBytes == 0) {
      return EntrySink.of(format, keyField, columns, false);
    }
    try (Reader written = Files.newBufferedReader(file)) {
      return EntrySink.goingOn(format, keyField, columns, written);
    }
  }

  /**
   * Begins to write. Nothing of what a file held before is left but what is appended to.
   *
   * @param token what the scan reads; null for everything
   */
  void begin(@Nullable String token, long nowNanos) throws IOException {
    if (journal != null) {
      journal.begin(token, nowNanos);
    }
  }

  void write(byte[] bytes) throws IOException {
    if (journal != null) {
      journal.append(bytes);
    } else if (pipe != null) {
      pipe.write(bytes);
      pipe.flush();
    }
  }

  /**
   * A place was reached.
   *
   * @param token what follows
   * @param writtenBytes how much was written up to there
   */
  void reached(String token, long writtenBytes, long nowNanos) throws IOException {
    if (journal != null) {
      journal.reached(token, writtenBytes, nowNanos);
    }
  }

  /** The scan has stopped; a file ends behind the last place, without half of a batch. */
  void stopped(@Nullable String token, long writtenBytes, long nowNanos) throws IOException {
    if (journal != null) {
      journal.stopped(token, writtenBytes, nowNanos);
    }
  }

  /** The scan is complete. */
  void completed() throws IOException {
    if (journal != null) {
      journal.completed();
    }
  }

  @Override
  public void close() throws IOException {
    resource.close();
  }
}
