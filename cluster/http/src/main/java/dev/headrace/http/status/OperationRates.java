package dev.headrace.http.status;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.headrace.http.exchange.Verb;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes of single entries over a port: how many there were, and how long those of the
 * last moment took. Thread-safe.
 */
final class OperationRates {
  private static final Set<String> ENTRIES =
      Set.of("/v1/caches/{name}/entries/{key}", "/v0/entity");

  /** Times are kept to one part in 100, up to a minute. */
  private static final long MOST_NANOS = 60_000_000_000L;

  private final LongAdder reads = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private final Recorder times = new Recorder(1_000, MOST_NANOS, 2);
  private @Nullable Histogram spare; // guarded by this

  /**
   * What the operations came to.
   *
   * @param reads since the beginning
   * @param writes since the beginning
   * @param medianMillis within which half of those since the last figures were answered; 0 if there
   *     were none
   * @param slowMillis within which 99 of 100 of them were
   */
  record Figures(long reads, long writes, double medianMillis, double slowMillis) {

    /** Writes them as a field. */
    void write(JsonGenerator json) throws IOException {
      json.writeObjectFieldStart("operations");
      json.writeNumberField("reads", reads);
      json.writeNumberField("writes", writes);
      json.writeNumberField("medianMillis", medianMillis);
      json.writeNumberField("slowMillis", slowMillis);
      json.writeEndObject();
    }
  }

  /** A request was answered. */
  void answered(Verb verb, @Nullable String template, long nanos) {
    if (template == null || !ENTRIES.contains(template)) {
      return;
    }
    (verb == Verb.PUT || verb == Verb.DELETE ? writes : reads).increment();
    times.recordValue(Math.min(Math.max(nanos, 0), MOST_NANOS));
  }

  /** The figures now; the next ones are about what comes later. */
  synchronized Figures next() {
    Histogram last = times.getIntervalHistogram(spare);
    spare = last;
    return new Figures(reads.sum(), writes.sum(), millis(last, 50), millis(last, 99));
  }

  private static double millis(Histogram times, double percentile) {
    return times.getTotalCount() == 0
        ? 0
        : Math.round(times.getValueAtPercentile(percentile) / 1e3) / 1e3;
  }
}
