package dev.headrace.rebalance.agreement;

import dev.headrace.rebalance.publish.Proposal;
import dev.headrace.rebalance.table.Member;
import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.rebalance.table.TableDelta;
import dev.headrace.stream.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/**
 * Gives a segment other owners, as a coordinator might: one of leaving nodes first.
 *
 * @param seed of what is drawn
 * @param leaving who should own nothing any more
 */
record OwnerChange(long seed, Predicate<NodeId> leaving) implements Proposal {
  @Override
  public TableDelta on(SegmentTable newest, long epoch) {
    Random drawing = new Random(seed);
    List<NodeId> holders =
        new ArrayList<>(
            newest.members().stream()
                .filter(member -> member.holdsSegments() && !leaving.test(member.id()))
                .map(Member::id)
                .toList());
    if (holders.isEmpty()) {
      return null;
    }
    int segment = drawing.nextInt(newest.segments());
    for (int i = 0; i < newest.segments(); i++) {
      int other = (segment + i) % newest.segments();
      if (newest.owners(other).stream().anyMatch(leaving)) {
        segment = other;
        break;
      }
    }
    Collections.shuffle(holders, drawing);
    if (newest.isWaiting(segment)) {
      return null;
    }
    int owners = Math.min(holders.size(), 1 + drawing.nextInt(newest.configuredOwners()));
    return newest.edit(epoch).owners(segment, holders.subList(0, owners)).delta();
  }
}
