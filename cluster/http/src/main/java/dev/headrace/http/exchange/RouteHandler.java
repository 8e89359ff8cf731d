package dev.headrace.http.exchange;

import java.util.concurrent.CompletionStage;

/** Answers the requests of a route. */
@FunctionalInterface
public interface RouteHandler {

  /**
   * Answers a request. Called on an event loop; must not block.
   *
   * @return the reply, when it is known
   * @throws ProblemException if there is something wrong with the request; it may also end the
   *     stage
   */
  CompletionStage<HttpReply> answer(HttpCall call);
}
