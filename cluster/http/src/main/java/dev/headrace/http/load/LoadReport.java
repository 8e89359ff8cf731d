package dev.headrace.http.load;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.headrace.api.ingest.FailedRecord;
import dev.headrace.api.ingest.IngestProgress;
import dev.headrace.api.ingest.IngestReport;
import dev.headrace.http.text.TextForm;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What could not be read of a body, and the report of all of it as JSON. Guarded by itself.
 *
 * <pre>{@code
 * {"complete":true,"records":4,"written":2,"present":0,"failed":2,"writtenBytes":19,"millis":8,
 *  "failures":[{"line":3,"error":"…"},{"key":"…","error":"…"}]}
 * }</pre>
 *
 * <p>Of a key with more than {@link #MOST_KEY_BYTES} only the first are named if it is a string,
 * else none; {@code keyBytes} tells how many it has.
 */
final class LoadReport {
  /** The most failed records that are named, of each kind. */
  static final int MOST_NAMED = 100;

  /** The most bytes of a key that is named as a whole. */
  static final int MOST_KEY_BYTES = 1024;

  private static final int MESSAGE_LENGTH = 300;

  private final List<String> named = new ArrayList<>();
  private long unreadable;

  /** A record could not be read. */
  synchronized void unreadable(long line, String message) {
    unreadable++;
    if (named.size() < MOST_NAMED) {
      StringBuilder json = new StringBuilder("{\"line\":").append(line);
      error(message, json);
      named.add(json.append('}').toString());
    }
  }

  /** The report. */
  synchronized String json(IngestReport report, TextForm keys) {
    IngestProgress total = report.total();
    StringBuilder json = new StringBuilder("{\"complete\":").append(report.complete());
    json.append(",\"records\":").append(total.received() + unreadable);
    json.append(",\"written\":").append(total.written());
    json.append(",\"present\":").append(total.present());
    json.append(",\"failed\":").append(total.failed() + unreadable);
    json.append(",\"writtenBytes\":").append(total.writtenBytes());
    json.append(",\"millis\":").append(report.duration().toMillis());
    json.append(",\"failures\":[").append(String.join(",", named));
    boolean follows = !named.isEmpty();
    for (FailedRecord failed : report.failedRecords()) {
      json.append(follows ? ",{" : "{").append("\"key\":");
      key(failed, keys, json);
      error(String.valueOf(failed.cause().getMessage()), json);
      json.append('}');
      follows = true;
    }
    return json.append("]}").toString();
  }

  private static void key(FailedRecord failed, TextForm keys, StringBuilder json) {
    if (!(failed.key() instanceof byte[] key)) {
      json.append("null");
    } else if (key.length <= MOST_KEY_BYTES) {
      keys.appendJson(key, json);
    } else {
      if (keys.format().equals("string")) {
        json.append('"');
        String begin = new String(key, 0, MOST_KEY_BYTES, StandardCharsets.UTF_8);
        JsonStringEncoder.getInstance().quoteAsString(begin, json);
        json.append("…\"");
      } else {
        json.append("null");
      }
      json.append(",\"keyBytes\":").append(key.length);
    }
  }

  private static void error(String message, StringBuilder json) {
    String shortened =
        message.length() <= MESSAGE_LENGTH ? message : message.substring(0, MESSAGE_LENGTH) + "…";
    json.append(",\"error\":\"");
    JsonStringEncoder.getInstance().quoteAsString(shortened, json);
    json.append('"');
  }
}
