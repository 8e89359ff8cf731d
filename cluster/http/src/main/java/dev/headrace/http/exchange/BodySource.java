package dev.headrace.http.exchange;

/**
 * Gives the body of a request piece by piece: the socket is read only when a piece is asked for.
 */
@FunctionalInterface
public interface BodySource {

  /** Asks for the next piece, or the end. Once for each, and not before it came; any thread. */
  void request();
}
