package dev.headrace.replication.message;

import java.util.List;

/**
 * The coordinator does not want some copies any more.
 *
 * @param migrations their names
 */
public record CopyCancel(List<Long> migrations) implements ReplicationMessage {

  public CopyCancel {
    migrations = List.copyOf(migrations);
  }
}
