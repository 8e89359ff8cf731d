package dev.headrace.cluster.status;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A time in which a node serves nothing as the JDK's flight recorder has it: from the suspension to
 * the moment in which the node serves again, or to its end.
 */
@Name("dev.headrace.Suspension")
@Label("Suspension")
@Description("A node that refused reads, writes and streams, until it served again")
@Category("Headrace")
@StackTrace(false)
final class SuspensionFlight extends Event {

  @Label("Node")
  String node = "";

  @Label("Reason")
  @Description("Why it began")
  String reason = "";

  @Label("Missing Nodes")
  @Description("Data nodes that could not be reached when it began")
  int missing;

  @Label("Resumed")
  @Description("Whether the node served again; if not, it was closed before")
  boolean resumed;

  /**
   * Records a suspension that begins, if somebody records.
   *
   * @param node the name of this node
   * @param missing how many data nodes cannot be reached
   */
  static SuspensionFlight begun(String node, String reason, int missing) {
    SuspensionFlight flight = new SuspensionFlight();
    if (flight.isEnabled()) {
      flight.node = node;
      flight.reason = reason;
      flight.missing = missing;
      flight.begin();
    }
    return flight;
  }

  /** It is over. */
  void ended(boolean servesAgain) {
    resumed = servesAgain;
    if (!reason.isEmpty()) {
      commit();
    }
  }
}
