package dev.headrace.api.codec;

import java.util.Arrays;
import java.util.ConcurrentModificationException;

/**
 * The order of the parts of sets and maps: by the bytes of elements and keys, unsigned. Parts are
 * written where they belong at once, and only moved if they have come in another order. Used for
 * one value.
 */
final class CanonicalOrder {
  private static final int[] NONE = {};

  /** So many parts are put in order by insertion, which makes no objects. */
  private static final int FEW = 16;

  private final ByteOutput out;
  private final String format;

  /** Where each part begins, and where the last one ends. */
  private final int[] starts;

  /** Where the key of each part ends. */
  private final int[] keyEnds;

  private int count;

  /**
   * Begins a value.
   *
   * @param count the number of its parts
   */
  CanonicalOrder(ByteOutput out, int count, String format) {
    this.out = out;
    this.format = format;
    this.starts = count < 2 ? NONE : new int[count + 1];
    this.keyEnds = count < 2 ? NONE : new int[count];
  }

  /** The room that a hash table needs for so many entries. */
  static int capacity(int count) {
    return (int) Math.min(1 << 30, count / 0.75 + 1);
  }

  /** A part begins. */
  void begin() {
    if (keyEnds.length > 0) {
      if (count == keyEnds.length) {
        throw new ConcurrentModificationException("The value was changed while it was encoded");
      }
      starts[count] = out.size();
    }
  }

  /** The element, or the key of an entry, has been written. */
  void keyEnds() {
    if (keyEnds.length > 0) {
      keyEnds[count] = out.size();
    }
    count++;
  }

  /**
   * All parts have been written: puts them in order.
   *
   * @throws IllegalArgumentException if two elements or keys have the same bytes
   */
  void sort() {
    if (keyEnds.length == 0) {
      return;
    }
    if (count < keyEnds.length) {
      throw new ConcurrentModificationException("The value was changed while it was encoded");
    }
    starts[count] = out.size();
    byte[] bytes = out.array();
    for (int i = 1; i < count; i++) {
      if (compare(bytes, i - 1, i) >= 0) {
        move(bytes);
        return;
      }
    }
  }

  private void move(byte[] bytes) {
    int[] order = count > FEW ? ordered(bytes) : inserted(bytes);
    for (int i = 1; i < count; i++) {
      if (compare(bytes, order[i - 1], order[i]) == 0) {
        throw new IllegalArgumentException(
            "Two elements or keys in a value of format \""
                + format
                + "\" have the same bytes, though they are not equal");
      }
    }
    byte[] copy = Arrays.copyOfRange(bytes, starts[0], starts[count]);
    int at = starts[0];
    for (int part : order) {
      int lengthBytes = starts[part + 1] - starts[part];
      System.arraycopy(copy, starts[part] - starts[0], bytes, at, lengthBytes);
      at += lengthBytes;
    }
  }

  private int[] ordered(byte[] bytes) {
    Integer[] order = new Integer[count];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, (a, b) -> compare(bytes, a, b));
    return Arrays.stream(order).mapToInt(Integer::intValue).toArray();
  }

  private int[] inserted(byte[] bytes) {
    int[] order = new int[count];
    for (int part = 1; part < count; part++) {
      int at = part;
      while (at > 0 && compare(bytes, order[at - 1], part) > 0) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = part;
    }
    return order;
  }

  private int compare(byte[] bytes, int a, int b) {
    return Arrays.compareUnsigned(bytes, starts[a], keyEnds[a], bytes, starts[b], keyEnds[b]);
  }

  /** Checks that the parts of a value that is read are in this order. */
  static final class Check {
    private final ByteInput in;
    private final String format;
    private int before = -1;
    private int beforeEnd;
    private int start;

    Check(ByteInput in, String format) {
      this.in = in;
      this.format = format;
    }

    void begin() {
      start = in.position();
    }

    void keyEnds() {
      int end = in.position();
      if (before >= 0 && in.compare(before, beforeEnd, start, end) >= 0) {
        throw new IllegalArgumentException(
            "The elements or keys in a value of format \"" + format + "\" are not in order");
      }
      before = start;
      beforeEnd = end;
    }
  }
}
