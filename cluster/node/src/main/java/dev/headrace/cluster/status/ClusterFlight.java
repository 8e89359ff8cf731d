package dev.headrace.cluster.status;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** What happens in the cluster as the JDK's flight recorder has it. */
@Name("dev.headrace.Cluster")
@Label("Cluster Event")
@Description("A node that joined or left, segments that were lost, or a rebalance that is complete")
@Category("Headrace")
@StackTrace(false)
final class ClusterFlight extends Event {

  @Label("Event")
  String event = "";

  /** Records an event, if somebody records. */
  static void note(String text) {
    ClusterFlight flight = new ClusterFlight();
    if (flight.isEnabled()) {
      flight.event = text;
      flight.commit();
    }
  }
}
