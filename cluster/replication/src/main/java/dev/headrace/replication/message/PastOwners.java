package dev.headrace.replication.message;

import dev.headrace.stream.NodeId;
import java.util.List;

/**
 * The owners that a segment had for a while.
 *
 * @param epoch the epoch at which they became its owners
 * @param owners the primary first
 */
public record PastOwners(long epoch, List<NodeId> owners) {
  /** The most that are told of one segment. */
  public static final int MAX_TOLD = 8;

  public PastOwners {
    owners = List.copyOf(owners);
  }
}
