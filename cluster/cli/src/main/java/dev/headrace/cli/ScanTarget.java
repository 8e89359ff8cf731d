package dev.headrace.cli;

import dev.headrace.cli.terminal.Terminal;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** The file or pipe that a scan writes to. Used by one thread at a time. */
final class ScanTarget implements Closeable {
  private final @Nullable Path file;
  private final OutputStream out;
  private final long keptBytes;

  private ScanTarget(@Nullable Path file, OutputStream out, long keptBytes) {
    this.file = file;
    this.out = out;
    this.keptBytes = keptBytes;
  }

  /**
   * Opens it; what a file holds stays for now.
   *
   * @param path null for standard output
   * @param append whether to go on behind what the file holds
   */
  static ScanTarget open(@Nullable Path path, boolean append, Terminal terminal)
      throws IOException {
    if (path == null) {
      return new ScanTarget(null, terminal.outputFile(), 0);
    }
    OutputStream out =
        Files.newOutputStream(
            path,
            StandardOpenOption.CREATE,
            append ? StandardOpenOption.APPEND : StandardOpenOption.WRITE);
    return new ScanTarget(path, out, append ? Files.size(path) : 0);
  }

  OutputStream out() {
    return out;
  }

  /** Whether something is there that goes on. */
  boolean continued() {
    return keptBytes > 0;
  }

  /**
   * Ends a file behind so many bytes of this scan: nothing of what it held before is left but what
   * is appended to, and no half of a batch.
   */
  void cut(long writtenBytes) throws IOException {
    if (file != null && Files.isRegularFile(file)) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(keptBytes + writtenBytes);
      }
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
