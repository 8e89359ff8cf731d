package dev.headrace.http.cache;

import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.ProblemException;
import java.time.DateTimeException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long an entry is to stay, as a parameter tells it. */
public final class LifespanParameter {
  private static final Duration MOST = Duration.ofDays(36_500);

  private LifespanParameter() {}

  /**
   * The parameter {@code lifespan}: seconds, or a duration of ISO 8601 such as {@code PT90S}.
   *
   * @return null if it is missing
   * @throws ProblemException 400 if it is neither, or not positive
   */
  public static @Nullable Duration of(HttpCall call) {
    String text = call.query().value("lifespan");
    if (text == null) {
      return null;
    }
    Duration lifespan;
    try {
      lifespan =
          text.startsWith("P") ? Duration.parse(text) : Duration.ofSeconds(Long.parseLong(text));
    } catch (DateTimeException | NumberFormatException | ArithmeticException e) {
      throw new ProblemException(
          400, "The parameter lifespan is a number of seconds or a duration such as PT90S", e);
    }
    if (lifespan.isZero() || lifespan.isNegative() || lifespan.compareTo(MOST) > 0) {
      throw new ProblemException(
          400, "The parameter lifespan must be above zero and at most " + MOST.toSeconds() + " s");
    }
    return lifespan;
  }
}
