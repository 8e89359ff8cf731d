package dev.headrace.stream.operator;

import dev.headrace.api.codec.ByteOutput;
import dev.headrace.stream.entry.EntryLayout;
import dev.headrace.stream.entry.HashSpace;
import dev.headrace.stream.operator.Operators.Reduction;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
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
 * <p>An entry is first noted, then counted together with its neighbours, once it is known that no
 * write has torn what was read of them. A group of which only noted entries are known disappears
 * with these.
 *
 * <p>Groups are found by open addressing. A key of up to seven bytes is compared as a number, its
 * mark; a longer one by its hash, then byte by byte. Both are spread by secrets of the cluster, so
 * that nobody can choose values that make it slow.
 */
public final class GroupTable {

  /** The most bytes of a group beside its key. */
  private static final int GROUP_BYTES = 5 + 10 + 10 + 4 * Long.BYTES;

  /** The most bytes of an entry around a partial result, and of the number of groups. */
  private static final int FRAME_BYTES = 5 + 1 + 1 + 1 + 5;

  /** The most bytes of a key that its mark holds. */
  private static final int MARKED_BYTES = Long.BYTES - 1;

  private static final int FIRST_SLOTS = 32;

  /** At most one in so many slots is used, so that most groups are found at the first look. */
  private static final int SLOTS_PER_GROUP = 4;

  private static final int LENGTH_SHIFT = MARKED_BYTES * Byte.SIZE;

  /** The mark of a group without a key. */
  private static final long NULL_MARK = 1L << LENGTH_SHIFT;

  /** The mark of a key of no bytes. */
  private static final long EMPTY_MARK = 2L << LENGTH_SHIFT;

  /** In the marks of keys that these do not hold. */
  private static final long LONG_KEY = Long.MIN_VALUE;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final @Nullable Path group;
  private final @Nullable Path number;
  private final boolean floating;
  private final HashSpace hashes;
  private final long firstSecret;
  private final long secondSecret;

  /** How many groups there are, those included of which entries are only noted. */
  private int groups;

  /** How many of these have entries that count. */
  private int countedGroups;

  /** The marks of the groups in these slots; 0 if there is none. */
  private long[] slotMarks = new long[FIRST_SLOTS];

  private int[] slotGroups = new int[FIRST_SLOTS];

  private long[] marks = new long[8];
  private int[] keyEnds = new int[8];
  private byte[] keys = new byte[64];
  private long[] entries = new long[8];
  private final Totals totals = new Totals();

  /** The group of each noted entry; its complement if the entry has no number. */
  private int[] notedGroups = new int[128];

  private long[] notedNumbers = new long[128];
  private int noted;

  /** An empty result of a program that reduces. */
  public GroupTable(Operators operators, HashSpace hashes) {
    Reduction reduction = Objects.requireNonNull(operators.reduction(), "a program that reduces");
    group = reduction.group();
    number = reduction.number();
    floating = number != null && number.isDouble();
    this.hashes = hashes;
    firstSecret = hashes.hash(new byte[] {'g', 'r', 'o', 'u', 'p', 1});
    secondSecret = hashes.hash(new byte[] {'g', 'r', 'o', 'u', 'p', 2}) | 1;
  }

  /** Whether nothing was counted. */
  public boolean isEmpty() {
    return countedGroups == 0;
  }

  /** The most bytes of an entry that holds the result without any group's key. */
  public static int leastRoomBytes() {
    return FRAME_BYTES + GROUP_BYTES;
  }

  /** Counts so many entries, in a reduction without groups. */
  public void addEntries(long count) {
    if (count > 0) {
      entries[ungrouped()] += count;
      countedGroups = groups;
    }
  }

