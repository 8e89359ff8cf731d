package dev.headrace.cli.load;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** The file that says how far a load has come. */
public final class LoadJournal {
  private static final int MAX_BYTES = 64 << 10;

  private final Path file;

  /** A journal in a file, which need not be there yet. */
  public LoadJournal(Path file) {
    this.file = file;
  }

  /** Whether a load has begun and is not complete. */
  public boolean isBegun() {
    return Files.exists(file);
  }

  /**
   * How far the load has come.
   *
   * @param target what is to be loaded where
   * @throws IOException if the file is damaged, or belongs to another load
   */
  public LoadProgress read(String target) throws IOException {
    if (!isBegun()) {
      return LoadProgress.none(target);
    }
    byte[] content;
    try (InputStream in = Files.newInputStream(file)) {
      content = in.readNBytes(MAX_BYTES);
    }
    LoadProgress progress = LoadProgress.decode(content);
    if (!progress.target().equals(target)) {
      throw new IOException(
          "it belongs to another load: it was begun with "
              + progress.target()
              + ", this one has "
              + target
              + "; delete it to begin anew");
    }
    return progress;
  }

  /** Replaces the progress as a whole. */
  public void write(LoadProgress progress) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    try (FileChannel out =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer rest = ByteBuffer.wrap(progress.encode());
      while (rest.hasRemaining()) {
        out.write(rest);
      }
      out.force(true); // or the file could be empty after a loss of power
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Removes the progress: all is loaded. */
  public void complete() throws IOException {
    Files.deleteIfExists(file);
  }
}
