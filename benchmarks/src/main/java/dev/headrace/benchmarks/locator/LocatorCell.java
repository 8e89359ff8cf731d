package dev.headrace.benchmarks.locator;

import dev.headrace.benchmarks.harness.JmhCell;
import java.util.LinkedHashMap;
import java.util.Map;

/** One system with a number of nodes and a length of the keys' tails. */
record LocatorCell(String system, int nodes, int tail) {

  /** The ring of EVCache's own locator. */
  private static final String LEGACY_RING = "ketama-md5";

  /** The system that JMH's two parameters name together. */
  static String system(String hashRing, String locator) {
    if (hashRing.equals(LocatorBenchmark.NO_RING)) {
      return locator;
    }
    if (!locator.equals(Subject.LEGACY)) {
      return hashRing + "/" + locator;
    }
    if (!hashRing.equals(LEGACY_RING)) {
      throw new IllegalArgumentException("EVCache's locator has the ring " + LEGACY_RING + " only");
    }
    return Subject.LEGACY;
  }

  /** This cell for JMH. */
  JmhCell jmh() {
    int slash = system.indexOf('/');
    boolean legacy = system.equals(Subject.LEGACY);
    String ring = slash < 0 ? LocatorBenchmark.NO_RING : system.substring(0, slash);
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("hashRing", legacy ? LEGACY_RING : ring);
    parameters.put("locator", system.substring(slash + 1));
    parameters.put("nodeCount", Integer.toString(nodes));
    parameters.put("keyTailLength", Integer.toString(tail));
    return new JmhCell(LocatorBenchmark.class, "testGetPrimary", 1, parameters);
  }

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
