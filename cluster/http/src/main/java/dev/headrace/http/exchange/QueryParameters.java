package dev.headrace.http.exchange;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parameters of a URL. Immutable. */
public final class QueryParameters {
  private static final int MAX_PARAMETERS = 64;

  private final Map<String, List<String>> values;

  private QueryParameters(Map<String, List<String>> values) {
    this.values = values;
  }

  /**
   * Reads what follows the question mark of a URL.
   *
   * @throws ProblemException 400 if there are too many parameters or they are damaged
   */
  public static QueryParameters parse(String query) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    int count = 0;
    for (String part : query.split("&", -1)) {
      if (part.isEmpty()) {
        continue;
      }
      if (++count > MAX_PARAMETERS) {
        throw new ProblemException(
            400, "The URL has more than " + MAX_PARAMETERS + " parameters; send fewer");
      }
      int equals = part.indexOf('=');
      String name = PercentText.decode(equals < 0 ? part : part.substring(0, equals), true);
      String value = equals < 0 ? "" : PercentText.decode(part.substring(equals + 1), true);
      values.computeIfAbsent(name, unused -> new ArrayList<>()).add(value);
    }
    return new QueryParameters(values);
  }

  /**
   * The value of a parameter, or null if it is missing.
   *
   * @throws ProblemException 400 if it is there more than once
   */
  public @Nullable String value(String name) {
    List<String> all = values.get(name);
    if (all == null) {
      return null;
    }
    if (all.size() > 1) {
      throw new ProblemException(400, "The parameter " + name + " is given more than once");
    }
    return all.get(0);
  }

  /**
   * The number that a parameter gives.
   *
   * @param otherwise the number if the parameter is missing
   * @throws ProblemException 400 if it is no number within the bounds
   */
  public long number(String name, long otherwise, long least, long most) {
    String text = value(name);
    if (text == null) {
      return otherwise;
    }
    try {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw new ProblemException(400, notBetween(name, least, most, text), e);
    }
    throw new ProblemException(400, notBetween(name, least, most, text));
  }

  private static String notBetween(String name, long least, long most, String text) {
    return "The parameter %s must be a number from %d to %d, but is \"%s\""
        .formatted(name, least, most, shortened(text));
  }

  /**
   * Whether a parameter is {@code true}.
   *
   * @throws ProblemException 400 if it is neither true nor false
   */
  public boolean flag(String name) {
    String text = value(name);
    if (text == null || text.equals("false")) {
      return false;
    }
    if (text.equals("true")) {
      return true;
    }
    throw new ProblemException(
        400, "The parameter " + name + " must be true or false, but is \"" + shortened(text) + '"');
  }

  /**
   * Refuses parameters that a route does not have: one that is misspelt would be passed over.
   *
   * @throws ProblemException 400 if there is another one
   */
  public void allowOnly(Set<String> names) {
    for (String name : values.keySet()) {
      if (!names.contains(name)) {
        throw new ProblemException(
            400,
            "There is no parameter \"%s\" here%s"
                .formatted(
                    shortened(name),
                    names.isEmpty() ? "" : "; there are " + String.join(", ", names)));
      }
    }
  }

  private static String shortened(String text) {
    return text.length() <= 64 ? text : text.substring(0, 64) + "…";
  }
}
