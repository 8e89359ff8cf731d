package dev.headrace.http.exchange;

import java.util.concurrent.CompletionStage;

/** Takes the requests of a route whose body is handled while it arrives. */
@FunctionalInterface
public interface IntakeHandler {

  /**
   * Begins a request. Called on an event loop; must not block. If the client has gone when the
   * stage ends, the intake is cancelled without having begun.
   *
   * @param head the request without its body
   * @return what takes the body, when it is known
   * @throws ProblemException if there is something wrong with the request; it may also end the
   *     stage
   */
  CompletionStage<BodyIntake> open(HttpCall head);
}