  private int ungrouped() {
    if (groups == 0) {
      append(EMPTY_MARK, 0);
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
    long needed = note(frame, roomBytes);
    countNoted();
    return needed;
  }

  /** How many entries are noted. */
  int noted() {
    return noted;
  }

  /**
   * Notes the frame's entry, which a write may be tearing.
   *
   * @param roomBytes the most bytes that an entry with the result may have
   * @return 0, or the bytes needed if there is too little room; nothing has changed then
   */
  long note(EntryFrame frame, long roomBytes) {
    Path by = group;
    int index = by == null ? ungrouped() : groupOf(frame, by, roomBytes);
    if (index < 0) {
      return boundBytes(groups + 1, keyBytes() + (long) (frame.to - frame.from));
    }
    if (noted == notedGroups.length) {
      notedGroups = Arrays.copyOf(notedGroups, 2 * noted);
      notedNumbers = Arrays.copyOf(notedNumbers, 2 * noted);
    }
    Path what = number;
    if (what != null && what.find(frame)) {
      notedGroups[noted] = index;
      notedNumbers[noted++] =
          floating ? Double.doubleToRawLongBits(what.floating(frame)) : what.number(frame);
    } else {
      notedGroups[noted++] = ~index;
    }
    return 0;
  }

  /** Forgets what is noted. */
  void forgetNoted() {
    noted = 0;
    if (groups > countedGroups) {
      groups = countedGroups;
      Arrays.fill(slotMarks, 0);
      for (int i = 0; i < groups; i++) {
        enter(i);
      }
    }
  }

  /** Counts what is noted. */
  void countNoted() {
    for (int i = 0; i < noted; i++) {
      int index = notedGroups[i];
      if (index < 0) {
        entries[~index]++;
        continue;
      }
      entries[index]++;
      if (floating) {
        totals.add(index, Double.longBitsToDouble(notedNumbers[i]));
      } else {
        totals.add(index, notedNumbers[i]);
      }
    }
    noted = 0;
    countedGroups = groups;
  }

  /** The index of the entry's group, which is made if there is room; else -1. */
  private int groupOf(EntryFrame frame, Path by, long roomBytes) {
    if (!by.find(frame)) {
      frame.from = 0;
      frame.to = 0;
      return groupOf(frame, NULL_MARK, 0, roomBytes);
    }
    int length = frame.to - frame.from;
    return groupOf(frame, mark(frame.bytes, frame.from, length), length, roomBytes);
  }

  private int groupOf(EntryFrame frame, long mark, int length, long roomBytes) {
    int mask = slotMarks.length - 1;
    int slot = spread(mark) & mask;
    for (long found = slotMarks[slot]; found != 0; found = slotMarks[slot]) {
      if (found == mark && (mark > 0 || hasKey(slotGroups[slot], frame))) {
        return slotGroups[slot];
      }
      slot = (slot + 1) & mask;
    }
    if (boundBytes(groups + 1, keyBytes() + (long) length) > roomBytes) {
      return -1;
    }
    reserveKey(length);
    System.arraycopy(frame.bytes, frame.from, keys, keyBytes(), length);
    return append(mark, length);
  }

  private boolean hasKey(int index, EntryFrame frame) {
    return Arrays.equals(frame.bytes, frame.from, frame.to, keys, keyStart(index), keyEnds[index]);
  }

  /** What a key is found by; never 0. */
  private long mark(byte[] bytes, int from, int length) {
    if (length > MARKED_BYTES) {
      return hashes.hash(bytes, from, length) | LONG_KEY;
    }
    long mark = EMPTY_MARK + ((long) length << LENGTH_SHIFT);
    if (length > 0 && from <= bytes.length - Long.BYTES) {
      return mark | ((long) LONGS.get(bytes, from) & (-1L >>> (Long.SIZE - (length << 3))));
    }
    for (int i = 0; i < length; i++) {
      mark |= (bytes[from + i] & 0xFFL) << (i << 3);
    }
    return mark;
  }

  private int spread(long mark) {
    long mixed = (mark ^ firstSecret) * secondSecret;
    mixed = (mixed ^ (mixed >>> 32)) * secondSecret;
    return (int) (mixed >>> 32);
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

  private void reserveKey(int length) {
    int needed = keyBytes() + length;
    if (needed > keys.length) {
      keys = Arrays.copyOf(keys, Math.max(needed, 2 * keys.length));
    }
  }

  /** Adds a group whose key stands behind the others. */
  private int append(long mark, int length) {
    int index = groups;
    if (index == entries.length) {
      entries = Arrays.copyOf(entries, 2 * index);
      marks = Arrays.copyOf(marks, 2 * index);
      keyEnds = Arrays.copyOf(keyEnds, 2 * index);
    }
    if (SLOTS_PER_GROUP * (index + 1) > slotMarks.length) {
      slotMarks = new long[2 * slotMarks.length];
      slotGroups = new int[slotMarks.length];
      for (int i = 0; i < index; i++) {
        enter(i);
      }
    }
    marks[index] = mark;
    keyEnds[index] = keyBytes() + length;
    groups++;
    enter(index);
    totals.reserve(groups);
    return index;
  }

  private void enter(int index) {
    int mask = slotMarks.length - 1;
    int slot = spread(marks[index]) & mask;
    while (slotMarks[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    slotMarks[slot] = marks[index];
    slotGroups[slot] = index;
  }

  /** The bytes of what was counted. */
  public byte[] encode() {
    forgetNoted();
    ByteOutput out = new ByteOutput((int) Math.min(1 << 20, boundBytes(groups, keyBytes())));
    out.writeVarInt(groups);
    for (int i = 0; i < groups; i++) {
      int start = keyStart(i);
      int length = keyEnds[i] - start;
      out.writeVarInt(marks[i] == NULL_MARK ? 0 : length + 1);
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
