package dev.headrace.cluster.ingest;

import dev.headrace.cluster.ingest.batch.NodeTotals;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What all sinks of a node have sent, by the node that it went to: the sums of those that have
 * ended, and what those that run tell when they are asked. Costs a sink nothing while it runs.
 * Thread-safe.
 */
public final class IngestTotals {
  /** The most nodes that are told apart; further ones are {@link #OTHERS} together. */
  public static final int MAX_NODES = 1024;

  /** Stands for all nodes that are not told apart. */
  public static final String OTHERS = "others";

  // Guarded by this.
  private final Map<String, NodeTotals> ended = new HashMap<>();
  private final Set<Supplier<List<NodeTotals>>> running = new HashSet<>();

  /** A sink that has a source, and how far it is; see {@link #ended}. */
  synchronized void begun(Supplier<List<NodeTotals>> sink) {
    running.add(sink);
  }

  /** The same sink sends nothing any more. */
  synchronized void ended(Supplier<List<NodeTotals>> sink) {
    if (running.remove(sink)) {
      add(sink.get(), ended);
    }
  }

  /** How many sinks have a source and have not ended. */
  public synchronized int running() {
    return running.size();
  }

  /** The sums of each node, in no order. Those of sinks that run are up to 100 ms old. */
  public synchronized List<NodeTotals> byNode() {
    Map<String, NodeTotals> all = new HashMap<>(ended);
    running.forEach(sink -> add(sink.get(), all));
    return new ArrayList<>(all.values());
  }

  private static void add(Collection<NodeTotals> more, Map<String, NodeTotals> sums) {
    for (NodeTotals each : more) {
      boolean apart = sums.size() < MAX_NODES || sums.containsKey(each.node());
      NodeTotals named = apart ? each : each.named(OTHERS);
      sums.merge(named.node(), named, NodeTotals::plus);
    }
  }
}
