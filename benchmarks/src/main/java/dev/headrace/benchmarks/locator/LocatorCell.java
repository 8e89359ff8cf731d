package dev.headrace.benchmarks.locator;

import java.util.Map;

/** One system with a number of nodes and a length of the keys' tails. */
record LocatorCell(String system, int nodes, int tail) {

  Map<String, String> parameters() {
    return Map.of("nodes", Integer.toString(nodes), "tail", Integer.toString(tail));
  }

  /** The name of the cell's ratio. */
  String key() {
    return system + "_" + nodes + "_" + tail;
  }

  /** What the proposal gained with MurmurHash3 and its direct look-up over its original. */
  double seedMurmur3Direct() {
    if (tail == 0) {
      return nodes == 10 ? 9.87 : 11.4;
    }
    return nodes == 10 ? 4.55 : 5.07;
  }
}
