package dev.headrace.cluster.node;

import dev.headrace.cluster.agreement.Rebalancing;
import dev.headrace.replication.lane.Lanes;

/**
 * What a node is doing, as text. Call its methods on the control executor.
 *
 * @param mayServe whether the node may answer now for the segments that it owns
 */
record Diagnosis(Lanes lanes, Rebalancing rebalancing, boolean mayServe) {

  /** What is under way on the node; empty if nothing is. */
  String inFlight() {
    StringBuilder text = new StringBuilder();
    if (!lanes.unsettled().isEmpty()) {
      text.append("lanes ").append(lanes.unsettled());
    }
    if (rebalancing.inFlight() > 0) {
      text.append(" migrations ").append(rebalancing.inFlight());
    }
    if (!mayServe) {
      text.append(" waits for a lease");
    }
    return text.toString();
  }

  /** What the node is doing. */
  String describe() {
    return "lanes %s, copying %s, %s".formatted(lanes.unsettled(), lanes.copying(), rebalancing);
  }
}
