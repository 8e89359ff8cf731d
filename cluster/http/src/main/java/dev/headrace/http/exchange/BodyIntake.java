package dev.headrace.http.exchange;

import java.util.concurrent.CompletionStage;

/**
 * Takes the body of a request piece by piece, while it arrives. The connection calls its methods on
 * an event loop, one at a time; they must not block. Nothing follows {@link #end} or {@link
 * #cancelled}.
 */
public interface BodyIntake {

  /**
   * Begins. No piece comes that was not asked for.
   *
   * @param source gives the pieces
   */
  void begin(BodySource source);

  /**
   * A piece, which was asked for.
   *
   * @param piece at least one byte; belongs to the intake from now on
   */
  void piece(byte[] piece);

  /** The body has ended, in answer to a {@link BodySource#request}. */
  void end();

  /** The rest does not come: the client has gone, or has been silent for too long. */
  void cancelled();

  /**
   * The reply, when it is known; perhaps before the end of the body, whose rest is then dropped.
   * The same stage always.
   */
  CompletionStage<HttpReply> reply();
}
