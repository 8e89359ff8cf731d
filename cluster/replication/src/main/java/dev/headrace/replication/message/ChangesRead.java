package dev.headrace.replication.message;

import dev.headrace.stream.change.ChangeQuery;

/**
 * Asks an owner for changes of its segments. It answers with a {@link ChangesReply}, perhaps later.
 *
 * @param number the asking node's number for it
 */
public record ChangesRead(long number, ChangeQuery query) implements ReplicationMessage {

  /** Any: reads of changes depend on no order. */
  @Override
  public int share() {
    return (int) number & Integer.MAX_VALUE;
  }
}
