package dev.headrace.http.change;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.headrace.api.codec.ByteOutput;
import dev.headrace.api.stream.Change;
import dev.headrace.http.cache.OpenCache;
import java.util.Locale;

/** Writes changes as server-sent events. Used by one thread at a time. */
final class ChangeEvents {
  private final OpenCache cache;
  private final StringBuilder text = new StringBuilder();

  /** Of a cache whose formats are known. */
  ChangeEvents(OpenCache cache) {
    this.cache = cache;
  }

  /**
   * A change. The event's name is its kind in small letters.
   *
   * @throws RuntimeException if its bytes are none of the cache's formats
   */
  void change(Change<byte[], byte[]> change, ByteOutput out) {
    text.setLength(0);
    text.append("event: ").append(change.kind().name().toLowerCase(Locale.ROOT));
    text.append("\ndata: {\"segment\":").append(change.segment());
    if (change instanceof Change.OfKey<byte[], byte[]> ofKey) {
      text.append(",\"key\":");
      cache.keys().appendJson(ofKey.key(), text);
      value("value", ofKey.value());
      value("previous", ofKey.previous());
      text.append(",\"version\":\"").append(ofKey.version()).append('"');
    }
    text.append("}\n\n");
    out.writeUtf8(text.toString());
  }

  private void value(String name, byte @org.jspecify.annotations.Nullable [] value) {
    if (value != null) {
      text.append(",\"").append(name).append("\":");
      cache.values().appendJson(value, text);
    }
  }

  /** The place behind the events so far, without an event. */
  void token(String token, ByteOutput out) {
    out.writeUtf8("id: " + token + "\n\n");
  }

  /** None that is made from now on is missed. */
  void started(ByteOutput out) {
    out.writeUtf8("event: started\ndata: {}\n\n");
  }

  /**
   * Why there are no more events.
   *
   * @param problem a JSON object
   * @param token to go on with; empty if there is none
   */
  void failure(String problem, String token, ByteOutput out) {
    text.setLength(0);
    text.append("event: failed\ndata: ").append(problem, 0, problem.length() - 1);
    if (!token.isEmpty()) {
      text.append(",\"resume\":\"");
      JsonStringEncoder.getInstance().quoteAsString(token, text);
      text.append('"');
    }
    text.append("}\n\n");
    out.writeUtf8(text.toString());
  }
}
