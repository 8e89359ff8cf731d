package dev.headrace.replication.message;

import dev.headrace.stream.change.ChangeAnswer;

/**
 * The answer to a {@link ChangesRead}.
 *
 * @param number the question's number
 */
public record ChangesReply(long number, ChangeAnswer answer) implements ReplicationMessage {

  /** That of the question. */
  @Override
  public int share() {
    return (int) number & Integer.MAX_VALUE;
  }
}
