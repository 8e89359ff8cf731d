package dev.headrace.http.expression;

import dev.headrace.http.exchange.ProblemException;
import dev.headrace.http.exchange.QueryParameters;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Which segments a request wants. */
public final class SegmentsParameter {
  private SegmentsParameter() {}

  /**
   * The parameter {@code segments}: numbers and ranges such as {@code 0-3,7}.
   *
   * @param segments how many the cluster has
   * @return null for all
   * @throws ProblemException 400 if it is damaged
   */
  public static @Nullable BitSet of(QueryParameters query, int segments) {
    String text = query.value("segments");
    if (text == null) {
      return null;
    }
    BitSet wanted = new BitSet(segments);
    for (String part : text.split(",", -1)) {
      int dash = part.indexOf('-');
      int first = number(dash < 0 ? part : part.substring(0, dash), segments);
      int last = dash < 0 ? first : number(part.substring(dash + 1), segments);
      if (last < first) {
        throw new ProblemException(400, "The range of segments " + part + " is empty");
      }
      wanted.set(first, last + 1);
    }
    return wanted;
  }

  private static int number(String text, int segments) {
    try {
      int segment = Integer.parseInt(text);
      if (segment >= 0 && segment < segments) {
        return segment;
      }
    } catch (NumberFormatException e) {
      throw new ProblemException(
          400, "The parameter segments is a list of numbers and ranges such as 0-3,7", e);
    }
    throw new ProblemException(
        400, "There is no segment " + text + "; there are 0 to " + (segments - 1));
  }
}
