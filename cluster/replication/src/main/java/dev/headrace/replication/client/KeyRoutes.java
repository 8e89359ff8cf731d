package dev.headrace.replication.client;

import dev.headrace.rebalance.table.SegmentTable;
import dev.headrace.replication.message.EncodedKeys;
import dev.headrace.stream.NodeId;
import dev.headrace.stream.entry.HashSpace;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which of many keys go to which node: one pass from hash to segment to node, and a counting sort.
 * It takes two numbers per key and some per member, and makes no object for a key. Immutable.
 *
 * <p>Keys of one group keep their order. Groups come in the order of the members' ordinals; then
 * come the keys of segments without an owner, as a group of nobody's, and last what this node reads
 * itself, so that others are asked before.
 */
public final class KeyRoutes {
  private static final int NOBODY = -1;

  private final SegmentTable table;
  private final HashSpace space;
  private final int near; // the ordinal of the node that reads; -1 where that makes no difference
  private final int[] order; // indexes of keys, one group behind the other
  private final @Nullable NodeId[] nodes; // by group
  private final int[] ends; // by group where it ends in order
  private final long[] segmentEpochs; // by group
  private final boolean[] others; // by group whether each of its segments has another owner

  private KeyRoutes(Sort sort, HashSpace space, int groups) {
    this.table = sort.table;
    this.space = space;
    this.near = sort.near;
    this.order = sort.order;
    this.nodes = new NodeId[groups];
    this.ends = new int[groups];
    this.segmentEpochs = new long[groups];
    this.others = new boolean[groups];
    int group = 0;
    for (int slot = 0, before = 0; slot < sort.places.length; slot++) {
      if (sort.places[slot] > before) {
        before = sort.places[slot];
        nodes[group] = sort.node(slot);
        ends[group] = before;
        others[group] = !sort.single[slot];
        segmentEpochs[group++] = sort.newest[slot];
      }
    }
  }

  /**
   * Groups keys that are to be read: by this node where it owns the segment, else by the primary.
   */
  static KeyRoutes reading(EncodedKeys keys, HashSpace space, SegmentTable table, NodeId self) {
    return new Sort(keys.count(), null, table, table.ordinal(self), NOBODY).of(keys, space);
  }

  /** Groups keys that are to be written, by their primaries. */
  static KeyRoutes writing(EncodedKeys keys, HashSpace space, SegmentTable table) {
    return new Sort(keys.count(), null, table, NOBODY, NOBODY).of(keys, space);
  }

  /**
   * Groups some of these keys anew, by owners other than the one whose group they are in.
   *
   * @param keys all keys that were grouped
   * @param from the first place, of the group
   * @param to the place behind the last one, in the same group
   */
  public KeyRoutes elsewhere(EncodedKeys keys, int group, int from, int to) {
    NodeId node = nodes[group];
    int avoided = node == null ? NOBODY : table.ordinal(node);
    int[] some = Arrays.copyOfRange(order, from, to);
    return new Sort(some.length, some, table, near, avoided).of(keys, space);
  }

  /** Whether all keys of a group could be read from others, too. */
  public boolean hasOthers(int group) {
    return others[group];
  }

  /** The number of groups, none of which is empty. */
  public int groups() {
    return ends.length;
  }

  /** The node that a group's keys go to, or null if there is nobody. */
  public @Nullable NodeId node(int group) {
    return nodes[group];
  }

  /** The first place of a group in {@link #order}. */
  public int start(int group) {
    return group == 0 ? 0 : ends[group - 1];
  }

  /** The place behind a group's last one. */
  public int end(int group) {
    return ends[group];
  }

  /** The indexes of all keys by their places; not a copy, and not to be changed. */
  public int[] order() {
    return order;
  }

  /** The newest of the epochs at which a group's segments last changed. */
  public long segmentEpoch(int group) {
    return segmentEpochs[group];
  }

  /** The epoch of the table that the keys were routed by. */
  public long epoch() {
    return table.epoch();
  }

  /** The pass over the keys, with a slot per ordinal, one for nobody and one for this node. */
  private static final class Sort {
    private final SegmentTable table;
    private final int near; // the ordinal that reads what it owns itself, or -1
    private final int nobody;
    private final int avoided; // the ordinal that is not asked, or NOBODY
    private final int @Nullable [] some; // the indexes of the keys, or null for all
    private final int[] slots; // by key

    /** By slot how many keys, then where the next one goes, at last where the group ends. */
    private final int[] places;

    private final long[] newest;
    private final boolean[] single; // by slot whether a segment of it has one owner only
    private final int[] order;

    Sort(int keys, int @Nullable [] some, SegmentTable table, int near, int avoided) {
      this.table = table;
      this.near = near;
      this.avoided = avoided;
      this.some = some;
      this.nobody = table.ordinals();
      this.slots = new int[keys];
      this.places = new int[nobody + 2];
      this.newest = new long[nobody + 2];
      this.single = new boolean[nobody + 2];
      this.order = new int[keys];
    }

    KeyRoutes of(EncodedKeys keys, HashSpace space) {
      for (int i = 0; i < slots.length; i++) {
        int key = index(i);
        long hash = space.hash(keys.bytes(), keys.offset(key), keys.length(key));
        int segment = space.segment(hash);
        int slot = slot(segment);
        slots[i] = slot;
        places[slot]++;
        newest[slot] = Math.max(newest[slot], table.segmentEpoch(segment));
        single[slot] |= table.ownerCount(segment) < 2;
      }
      int groups = countsToStarts();
      for (int i = 0; i < slots.length; i++) {
        order[places[slots[i]]++] = index(i);
      }
      return new KeyRoutes(this, space, groups);
    }

    private int index(int i) {
      return some == null ? i : some[i];
    }

    private int slot(int segment) {
      if (near != avoided && table.isOwner(segment, near)) {
        return nobody + 1;
      }
      int primary = table.primaryOrdinal(segment);
      if (primary < 0) {
        return nobody;
      }
      return primary == avoided ? other(segment) : primary;
    }

    private int other(int segment) {
      for (int index = 1; index < table.ownerCount(segment); index++) {
        int owner = table.ordinal(table.owner(segment, index));
        if (owner != avoided) {
          return owner;
        }
      }
      return nobody;
    }

    /** Returns how many counts were not 0. */
    private int countsToStarts() {
      int groups = 0;
      int start = 0;
      for (int slot = 0; slot < places.length; slot++) {
        int count = places[slot];
        groups += count == 0 ? 0 : 1;
        places[slot] = start;
        start += count;
      }
      return groups;
    }

    @Nullable NodeId node(int slot) {
      return slot == nobody ? null : table.memberAt(slot > nobody ? near : slot).id();
    }
  }
}
