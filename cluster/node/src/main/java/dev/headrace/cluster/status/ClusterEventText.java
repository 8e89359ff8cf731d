package dev.headrace.cluster.status;

import dev.headrace.api.ClusterEvent;
import dev.headrace.api.ClusterEvent.NodeJoined;
import dev.headrace.api.ClusterEvent.NodeLeft;
import dev.headrace.api.ClusterEvent.Rebalanced;
import dev.headrace.api.ClusterEvent.Resumed;
import dev.headrace.api.ClusterEvent.SegmentsLost;
import dev.headrace.api.ClusterEvent.Suspended;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;

/** What has happened in a cluster as a line of a log. */
final class ClusterEventText {
  private static final double MILLIS_PER_SECOND = 1e3;
  private static final double BYTES_PER_MEGABYTE = 1e6;

  private ClusterEventText() {}

  /** A line about an event. */
  static String of(ClusterEvent event) {
    if (event instanceof NodeJoined joined) {
      return joined.node()
          + " ("
          + joined.address()
          + (joined.back() ? ") is back" : ") has joined");
    } else if (event instanceof NodeLeft left) {
      return left.node() + " (" + left.address() + ") " + parting(left.parting());
    } else if (event instanceof SegmentsLost lost) {
      return lost.segments().size() + " segments have lost all their owners and begin empty";
    } else if (event instanceof Rebalanced done) {
      return String.format(
          Locale.ROOT,
          "Rebalanced: %,d replicas of segments were copied in %.1f s, %,.1f MB",
          done.replicas(),
          seconds(done.elapsed()),
          done.bytes() / BYTES_PER_MEGABYTE);
    } else if (event instanceof Suspended suspended) {
      return suspended.reason();
    } else if (event instanceof Resumed resumed) {
      return String.format(
          Locale.ROOT, "This node serves again after %.1f s", seconds(resumed.elapsed()));
    }
    throw new IllegalArgumentException("Unknown: " + event);
  }

  /** A line about an event, with the number of members after it. */
  static String of(ClusterEvent event, SegmentTable now) {
    return of(event) + "; " + size(now);
  }

  /** Who is in a cluster. */
  static String members(SegmentTable now) {
    return size(now)
        + ": "
        + now.members().stream().map(Member::toString).collect(Collectors.joining(", "));
  }

  private static String size(SegmentTable now) {
    int holding = now.dataNodes().size();
    int nodes = now.members().size();
    return nodes
        + (nodes == 1 ? " node" : " nodes")
        + (holding == nodes ? "" : ", " + holding + " of them with data")
        + (now.hasEnded() ? "; the cluster has ended" : "");
  }

  private static String parting(ClusterEvent.Parting parting) {
    return switch (parting) {
      case LEFT -> "has left";
      case LOST -> "crashed or cannot be reached any more, and others have what it held";
      case AWAITED -> "cannot be reached any more, and segments wait for what only it holds";
      case GIVEN_UP -> "was given up, and what only it holds is lost";
    };
  }

  private static double seconds(Duration time) {
    return time.toMillis() / MILLIS_PER_SECOND;
  }
}
