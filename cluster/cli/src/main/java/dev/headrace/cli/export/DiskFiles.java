package dev.headrace.cli.export;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** An exported file on the disk; its progress lies beside it, named {@code FILE.progress}. */
public final class DiskFiles implements ExportFiles, Closeable {
  private static final int MAX_PROGRESS_BYTES = 64 << 20;

  private final Path file;
  private final FileChannel out;

  /** Opens the file, which stays as it is for now. */
  public DiskFiles(Path file) throws IOException {
    this.file = file;
    this.out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    out.position(out.size());
  }

  /** Where the progress of a file lies. */
  public static Path progressOf(Path file) {
    return file.resolveSibling(file.getFileName() + ".progress");
  }

  /**
   * How far the export to a file has come.
   *
   * @return null if the file has no progress
   * @throws IOException if the progress is damaged, or the file shorter than it says
   */
  public static @Nullable ExportProgress read(Path file) throws IOException {
    Path beside = progressOf(file);
    if (!Files.exists(beside)) {
      return null;
    }
    byte[] content;
    try (InputStream in = Files.newInputStream(beside)) {
      content = in.readNBytes(MAX_PROGRESS_BYTES);
    }
    ExportProgress progress = ExportProgress.decode(content);
    if (Files.size(file) < progress.bytes()) {
      throw new IOException(
          "the file has "
              + Files.size(file)
              + " bytes, but its export had written "
              + progress.bytes()
              + ": somebody has changed it; start again without --resume");
    }
    return progress;
  }

  @Override
  public void append(byte[] bytes) throws IOException {
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    while (rest.hasRemaining()) {
      out.write(rest);
    }
  }

  @Override
  public void force() throws IOException {
    out.force(true);
  }

  @Override
  public void truncate(long bytes) throws IOException {
    out.truncate(bytes);
    out.position(bytes);
  }

  @Override
  public void prepareProgress(byte[] content) throws IOException {
    try (FileChannel next =
        FileChannel.open(
            next(),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer rest = ByteBuffer.wrap(content);
      while (rest.hasRemaining()) {
        next.write(rest);
      }
      next.force(true);
    }
  }

  @Override
  public void replaceProgress() throws IOException {
    try {
      Files.move(
          next(),
          progressOf(file),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      throw new IOException(
          "this file system cannot replace a file as a whole, so an export could not be resumed;"
              + " write to another one, or to standard output",
          e);
    }
    forceFolder();
  }

  /** A renamed file is only safe when its folder is. Windows does not know folders as files. */
  private void forceFolder() throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null && folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  private Path next() {
    return file.resolveSibling(file.getFileName() + ".progress.next");
  }

  @Override
  public void deleteProgress() throws IOException {
    Files.deleteIfExists(next());
    Files.deleteIfExists(progressOf(file));
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
