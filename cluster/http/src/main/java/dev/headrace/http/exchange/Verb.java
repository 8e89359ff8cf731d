package dev.headrace.http.exchange;

/** The methods of HTTP that some route knows. */
public enum Verb {
  /** Reads. */
  GET,
  /** Reads the headers only; every route with {@link #GET} has it. */
  HEAD,
  /** Writes. */
  PUT,
  /** Adds. */
  POST,
  /** Removes. */
  DELETE,
  /** Any other, which no route allows. */
  OTHER;

  /** The method of a name, which is written in capitals. */
  public static Verb of(String name) {
    return switch (name) {
      case "GET" -> GET;
      case "HEAD" -> HEAD;
      case "PUT" -> PUT;
      case "POST" -> POST;
      case "DELETE" -> DELETE;
      default -> OTHER;
    };
  }
}
