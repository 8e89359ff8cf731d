package dev.headrace.cli.export;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps an exported file and its progress in step, so that an export that stops at any byte goes on
 * without a repetition or a gap.
 *
 * <p>The progress may lag behind the file, never the other way round: what was appended is forced
 * to the disk first, then the progress is written beside the last one, forced, and put in its
 * place. Whoever goes on cuts the file back to the length that the progress names. Forcing costs
 * milliseconds, so the progress follows once in {@link #INTERVAL_NANOS}.
 */
public final class ExportJournal {

  /** How often the progress is written while the export runs. */
  static final long INTERVAL_NANOS = 1_000_000_000L;

  private final ExportFiles files;
  private final String options;
  private final long keptBytes;
  private long writtenAtNanos;

  /**
   * The journal of an export that has not begun.
   *
   * @param options what must be the same when it goes on, in one line
   * @param keptBytes how much of the file stays
   */
  public ExportJournal(ExportFiles files, String options, long keptBytes) {
    this.files = files;
    this.options = options;
    this.keptBytes = keptBytes;
  }

  /**
   * Notes that the export begins, or goes on, and cuts the file.
   *
   * @param token what follows what is kept; null for everything
   */
  public void begin(@Nullable String token, long nowNanos) throws IOException {
    write(token, 0, nowNanos);
    files.truncate(keptBytes);
  }

  /** Appends to the file. */
  public void append(byte[] bytes) throws IOException {
    files.append(bytes);
  }

  /**
   * Notes, now and then, that a place was reached.
   *
   * @param token what follows it
   * @param writtenBytes how much was appended up to there
   */
  public void reached(String token, long writtenBytes, long nowNanos) throws IOException {
    if (nowNanos - writtenAtNanos >= INTERVAL_NANOS) {
      write(token, writtenBytes, nowNanos);
    }
  }

  /** Cuts off what was appended behind the last place, and notes that place. */
  public void stopped(@Nullable String token, long writtenBytes, long nowNanos) throws IOException {
    files.truncate(keptBytes + writtenBytes);
    write(token, writtenBytes, nowNanos);
  }

  private void write(@Nullable String token, long writtenBytes, long nowNanos) throws IOException {
    files.force();
    files.prepareProgress(new ExportProgress(options, keptBytes + writtenBytes, token).encode());
    files.replaceProgress();
    writtenAtNanos = nowNanos;
  }

  /** Ends an export that is complete: there is nothing left to go on with. */
  public void completed() throws IOException {
    files.force();
    files.deleteProgress();
  }
}
