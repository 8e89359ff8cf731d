package dev.headrace.stream.publisher;

import dev.headrace.stream.pull.Pulled;
import java.util.Objects;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * A stream as the JDK's flight recorder has it: from its first request to its end, on the node that
 * pulls. Costs nothing while nobody records.
 */
@Name("dev.headrace.Stream")
@Label("Stream")
@Description("A stream over the content of a cache, from its beginning to its end")
@Category("Headrace")
@StackTrace(false)
final class StreamFlight extends Event implements RecordedPull.Ending {

  @Label("Cache")
  String cache = "";

  @Label("Elements")
  @Description("Elements that were handed over")
  long elements;

  @Label("Outcome")
  @Description("complete, cancelled or failed")
  String outcome = "";

  @Label("Failure")
  @Description("Why it failed; nothing if it did not")
  @Nullable String failure;

  /**
   * Records what is pulled, if somebody records now.
   *
   * @param cache the name of the cache that is streamed
   */
  static <T> Pulled<T> recorded(Pulled<T> pulled, String cache) {
    StreamFlight flight = new StreamFlight();
    if (!flight.isEnabled()) {
      return pulled;
    }
    flight.cache = cache;
    flight.begin();
    return new RecordedPull<>(pulled, flight);
  }

  @Override
  public void ended(long handedOver, boolean complete, @Nullable Throwable thrown) {
    end();
    if (shouldCommit()) {
      elements = handedOver;
      outcome = thrown != null ? "failed" : complete ? "complete" : "cancelled";
      failure =
          thrown == null
              ? null
              : Objects.requireNonNullElse(thrown.getMessage(), thrown.toString());
      commit();
    }
  }
}
