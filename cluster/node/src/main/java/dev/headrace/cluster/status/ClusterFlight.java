package dev.headrace.cluster.status;

import dev.headrace.api.ClusterEvent;
import dev.headrace.api.ClusterEvent.NodeJoined;
import dev.headrace.api.ClusterEvent.NodeLeft;
import dev.headrace.api.ClusterEvent.Rebalanced;
import dev.headrace.api.ClusterEvent.Resumed;
import dev.headrace.api.ClusterEvent.SegmentsLost;
import dev.headrace.api.ClusterEvent.Suspended;
import java.util.Locale;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** What happens in the cluster as the JDK's flight recorder has it. */
@Name("dev.headrace.Cluster")
@Label("Cluster Event")
@Description(
    "A node that joined or left, segments that were lost, a rebalance that is complete, or this"
        + " node's suspension or return")
@Category("Headrace")
@StackTrace(false)
final class ClusterFlight extends Event {

  @Label("Kind")
  @Description("NodeJoined, NodeLeft, SegmentsLost, Rebalanced, Suspended or Resumed")
  String kind = "";

  @Label("Event")
  @Description("What happened, for people")
  String event = "";

  @Label("Node")
  @Description("The node that joined or left")
  @Nullable String node;

  @Label("Address")
  @Description("Host and data port of that node")
  @Nullable String address;

  @Label("Back")
  @Description("Whether a node that joined brings back what it held")
  boolean back;

  @Label("Parting")
  @Description("How a node left: left, lost, awaited or given_up")
  @Nullable String parting;

  @Label("Segments")
  @Description("Segments that were lost")
  int segments;

  @Label("Replicas")
  @Description("Replicas of segments that a rebalance copied")
  int replicas;

  @Label("Bytes")
  @Description("Bytes of entries that a rebalance copied")
  @DataAmount
  long bytes;

  @Label("Elapsed")
  @Description("How long a rebalance or a suspension took")
  @Timespan(Timespan.NANOSECONDS)
  long elapsed;

  @Label("Missing Nodes")
  @Description("Data nodes that could not be reached when this node was suspended")
  int missing;

  /**
   * Records an event, if somebody records.
   *
   * @param text the event for people
   */
  static void note(ClusterEvent event, String text) {
    ClusterFlight flight = new ClusterFlight();
    if (flight.shouldCommit()) {
      flight.event = text;
      flight.fill(event);
      flight.commit();
    }
  }

  private void fill(ClusterEvent of) {
    kind = of.getClass().getSimpleName();
    if (of instanceof NodeJoined joined) {
      node = joined.node();
      address = joined.address();
      back = joined.back();
    } else if (of instanceof NodeLeft left) {
      node = left.node();
      address = left.address();
      parting = left.parting().name().toLowerCase(Locale.ROOT);
    } else if (of instanceof SegmentsLost lost) {
      segments = lost.segments().size();
    } else if (of instanceof Rebalanced done) {
      replicas = done.replicas();
      bytes = done.bytes();
      elapsed = done.elapsed().toNanos();
    } else if (of instanceof Suspended suspended) {
      missing = suspended.missing().size();
    } else if (of instanceof Resumed resumed) {
      elapsed = resumed.elapsed().toNanos();
    }
  }
}
