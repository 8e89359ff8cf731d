package dev.headrace.benchmarks.locator;

import dev.headrace.rebalance.placement.locator.LocatorNode;
import dev.headrace.rebalance.placement.locator.NodeLocator;
import dev.headrace.rebalance.placement.ring.RingAlgorithm;
import dev.headrace.rebalance.placement.ring.RingLocator;
import dev.headrace.rebalance.placement.ring.RingStructure;
import dev.headrace.rebalance.placement.segment.LocatorKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** What is measured: looks keys up, in a loop of its own so that the compiler knows whose it is. */
interface Subject {

  /** EVCache's own locator. */
  String LEGACY = "legacy";

  /** The segment table by hashes that are known. */
  String HASHED = "segment-table-hashed";

  /** Looks all keys up once; returns something that depends on all answers. */
  int lookUp();

  /** All systems that can be measured. */
  static List<String> names() {
    List<String> names = new ArrayList<>(List.of(LEGACY, HASHED));
    for (RingAlgorithm algorithm : RingAlgorithm.values()) {
      names.addAll(ring(algorithm));
    }
    names.addAll(better());
    return names;
  }

  /** A ring with every structure. */
  static List<String> ring(RingAlgorithm algorithm) {
    return Arrays.stream(RingStructure.values())
        .map(structure -> algorithm + "/" + structure)
        .toList();
  }

  /** Those that are not rings. */
  static List<String> better() {
    return List.of(
        "segment-table", "maglev", "jump", "jump-back", "jump-back-anchor", "rendezvous");
  }

  /** The nodes of the test. */
  static List<LocatorNode> nodes(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> new LocatorNode(address(i))).toList();
  }

  /** Addresses go on in the next network when one is full. */
  static String address(int node) {
    return "100.94." + (221 + node / 256) + "." + node % 256 + ":11211";
  }

  /** Makes a subject by its name. */
  static Subject of(String name, int nodes, String[] keys) {
    if (name.equals(LEGACY)) {
      return new EvcacheLocator(nodes).subject(keys);
    }
    if (name.equals(HASHED)) {
      return hashed(LocatorKind.SEGMENT_TABLE.locator(nodes(nodes)), keys);
    }
    NodeLocator locator = locator(name, nodes);
    return () -> {
      int sum = 0;
      for (String key : keys) {
        sum += locator.locate(key);
      }
      return sum;
    };
  }

  private static Subject hashed(NodeLocator locator, String[] keys) {
    long[] hashes = new long[keys.length];
    for (int i = 0; i < keys.length; i++) {
      hashes[i] = locator.hasher().hash(keys[i]);
    }
    return () -> {
      int sum = 0;
      for (long hash : hashes) {
        sum += locator.locate(hash);
      }
      return sum;
    };
  }

  private static NodeLocator locator(String name, int nodes) {
    for (RingAlgorithm algorithm : RingAlgorithm.values()) {
      for (RingStructure structure : RingStructure.values()) {
        if (name.equals(algorithm + "/" + structure)) {
          return RingLocator.of(algorithm, structure, nodes(nodes));
        }
      }
    }
    return LocatorKind.named(name).locator(nodes(nodes));
  }
}
