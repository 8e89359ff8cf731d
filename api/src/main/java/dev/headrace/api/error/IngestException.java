package dev.headrace.api.error;

import dev.headrace.api.ingest.IngestReport;
import org.jspecify.annotations.Nullable;

/**
 * A load has ended before its source had completed: the source has failed, or the load was to stop
 * at the first record that fails. Everything that was received until then was written or has
 * failed; {@link #report} tells which.
 */
public final class IngestException extends HeadraceException {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable IngestReport report;

  /**
   * The end of a load.
   *
   * @param message what happened and what to do
   * @param scope the cache
   * @param report what became of everything that was received
   * @param cause the source's error, or why the record failed
   */
  public IngestException(
      String message, FaultScope scope, IngestReport report, @Nullable Throwable cause) {
    super(message, scope, cause);
    this.report = report;
  }

  /** What became of everything that was received; null after the exception was serialized. */
  public @Nullable IngestReport report() {
    return report;
  }
}
