package dev.headrace.http.exchange;

import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request that has arrived as a whole.
 *
 * @param verb its method
 * @param path the path of its URL, as it was sent
 * @param variables the parts of the path that its route names
 * @param query the parameters of its URL
 * @param headers the value of a header by its name, whose case does not matter; null if it is
 *     missing; several of one name are joined by commas
 * @param body its body, which is empty if it has none; nobody changes it
 * @param loop runs tasks on the event loop of its connection, which must neither block nor be kept
 *     for long: a reply that is made there leaves at once
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over, never compared.
public record HttpCall(
    Verb verb,
    String path,
    Map<String, String> variables,
    QueryParameters query,
    Function<String, @Nullable String> headers,
    byte[] body,
    Executor loop) {

  /** The value of a header, or null if it is missing. */
  public @Nullable String header(String name) {
    return headers.apply(name);
  }

  /**
   * The value of a parameter, which may also be sent as a header, because it may be longer than a
   * request line.
   *
   * @return null if both are missing
   * @throws ProblemException 400 if both are there
   */
  public @Nullable String queryOrHeader(String parameter, String header) {
    String asked = query.value(parameter);
    String sent = header(header);
    if (asked != null && sent != null) {
      throw new ProblemException(
          400, "Send either the parameter " + parameter + " or the header " + header);
    }
    return asked == null ? sent : asked;
  }

  /** A part of the path by the name that its route gives it. */
  public String variable(String name) {
    String value = variables.get(name);
    if (value == null) {
      throw new IllegalArgumentException("The route of " + path + " has no {" + name + "}");
    }
    return value;
  }

  /** The same with the parts of the path that a route names. */
  HttpCall withVariables(Map<String, String> found) {
    return new HttpCall(verb, path, found, query, headers, body, loop);
  }
}
