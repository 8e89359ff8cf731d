package dev.headrace.http.load;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of the records that a sink holds. A sink asks for a number of records, by the size of
 * those before, and takes nothing back when larger ones follow: so bytes are counted here, too.
 *
 * <p>One thread at a time adds; any thread may tell of the end of a record.
 */
final class HeldBytes {
  private final long mostBytes;
  private final Map<Long, Long> ofRecords = new ConcurrentHashMap<>();
  private final AtomicLong sum = new AtomicLong();
  private long records;

  /**
   * Nothing is held.
   *
   * @param mostBytes beyond this no further record is to be taken
   */
  HeldBytes(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** The next record is about to be handed over. */
  void add(long bytes) {
    ofRecords.put(records++, bytes);
    sum.addAndGet(bytes);
  }

  /**
   * A record is held no more.
   *
   * @param record its number, from 0
   * @return whether there is room again that was not there before
   */
  boolean ended(long record) {
    Long bytes = ofRecords.remove(record);
    if (bytes == null) {
      return false;
    }
    long left = sum.addAndGet(-bytes);
    return left <= mostBytes && left + bytes > mostBytes;
  }

  /** Whether no further record is to be taken now. */
  boolean isFull() {
    return sum.get() > mostBytes;
  }
}
