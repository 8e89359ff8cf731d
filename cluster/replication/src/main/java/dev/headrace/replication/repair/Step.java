package dev.headrace.replication.repair;

import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.PositionRange;
import java.util.Set;

/** Something that a repair still has to do in a segment. */
sealed interface Step {
  /** The backups that it concerns. */
  Set<NodeId> backups();

  /** The same for fewer backups. */
  Step with(Set<NodeId> fewer);

  /**
   * Ranges are to be compared.
   *
   * @param first the first of them
   * @param ranges how many
   */
  record Comparison(PositionRange first, int ranges, Set<NodeId> backups) implements Step {
    @Override
    public Step with(Set<NodeId> fewer) {
      return new Comparison(first, ranges, fewer);
    }
  }

  /**
   * What is left of a range is to be replaced.
   *
   * @param from behind this
   * @param entries how many entries it had when it was compared
   */
  record Replacement(PositionRange range, Cursor from, int entries, Set<NodeId> backups)
      implements Step {
    @Override
    public Step with(Set<NodeId> fewer) {
      return new Replacement(range, from, entries, fewer);
    }
  }
}
