package dev.headrace.http.server;

import dev.headrace.http.exchange.Verb;
import org.jspecify.annotations.Nullable;

/** Is told what a port does, for figures. Called by event loops; must not block. */
public interface PortListener {

  /** A connection was opened. */
  void opened();

  /** A connection was closed. */
  void closed();

  /**
   * A request was answered.
   *
   * @param template the path of its route; null if it has none
   * @param status of the reply
   * @param nanos from its last byte to the first of the reply
   */
  void answered(Verb verb, @Nullable String template, int status, long nanos);

  /** So many bytes of a body were sent. */
  void sent(int bytes);
}
