package dev.headrace.replication.message;

import java.util.List;

/**
 * The director does not want some fills any more.
 *
 * @param migrations their names
 */
public record FillCancel(List<Long> migrations) implements ReplicationMessage {

  /** Copies the list. */
  public FillCancel {
    migrations = List.copyOf(migrations);
  }
}
