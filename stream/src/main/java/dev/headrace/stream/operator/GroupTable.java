package dev.headrace.stream.operator;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.operator.Operators.Reduction;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A partial result of a reduction: for each group how many entries there are, and the sum, least
 * and greatest of their numbers. A reduction without groups has one. Makes objects only when it
 * grows. For one thread.
 *
 * <pre>
 * vint  number of groups, then for each
 *   vint    number of bytes of its key, plus 1; 0 for entries whose group is null
 *   bytes   its key as it is encoded in entries
 *   vlong   number of entries
 *   vlong   number of those whose number is there, if the reduction adds up numbers
 *   if there are any:
 *     16 bytes  the sum: of whole numbers 128 bits, low part first; else the bits of a double and of
 *               what rounding has lost
 *     16 bytes  the least and the greatest number, or their bits
 * </pre>
 *
 * <p>Groups are found by open addressing with the cluster's secret hash, so that nobody can choose
 * values that make it slow.
 */
public final class GroupTable {

  /** The most bytes of a group beside its key. */
  private static final int GROUP_BYTES = 5 + 10 + 10 + 4 * Long.BYTES;

  /** The most bytes of an entry around a partial result, and of the number of groups. */
  private static final int FRAME_BYTES = 5 + 1 + 1 + 1 + 5;

  private final @Nullable Path group;
  private final @Nullable Path number;
  private final HashSpace hashes;

  private int groups;
  private int[] slots = new int[16];
  private int[] keyEnds = new int[8];
  private boolean[] nullKeys = new boolean[8];
  private byte[] keys = new byte[64];
  private long[] entries = new long[8];
  private final Totals totals = new Totals();

  /** An empty result of a program that reduces. */
  public GroupTable(Operators operators, HashSpace hashes) {
    Reduction reduction = Objects.requireNonNull(operators.reduction(), "a program that reduces");
    group = reduction.group();
    number = reduction.number();
    this.hashes = hashes;
  }

  /** Whether nothing was counted. */
  public boolean isEmpty() {
    return groups == 0;
  }

  /** The most bytes of an entry that holds the result without any group's key. */
  public static int leastRoomBytes() {
    return FRAME_BYTES + GROUP_BYTES;
  }

  /** Counts so many entries, in a reduction without groups. */
  public void addEntries(long count) {
    if (count > 0) {
      entries[ungrouped()] += count;
    }
  }

  private int ungrouped() {
    if (groups == 0) {
      append(false, 0);
    }
    return 0;
  }

  /**
   * Counts the frame's entry.
   *
   * @param roomBytes the most bytes that an entry with the result may have
   * @return 0, or the bytes needed if there is too little room; nothing has changed then
   */
  public long add(EntryFrame frame, long roomBytes) {
    Path by = group;
    int index = 0;
    if (by == null) {
      ungrouped();
    } else {
      boolean present = by.find(frame);
      int from = present ? frame.from : 0;
      int length = present ? frame.to - from : 0;
      index = indexOf(frame.bytes, from, length, present);
      if (index < 0) {
        long needed = boundBytes(groups + 1, keyBytes() + (long) length);
        if (needed > roomBytes) {
          return needed;
        }
        reserveKey(length);
        System.arraycopy(frame.bytes, from, keys, keyBytes(), length);
        index = append(!present, length);
      }
    }
    entries[index]++;
    Path what = number;
    if (what != null && what.find(frame)) {
      if (what.isDouble()) {
        totals.add(index, what.floating(frame));
      } else {
        totals.add(index, what.number(frame));
      }
    }
    return 0;
  }

  private static long boundBytes(int groups, long keyBytes) {
    return FRAME_BYTES + (long) groups * GROUP_BYTES + keyBytes;
  }

  private int keyBytes() {
    return groups == 0 ? 0 : keyEnds[groups - 1];
  }

  private int keyStart(int index) {
    return index == 0 ? 0 : keyEnds[index - 1];
  }

  private int slotOf(byte[] bytes, int from, int length) {
    return (int) hashes.hash(bytes, from, length) & (slots.length - 1);
  }

  private int indexOf(byte[] bytes, int from, int length, boolean present) {
    int slot = slotOf(bytes, from, length);
    while (slots[slot] != 0) {
      int index = slots[slot] - 1;
      if (nullKeys[index] != present
          && Arrays.equals(bytes, from, from + length, keys, keyStart(index), keyEnds[index])) {
        return index;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    return -1;
  }

  private void reserveKey(int length) {
    int needed = keyBytes() + length;
    if (needed > keys.length) {
      keys = Arrays.copyOf(keys, Math.max(needed, 2 * keys.length));
    }
  }

  /** Adds a group whose key stands behind the others. */
  private int append(boolean nullKey, int length) {
    int index = groups;
    if (index == entries.length) {
      entries = Arrays.copyOf(entries, 2 * index);
      keyEnds = Arrays.copyOf(keyEnds, 2 * index);
      nullKeys = Arrays.copyOf(nullKeys, 2 * index);
    }
    if (2 * (index + 1) > slots.length) {
      slots = new int[2 * slots.length];
      for (int i = 0; i < index; i++) {
        enter(i);
      }
    }
    nullKeys[index] = nullKey;
    keyEnds[index] = keyBytes() + length;
    groups++;
    enter(index);
    totals.reserve(groups);
    return index;
  }

  private void enter(int index) {
    int slot = slotOf(keys, keyStart(index), keyEnds[index] - keyStart(index));
    while (slots[slot] != 0) {
      slot = (slot + 1) & (slots.length - 1);
    }
    slots[slot] = index + 1;
  }

  /** The result's bytes. */
  public byte[] encode() {
    ByteOutput out = new ByteOutput((int) Math.min(1 << 20, boundBytes(groups, keyBytes())));
    out.writeVarInt(groups);
    for (int i = 0; i < groups; i++) {
      int start = keyStart(i);
      int length = keyEnds[i] - start;
      out.writeVarInt(nullKeys[i] ? 0 : length + 1);
      out.writeBytes(keys, start, length);
      out.writeVarLong(entries[i]);
      if (number != null) {
        totals.write(i, out);
      }
    }
    return out.toByteArray();
  }

  /** The size of an entry with these bytes. */
  public static long entryBytes(byte[] encoded) {
    return EntryLayout.entryBytes(0, encoded.length, 0, 0, 0);
  }
}
