package dev.headrace.cli.load;

import dev.headrace.api.ingest.FailedRecord;
import dev.headrace.cli.file.EntrySource;
import dev.headrace.cli.file.MalformedTextException;
import dev.headrace.cli.file.RejectedRecords;
import dev.headrace.cli.progress.Figures;
import dev.headrace.cli.terminal.FailureText;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The records of a load that goes on after those that are malformed or cannot be written: counts
 * them, keeps the reasons of the first, and puts all into a file if there is one. Until a record is
 * acknowledged, it keeps its line and text. Thread-safe.
 */
public final class BadRecords {
  private static final int MOST_NAMED = 20;

  private final EntrySource source;
  private final @Nullable RejectedRecords file;

  // Guarded by this.
  private final Map<Long, UnderWay> underWay = new HashMap<>();
  private final List<String> named = new ArrayList<>();
  private final long countBefore;
  private long count;

  /** A record that was read and is not acknowledged. */
  private record UnderWay(long line, String value) {}

  /**
   * No bad record has been found.
   *
   * @param source what the records are read from
   * @param file takes bad records; null if they are only counted and named
   * @param countBefore how many were found before this load went on
   */
  public BadRecords(EntrySource source, @Nullable RejectedRecords file, long countBefore) {
    this.source = source;
    this.file = file;
    this.countBefore = countBefore;
    count = countBefore;
  }

  /** An entry of the source is about to be written; {@code number} is that of the sink. */
  synchronized void read(long number, String value) {
    underWay.put(number, new UnderWay(source.line(), value));
  }

  /** A record was acknowledged, or has failed. */
  public synchronized void ended(long number) {
    underWay.remove(number);
  }

  /**
   * A record cannot be read.
   *
   * @throws MalformedTextException the same if nothing more can be read
   * @throws UncheckedIOException if it cannot be put into the file
   */
  synchronized void malformed(MalformedTextException cause) throws MalformedTextException {
    String record = cause.record();
    if (record == null) {
      throw cause;
    }
    found("line %d, column %d: %s".formatted(cause.line(), cause.column(), cause.getMessage()));
    if (file != null) {
      try {
        file.addMalformed(cause, record);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * A record cannot be written, and ends with this.
   *
   * @throws UncheckedIOException if it cannot be put into the file
   */
  public synchronized void failed(FailedRecord failed) {
    UnderWay record = underWay.get(failed.number());
    if (record == null) {
      throw new IllegalStateException("Record " + failed.number() + " is not under way");
    }
    String reason = FailureText.oneLine(failed.cause());
    found("line %d, key \"%s\": %s".formatted(record.line(), failed.key(), reason));
    if (file != null) {
      try {
        file.addFailed(record.line(), failed.key(), reason, source.record(record.value()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void found(String text) {
    count++;
    if (named.size() < MOST_NAMED) {
      named.add("Not loaded: " + text);
    }
  }

  /** How many were found in all. */
  public synchronized long count() {
    return count;
  }

  /** Names the first that this load has found, and says how many more there are. */
  public synchronized void tell(PrintStream out) {
    named.forEach(out::println);
    long more = count - countBefore - named.size();
    if (more > 0) {
      out.println("Not loaded: " + Figures.entries(more) + " more");
    }
  }

  /** Returns when those so far are on the disk, with the length of the file; 0 without a file. */
  synchronized long force() throws IOException {
    return file == null ? 0 : file.force();
  }
}
