package dev.headrace.cluster.status;

import dev.headrace.replication.message.RepairStats;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs warnings about segments for operators. */
public final class OperatorWarnings {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorWarnings.class);

  private OperatorWarnings() {}

  /** A segment is to be copied to a node that has no room for it. */
  public static void noRoom(String destination, int segment, long bytes) {
    warn(
        "Segment %d (%,d bytes) is to be copied to node %s, which has no room for it; the copy waits: remove entries, add nodes, or raise its memoryBytes"
            .formatted(segment, bytes, destination));
  }

  /** A replica of this node has lost its history. */
  public static void damaged(String cache, int segment, String reason) {
    warn("Segment " + segment + " of cache \"" + cache + "\" no longer serves here: " + reason);
  }

  /** Replicas were found to differ, and have been repaired. */
  public static void differed(String cache, int segment, RepairStats stats) {
    warn(
        "Backups differed from their primary, this node, in segment %d of cache \"%s\": %d ranges differed, %d entries were repaired, %d of them had a higher version"
            .formatted(segment, cache, stats.differences(), stats.repaired(), stats.newer()));
  }

  static void warn(String text) {
    LOG.warn(text);
  }
}
