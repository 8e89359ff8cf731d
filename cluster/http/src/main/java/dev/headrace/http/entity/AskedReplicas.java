package dev.headrace.http.entity;

import dev.headrace.http.exchange.HttpCall;
import dev.headrace.http.exchange.ProblemException;
import org.jspecify.annotations.Nullable;

/**
 * How many replicas of how many have to answer.
 *
 * @param ack so many have to
 * @param from of so many
 */
record AskedReplicas(int ack, int from) {
  private static final int MOST = 1_000_000;

  /**
   * Reads the parameters {@code ack} and {@code from}.
   *
   * @param all how many replicas there are of every entry; without parameters a majority of them
   *     has to answer
   * @throws ProblemException 400 if they are no numbers, or not {@code 1 <= ack <= from}
   */
  static AskedReplicas of(HttpCall call, int all) {
    Integer from = number(call, "from");
    Integer ack = number(call, "ack");
    int of = from == null ? Math.max(all, 1) : from;
    int wanted = ack == null ? of / 2 + 1 : ack;
    if (wanted < 1 || wanted > of) {
      throw new ProblemException(
          400, "ack must be from 1 to from, but they are " + wanted + " and " + of);
    }
    return new AskedReplicas(wanted, of);
  }

  private static @Nullable Integer number(HttpCall call, String name) {
    String text = call.query().value(name);
    if (text == null) {
      return null;
    }
    try {
      int number = Integer.parseInt(text);
      if (number <= MOST) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw new ProblemException(400, "The parameter " + name + " must be a number", e);
    }
    throw new ProblemException(400, "The parameter " + name + " is too large");
  }
}
