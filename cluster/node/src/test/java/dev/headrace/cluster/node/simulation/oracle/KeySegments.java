package dev.headrace.cluster.node.simulation.oracle;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.cluster.node.simulation.World;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.entry.HashSpace;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The segments that keys fall into, by the hashes of the cluster that there is at first. */
final class KeySegments {
  private final World world;
  private final Map<String, Integer> known = new HashMap<>();
  private @Nullable HashSpace space;

  KeySegments(World world) {
    this.world = world;
  }

  int of(String key) {
    return known.computeIfAbsent(key, this::find);
  }

  private int find(String key) {
    HashSpace present = space;
    if (present == null) {
      SegmentTable table = world.newestTable();
      if (table == null) {
        throw new IllegalStateException("nobody knows how keys are hashed");
      }
      present = new HashSpace(table.segments(), table.hashSeed());
      space = present;
    }
    ByteOutput out = new ByteOutput();
    Workload.KEY_CODEC.encode(key, out);
    return present.segment(present.hash(out.toByteArray()));
  }
}
