package dev.headrace.http.exchange;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One of the values that a client accepts, and how much it likes it: RFC 9110, 12.4.2.
 *
 * @param name in lower case, without parameters
 * @param quality 1 unless it is given; 0 for what is not acceptable
 */
public record AcceptedValue(String name, double quality) {

  /**
   * Reads a header such as {@code Accept-Encoding}.
   *
   * @throws ProblemException 400 if a q is no number
   */
  public static List<AcceptedValue> parse(String header) {
    List<AcceptedValue> all = new ArrayList<>();
    for (String value : header.toLowerCase(Locale.ROOT).split(",", -1)) {
      String[] parts = value.split(";", -1);
      all.add(new AcceptedValue(parts[0].strip(), quality(parts)));
    }
    return all;
  }

  private static double quality(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip();
      if (parameter.startsWith("q=")) {
        try {
          return Double.parseDouble(parameter.substring(2));
        } catch (NumberFormatException e) {
          throw new ProblemException(400, "The q of what the client accepts is no number", e);
        }
      }
    }
    return 1;
  }
}
