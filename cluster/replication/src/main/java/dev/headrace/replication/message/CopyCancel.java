package dev.headrace.replication.message;

import java.util.List;

/**
 * The coordinator cancels copies.
 *
 * @param migrations their names
 */
public record CopyCancel(List<Long> migrations) implements ReplicationMessage {
  public CopyCancel {
    migrations = List.copyOf(migrations);
  }
}
