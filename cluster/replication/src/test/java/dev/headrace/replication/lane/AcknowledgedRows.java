package dev.headrace.replication.lane;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.InSync;
import dev.headrace.replication.message.Operation;
import dev.headrace.replication.message.OperationReply;
import dev.headrace.replication.message.OperationReply.Outcome;
import dev.headrace.replication.message.Settled;
import dev.headrace.stream.Message;
import dev.headrace.stream.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who vouches for what was acknowledged, as a bystander sees it: from the operations and answers
 * that pass by and from the tables that were made, never from what a node thinks of itself.
 *
 * <p>Every owner of the epoch that acknowledged a write has it, and all that came before it. So as
 * long as one owner of the newest such epoch is left, nothing may be lost. The same holds of the
 * epoch in which former owners were told that they may forget what they have.
 *
 * <p>There is one exception. If owners of a later epoch had a primary that served, and all of them
 * are gone, nobody who is left can tell that they have acknowledged nothing. As many nodes have
 * failed then as there were owners, and a write need not survive that.
 */
final class AcknowledgedRows {
  private final Map<Long, SegmentTable> tables = new HashMap<>();
  private final Map<Sender, Place> places = new HashMap<>();
  private final Map<Place, Long> newest = new HashMap<>();

  /** The newest epoch in which a primary with backups served, whatever it acknowledged. */
  private final Map<Place, Long> served = new HashMap<>();

  private final Map<Integer, Long> begun = new HashMap<>();

  private record Sender(NodeId caller, long sequence) {}

  private record Place(String cache, int segment) {}

  /** The cluster has a newer table. */
  void made(SegmentTable table) {
    tables.put(table.epoch(), table);
  }

  /** The epoch at which a segment got the owners that it has under a table. */
  long ownersEpoch(int segment, long epoch) {
    return tables.get(epoch).segmentEpoch(segment);
  }

  /** A segment begins anew with a table: what was acknowledged before does not count any more. */
  void begunAnew(int segment, SegmentTable table) {
    begun.put(segment, table.epoch());
    newest.keySet().removeIf(place -> place.segment == segment);
    served.keySet().removeIf(place -> place.segment == segment);
  }

  /** A node sends a message, perhaps to itself. */
  void sent(NodeId to, Message message) {
    if (message instanceof Operation operation && operation.kind().mutation()) {
      places.put(
          new Sender(operation.id().caller(), operation.id().sequence()),
          new Place(operation.cache(), operation.segment()));
    } else if (message instanceof OperationReply reply && reply.outcome() == Outcome.DONE) {
      Place place = places.get(new Sender(to, reply.sequence()));
      if (place != null && reply.epoch() >= begun.getOrDefault(place.segment, 0L)) {
        newest.merge(place, reply.epoch(), Math::max);
      }
    } else if (message instanceof Settled settled && settled.copyNumber() == 0) {
      boolean former = !tables.get(settled.epoch()).isOwner(settled.segment(), to);
      if (former && settled.epoch() >= begun.getOrDefault(settled.segment(), 0L)) {
        newest.merge(new Place(settled.cache(), settled.segment()), settled.epoch(), Math::max);
      }
    } else if (message instanceof InSync told
        && told.epoch() >= begun.getOrDefault(told.segment(), 0L)) {
      served.merge(new Place(told.cache(), told.segment()), told.epoch(), Math::max);
    }
  }

  /**
   * Why what a segment holds must not be given up now, or null if it may.
   *
   * @param gone whether a node is gone for good
   */
  @Nullable String objection(int segment, Predicate<NodeId> gone) {
    // What was written and never acknowledged may have been seen, so it may be missed as well.
    boolean written = places.values().stream().anyMatch(place -> place.segment == segment);
    String objection = written ? null : "nothing was ever written";
    for (Map.Entry<Place, Long> entry : newest.entrySet()) {
      Place place = entry.getKey();
      if (place.segment == segment) {
        List<NodeId> owners = tables.get(entry.getValue()).owners(segment);
        long last = Math.max(entry.getValue(), served.getOrDefault(place, 0L));
        if (owners.stream().allMatch(gone)
            || tables.get(last).owners(segment).stream().allMatch(gone)) {
          return null;
        }
        objection =
            "of cache %s the owners were %s when the last write was acknowledged"
                .formatted(place.cache, owners);
      }
    }
    return objection;
  }
}
