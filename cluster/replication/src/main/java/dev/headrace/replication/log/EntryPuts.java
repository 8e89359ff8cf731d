package dev.headrace.replication.log;

import dev.headrace.replication.message.EncodedEntries;
import dev.headrace.replication.message.Mutation;
import dev.headrace.stream.entry.Cursor;
import dev.headrace.stream.entry.EncodedEntry;
import dev.headrace.stream.store.Replica;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a mutation that puts several. All of them are read and checked before the first
 * one is put, so that a mutation which makes no sense changes nothing. Guarded by the lane.
 */
final class EntryPuts {
  private final Mutation mutation;
  private final Replica replica;
  private final EncodedEntries entries;
  private final long[] positions;

  /**
   * @throws IllegalArgumentException if it makes no sense
   */
  EntryPuts(Mutation mutation, SegmentHistory history, int segment) {
    this.mutation = mutation;
    this.replica = history.replica();
    this.entries = new EncodedEntries(Objects.requireNonNull(mutation.value(), "entries"));
    this.positions = entries.positions(history.store().space(), segment);
    if (entries.count() != mutation.number()) {
      throw new IllegalArgumentException(
          "mutation %d puts %d entries, but has %d numbers"
              .formatted(mutation.sequence(), entries.count(), mutation.number()));
    }
  }

  /**
   * Puts those of a range, and tells nobody.
   *
   * @param from the range begins behind it; null for the beginning of the segment
   * @param to where it ends; null for the end of the segment
   */
  void put(@Nullable Cursor from, @Nullable Cursor to) {
    for (int i = 0; i < positions.length; i++) {
      if (!isLeft(i) && isInside(i, from, to)) {
        put(i, entries.entry(i));
      }
    }
  }

  private boolean isInside(int index, @Nullable Cursor from, @Nullable Cursor to) {
    if (from == null && to == null) {
      return true;
    }
    byte[] key = entries.key(index);
    long position = positions[index];
    return (from == null || !from.covers(position, key))
        && (to == null || to.covers(position, key));
  }

  /** Puts all of them, and records what changed for readers of changes. */
  void putAndRecord(ChangeLog changes, boolean previousValues) {
    long first = mutation.firstSequence();
    if (!changes.retains()) {
      put(null, null);
      changes.pass(first, mutation.sequence(), mutation.term());
      return;
    }
    @Nullable EncodedEntry[] put = new EncodedEntry[positions.length];
    boolean[] created = new boolean[positions.length];
    byte[] @Nullable [] previous = previousValues ? new byte[positions.length][] : null;
    for (int i = 0; i < positions.length; i++) {
      if (!isLeft(i)) {
        EncodedEntry entry = entries.entry(i);
        if (previous != null) {
          previous[i] = previous(i, entry);
        }
        created[i] = put(i, entry);
        put[i] = entry;
      }
    }
    changes.addPuts(first, mutation.term(), put, created, previous);
  }

  private byte @Nullable [] previous(int index, EncodedEntry entry) {
    return replica.valueEvenIfExpired(
        positions[index], entry.key(), entry.keyOffset(), entry.keyLength());
  }

  private boolean isLeft(int index) {
    return EncodedEntries.isLeft(mutation.previous(), index);
  }

  private boolean put(int index, EncodedEntry entry) {
    return replica.put(
        index, positions[index], entry, mutation.term(), mutation.firstSequence() + index);
  }
}
