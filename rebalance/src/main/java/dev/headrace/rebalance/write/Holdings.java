package dev.headrace.rebalance.write;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.store.HashSpace;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A segment table with what this node holds under it. Immutable, replaced as a whole.
 *
 * <p>A node holds what it owns as long as nothing was written. Once the table is sealed it can only
 * lose: what it comes to own then is empty, and it holds it only when a migration has filled it.
 */
final class Holdings {
  private final SegmentTable table;
  private final HashSpace space;
  private final BitSet held;

  private Holdings(SegmentTable table, HashSpace space, BitSet held) {
    this.table = table;
    this.space = space;
    this.held = held;
  }

  static Holdings of(@Nullable Holdings before, SegmentTable table, NodeId self) {
    BitSet held = new BitSet(table.segments());
    for (int segment = 0; segment < table.segments(); segment++) {
      held.set(segment, table.isOwner(segment, self));
    }
    // The first sealed table that a node sees makes it an owner only if it was one before the seal.
    if (before != null && before.table.sealed() && table.sealed()) {
      if (sameContent(before.table, table)) {
        held.and(before.held);
      } else {
        held.clear();
      }
    }
    if (before != null
        && before.table.segments() == table.segments()
        && before.table.hashSeed() == table.hashSeed()) {
      return new Holdings(table, before.space, held);
    }
    return new Holdings(table, new HashSpace(table.segments(), table.hashSeed()), held);
  }

  /** Whether what is held under one table means the same under the other. */
  static boolean sameContent(SegmentTable before, SegmentTable now) {
    return before.island() == now.island()
        && before.hashSeed() == now.hashSeed()
        && before.segments() == now.segments()
        && (!before.sealed() || before.header().seal() == now.header().seal());
  }

  SegmentTable table() {
    return table;
  }

  /** How the cluster hashes keys. */
  HashSpace space() {
    return space;
  }

  boolean holds(int segment) {
    return held.get(segment);
  }
}
