package dev.headrace.benchmarks.peer;

import dev.headrace.api.Discovery;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A temporary folder through which Headrace's nodes in this JVM meet. */
public final class MeetingFolder implements AutoCloseable {
  private final Path folder;

  /**
   * Makes the folder.
   *
   * @param prefix how its name begins
   */
  public MeetingFolder(String prefix) {
    try {
      folder = Files.createTempDirectory(prefix);
    } catch (IOException e) {
      throw new UncheckedIOException("No temporary folder: is the disk full?", e);
    }
  }

  /** How the nodes find each other. */
  public Discovery discovery() {
    return new Discovery.Local(folder.toString());
  }

  /** Removes the folder; no node may need it any more. */
  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("The folder " + folder + " could not be removed", e);
    }
  }
}
