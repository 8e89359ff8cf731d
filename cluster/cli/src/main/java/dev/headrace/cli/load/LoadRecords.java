package dev.headrace.cli.load;

import dev.headrace.cli.file.EntrySource;
import dev.headrace.cli.file.MalformedTextException;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The records of a text, counted, so that a load can go on behind any of them. */
public final class LoadRecords {
  private static final int PRIME = 31;

  private final EntrySource source;
  private final @Nullable BadRecords bad;
  private long count;
  private long sent;
  private long failedBefore;
  private long digest;
  private boolean ended;
  private @Nullable IOException failure;

  /**
   * The records of a text from its beginning.
   *
   * @param bad takes malformed records, and the lines of the others; null if the first malformed
   *     record ends the load
   */
  public LoadRecords(EntrySource source, @Nullable BadRecords bad) {
    this.source = source;
    this.bad = bad;
  }

  /**
   * Passes over what was loaded before.
   *
   * @throws IOException if these are other records than those
   */
  public void skip(LoadProgress loaded) throws IOException {
    failedBefore = loaded.failed();
    while (count < loaded.records() && !ended) {
      try {
        var unused = counted(source.next());
      } catch (MalformedTextException e) {
        if (e.record() == null) {
          throw e;
        }
        count++;
      }
    }
    if (count != loaded.records() || digest != loaded.digest()) {
      throw new IOException(
          "its first "
              + loaded.records()
              + " records are not those that were loaded before: somebody has changed it; delete"
              + " the progress to begin anew");
    }
  }

  /** What comes next goes to another sink, whose numbers begin at 0. */
  public void beginPart() {
    sent = 0;
  }

  /**
   * The next entry; what is malformed before it is rejected. Null after the last one, and where the
   * text cannot be read: see {@link #failure}.
   */
  public Map.@Nullable Entry<String, String> next() {
    try {
      Map.Entry<String, String> entry = failure == null ? readable() : null;
      if (entry != null && bad != null) {
        bad.read(sent++, entry.getValue());
      }
      return entry;
    } catch (IOException e) {
      failure = e;
      return null;
    }
  }

  private Map.@Nullable Entry<String, String> readable() throws IOException {
    while (true) {
      try {
        return counted(source.next());
      } catch (MalformedTextException e) {
        if (bad == null) {
          throw e;
        }
        bad.malformed(e);
        count++;
      }
    }
  }

  /** Why the text cannot be read any further; null if it can. */
  public @Nullable IOException failure() {
    return failure;
  }

  private Map.@Nullable Entry<String, String> counted(Map.@Nullable Entry<String, String> entry) {
    if (entry == null) {
      ended = true;
    } else {
      count++;
      digest = (digest * PRIME + entry.getKey().hashCode()) * PRIME + entry.getValue().hashCode();
    }
    return entry;
  }

  /** How many were malformed or could not be written, with those before a load went on. */
  public long failed() {
    return bad == null ? failedBefore : bad.count();
  }

  /** Whether there are no more. */
  public boolean isEnded() {
    return ended;
  }

  /** Number of bytes of the text that were read. */
  public long bytesRead() {
    return source.bytesRead();
  }

  /** How far the load has come when all that was read is acknowledged. */
  public LoadProgress acknowledged(String target) throws IOException {
    return bad == null
        ? new LoadProgress(target, count, digest, failedBefore, 0)
        : new LoadProgress(target, count, digest, bad.count(), bad.force());
  }
}
