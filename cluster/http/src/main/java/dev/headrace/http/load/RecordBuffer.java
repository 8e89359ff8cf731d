package dev.headrace.http.load;

import java.util.Arrays;

/**
 * The bytes of one record, while they arrive. A large record is counted in a budget, until the next
 * one is wanted, and leaves no large array behind. For one thread at a time.
 */
final class RecordBuffer {
  /** The most bytes of an array that stays, and is not counted. */
  static final int KEPT_BYTES = 64 << 10;

  private static final int FIRST_BYTES = 256;

  private final int mostBytes;
  private final RecordBudget budget;
  private byte[] bytes;
  private int size;
  private long counted;

  /**
   * @param mostBytes the most bytes of a record
   */
  RecordBuffer(int mostBytes, RecordBudget budget) {
    this.mostBytes = mostBytes;
    this.budget = budget;
    this.bytes = first();
  }

  private byte[] first() {
    return new byte[Math.min(mostBytes, FIRST_BYTES)];
  }

  /**
   * Adds a byte.
   *
   * @return false if the record has all the bytes that it may have
   * @throws dev.headrace.http.exchange.ProblemException 503 if the budget is used up
   */
  boolean add(byte next) {
    if (size == mostBytes) {
      return false;
    }
    if (size == bytes.length) {
      grow();
    }
    bytes[size++] = next;
    return true;
  }

  private void grow() {
    int length = (int) Math.min(mostBytes, 2L * bytes.length);
    if (length > KEPT_BYTES) {
      budget.take(length - counted);
      counted = length;
    }
    bytes = Arrays.copyOf(bytes, length);
  }

  /** Takes the record out. It stays counted until {@link #release}. */
  byte[] take() {
    byte[] taken = Arrays.copyOf(bytes, size);
    size = 0;
    if (bytes.length > KEPT_BYTES) {
      bytes = first();
    }
    return taken;
  }

  /** Gives back what was counted for a record that was taken out. */
  void release() {
    if (bytes.length <= KEPT_BYTES) {
      budget.take(-counted);
      counted = 0;
    }
  }

  /** Forgets what has arrived of a record. */
  void clear() {
    size = 0;
    bytes = first();
    release();
  }
}
