package dev.headrace.http.load;

import dev.headrace.api.ingest.CacheSink;
import dev.headrace.api.ingest.SinkSubscriber;
import dev.headrace.http.cache.LifespanParameter;
import dev.headrace.http.cache.OpenCache;
import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.QueryParameters;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a body is to be loaded.
 *
 * @param csv whether it is CSV; else it is lines of JSON
 * @param lifespan how long entries are to stay; null for as long as the cache says
 * @param ifAbsent whether only absent keys are written
 * @param stop whether the load ends with the first record that fails
 */
record LoadRequest(boolean csv, @Nullable Duration lifespan, boolean ifAbsent, boolean stop) {
  /** What the sink of a load may hold. */
  static final long SINK_BYTES = 4L << 20;

  private static final Set<String> PARAMETERS =
      Set.of("format", "lifespan", "ifAbsent", "stopAtFirstFailure");

  /**
   * Reads a request.
   *
   * @throws ProblemException 400 or 415 if it is damaged
   */
  static LoadRequest of(HttpCall call) {
    QueryParameters query = call.query();
    query.allowOnly(PARAMETERS);
    return new LoadRequest(
        isCsv(query.value("format"), call.header("content-type")),
        LifespanParameter.of(call),
        query.flag("ifAbsent"),
        query.flag("stopAtFirstFailure"));
  }

  private static boolean isCsv(@Nullable String format, @Nullable String contentType) {
    if (format != null) {
      if (!format.equals("csv") && !format.equals("ndjson")) {
        throw new ProblemException(400, "The parameter format is ndjson or csv");
      }
      return format.equals("csv");
    }
    String type =
        contentType == null ? "" : contentType.split(";", -1)[0].strip().toLowerCase(Locale.ROOT);
    return switch (type) {
      case "text/csv" -> true;
      case "application/x-ndjson", "application/ndjson", "application/jsonl" -> false;
      default ->
          throw new ProblemException(
              415,
              "Send records as application/x-ndjson or text/csv and say so in Content-Type, or with"
                  + " the parameter format");
    };
  }

  /**
   * Makes an intake of one body.
   *
   * @param failed is told what the load, or a record, fails with
   */
  LoadIntake intake(
      OpenCache cache, int lineBytes, RecordBudget budget, Consumer<Throwable> failed) {
    CacheSink<byte[], byte[]> sink =
        cache.bytes().sink().memoryBytes(SINK_BYTES).failedRecords(LoadReport.MOST_NAMED);
    if (lifespan != null) {
      sink = sink.lifespan(entry -> lifespan);
    }
    if (ifAbsent) {
      sink = sink.ifAbsent();
    }
    if (stop) {
      sink = sink.stopAtFirstFailure();
    }
    CacheSink<byte[], byte[]> prepared = sink;
    return new LoadIntake(
        csv ? new CsvRecords(cache) : new JsonRecords(cache),
        new RecordSplitter(csv, lineBytes, budget),
        cache.keys(),
        stop,
        ended -> told(prepared.recordEnded(ended).subscriber(), failed));
  }

  private static <T> SinkSubscriber<T> told(SinkSubscriber<T> sink, Consumer<Throwable> failed) {
    var unused =
        sink.report()
            .whenComplete(
                (report, failure) -> {
                  if (failure != null) {
                    failed.accept(failure);
                  } else {
                    report.failedRecords().forEach(record -> failed.accept(record.cause()));
                  }
                });
    return sink;
  }
}
