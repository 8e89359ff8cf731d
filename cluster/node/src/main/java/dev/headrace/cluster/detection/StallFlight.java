package dev.headrace.cluster.detection;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A node that stood still as the JDK's flight recorder has it: told when it goes on. */
@Name("dev.headrace.Stall")
@Label("Node Stall")
@Description("A node whose periodic work stood still: its process or its machine was paused")
@Category("Headrace")
@StackTrace(false)
final class StallFlight extends Event {

  @Label("Node")
  String node = "";

  @Label("Stalled")
  @Description("From the last periodic work to the next")
  @Timespan(Timespan.NANOSECONDS)
  long stalled;

  /**
   * Records a stall that is over, if somebody records.
   *
   * @param node the name of the node
   */
  static void note(String node, long stalledNanos) {
    StallFlight flight = new StallFlight();
    if (flight.shouldCommit()) {
      flight.node = node;
      flight.stalled = stalledNanos;
      flight.commit();
    }
  }
}
