package dev.headrace.replication.message;

import java.util.Arrays;

/**
 * Some encoded keys, one behind the other in one array. Immutable if nobody changes the arrays,
 * which are taken over.
 *
 * @param bytes the keys without anything in between
 * @param ends where each of them ends; the last one ends with the array
 */
@SuppressWarnings("ArrayRecordComponent") // It is handed over, never compared.
public record EncodedKeys(byte[] bytes, int[] ends) {
  /**
   * Checks that the ends are those of keys.
   *
   * @throws IllegalArgumentException if they are not in order, or leave bytes out
   */
  public EncodedKeys {
    int before = 0;
    for (int end : ends) {
      if (end < before) {
        throw new IllegalArgumentException(
            "a key ends at " + end + ", before the one before it, which ends at " + before);
      }
      before = end;
    }
    if (before != bytes.length) {
      throw new IllegalArgumentException(
          ends.length + " keys end at " + before + ", their bytes at " + bytes.length);
    }
  }

  public int count() {
    return ends.length;
  }

  /** Where a key begins. */
  public int offset(int index) {
    return index == 0 ? 0 : ends[index - 1];
  }

  /** The length of a key. */
  public int length(int index) {
    return ends[index] - offset(index);
  }

  /** A copy of a key. */
  public byte[] key(int index) {
    return Arrays.copyOfRange(bytes, offset(index), ends[index]);
  }

  /**
   * Some of the keys, in another order.
   *
   * @param order indexes of keys
   * @param from the first place in {@code order} that counts
   * @param to the one behind the last
   */
  public EncodedKeys select(int[] order, int from, int to) {
    int[] selectedEnds = new int[to - from];
    int size = 0;
    for (int place = from; place < to; place++) {
      size += length(order[place]);
      selectedEnds[place - from] = size;
    }
    byte[] selected = new byte[size];
    int at = 0;
    for (int place = from; place < to; place++) {
      int key = order[place];
      System.arraycopy(bytes, offset(key), selected, at, length(key));
      at += length(key);
    }
    return new EncodedKeys(selected, selectedEnds);
  }
}
