package dev.headrace.replication.message;

/**
 * Asks an owner for the values of many keys at once. The answer may leave keys out: the caller asks
 * for those with an {@link Operation} each.
 *
 * @param number the caller's number for it
 * @param cache the cache's name
 * @param format a hash of the formats of keys and values, 0 for any
 * @param segmentEpoch the newest of the epochs at which the keys' segments last changed, as the
 *     caller knows them
 * @param epoch the epoch of the caller's table
 * @param keys at most {@value #MAX_KEYS}, of {@value #MAX_KEY_BYTES} bytes together; or a longer
 *     one
 */
public record BulkRead(
    long number, String cache, int format, long segmentEpoch, long epoch, EncodedKeys keys)
    implements ReplicationMessage {
  /** The most keys; what it takes to look them up keeps an event loop for less than 1 ms. */
  public static final int MAX_KEYS = 1024;

  /** The most bytes of more keys than one. */
  public static final int MAX_KEY_BYTES = 64 << 10;

  /** Any: bulk reads depend on no order. */
  @Override
  public int share() {
    return (int) number & Integer.MAX_VALUE;
  }

  /** The same under another number. */
  public BulkRead numbered(long other) {
    return new BulkRead(other, cache, format, segmentEpoch, epoch, keys);
  }
}
