package dev.headrace.replication.lane;

import dev.headrace.replication.log.Effects;
import dev.headrace.replication.message.Mutation;
import dev.headrace.replication.role.Primary;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EntryView;
import dev.headrace.stream.entry.Projection;
import dev.headrace.stream.store.ReadStatus;
import dev.headrace.stream.store.Replica;
import dev.headrace.stream.store.SegmentReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a node does for its stores when nobody asks: primaries remove what has expired, with a
 * version like every other change (P16), and every owner puts its pages in order and forgets tables
 * that are no longer in force. Each call is a bounded step; the next goes on where it ended. Not
 * thread-safe: one thread calls it.
 */
public final class Upkeep {

  /** The most expired entries removed from a segment in one step. */
  static final int MAX_REMOVED = 128;

  private static final int KEY_BYTES = 1 << 16;

  private final Lanes lanes;
  private final SegmentReader reader = new SegmentReader();
  private final EntryView view = new EntryView();
  private final Round expiry = new Round();
  private final Round order = new Round();
  private ByteBuffer keys = ByteBuffer.allocate(KEY_BYTES);

  /** Where a walk over all lanes has got to. */
  private static final class Round {
    private List<Lane> left = new ArrayList<>();

    List<Lane> next(Lanes lanes, int maxSegments) {
      if (left.isEmpty()) {
        left = lanesOf(lanes);
      }
      int size = left.size();
      List<Lane> batch = left.subList(Math.max(0, size - maxSegments), size);
      List<Lane> next = new ArrayList<>(batch);
      batch.clear();
      return next;
    }

    private static List<Lane> lanesOf(Lanes lanes) {
      List<Lane> all = new ArrayList<>();
      lanes.caches().forEach(cache -> all.addAll(cache.lanes()));
      return all;
    }
  }

  public Upkeep(Lanes lanes) {
    this.lanes = lanes;
  }

  /**
   * Removes expired entries where this node is primary.
   *
   * @param maxSegments how many segments to look at
   * @return how many entries were removed
   */
  public int expire(int maxSegments) {
    int removed = 0;
    for (Lane lane : expiry.next(lanes, maxSegments)) {
      Replica replica = lane.cache().store().replica(lane.segment());
      if (replica != null && replica.hasExpiring()) {
        int[] count = new int[1];
        lanes
            .driver()
            .drive(lane, (driven, effects) -> count[0] = expire(driven, replica, effects));
        removed += count[0];
      }
    }
    return removed;
  }

  private int expire(Lane lane, Replica replica, Effects effects) {
    Primary primary = lane.servingPrimary();
    if (primary == null || !primary.idle()) {
      return 0;
    }
    keys.clear();
    Cursor from = lane.expiryCursor();
    ReadStatus status =
        reader.read(replica, from, MAX_REMOVED, keys.capacity(), Projection.EXPIRED, keys);
    if (status == ReadStatus.ENTRY_TOO_LARGE) {
      keys = ByteBuffer.allocate(reader.requiredBytes());
      return 0;
    }
    lane.expiryCursor(status == ReadStatus.MORE ? reader.next() : Cursor.START);
    int removed = 0;
    int end = keys.position();
    for (int index = 0; index < end; removed++) {
      index = view.parse(keys, index, end);
      primary.mutate(Mutation.Change.REMOVE, key(), effects);
    }
    return removed;
  }

  private byte[] key() {
    byte[] key = new byte[view.keyLength()];
    keys.get(view.keyOffset(), key);
    return key;
  }

  /**
   * Moves the stores' rewriting on, one step per segment, and brings their lanes to the newest
   * table.
   *
   * @param maxSegments how many segments to look at
   * @return whether any of them has more to do at once
   */
  public boolean maintain(int maxSegments) {
    boolean more = false;
    for (Lane lane : order.next(lanes, maxSegments)) {
      lanes.driver().renew(lane);
      synchronized (lane) {
        Replica replica = lane.cache().store().replica(lane.segment());
        more |= replica != null && replica.maintain();
      }
    }
    return more;
  }
}
